using System;
using Fixsync;

namespace DuelSample
{
    /// <summary>The keys of a player in a frame, as bits of a number.</summary>
    [Flags]
    public enum Keys
    {
        None = 0,
        Up = 1,
        Down = 2,
        Left = 4,
        Right = 8,
        Slash = 16,
        Dash = 32,
    }

    /// <summary>The game that a rollback library drives: the callbacks of GGPO, GekkoNet and
    /// others have these names and shapes.</summary>
    public interface IRollbackGame
    {
        byte[] SaveState();

        void LoadState(byte[] state);

        void AdvanceFrame(long[] inputs);

        ulong Checksum();
    }

    /// <summary>Two fighters in a walled arena, who walk, slash and dash. It knows no engine: a
    /// frame is a function of the state and the inputs.</summary>
    public sealed class DuelGame : IRollbackGame, IDisposable
    {
        public const int Players = 2;
        public const int Ko = Native.FXS_GAME_EVENT; // kind of the game's own event
        public const int Health = 30;

        private const int SlashAttack = 2, DashAttack = 3; // by their order in fighter.json
        private static readonly int Speed = Fix.Q("0.09375"), DashSpeed = Fix.Q("0.375");
        private static readonly Layers Layers = new Layers("body", "wall", "attack")
            .Meet("body", "attack");

        private readonly Body[] fighters = new Body[Players];
        private readonly Rows<CastHit> hits = new Rows<CastHit>();
        private readonly uint walls;
        private OwnState own; // beside the world's

        /// <summary>The game's own state. Save all that the next frame depends on.</summary>
        private struct OwnState
        {
            public int Health0, Health1, Falls0, Falls1;
        }

        public World World { get; }

        /// <summary>Commands of the last frame; the last `Reactions` came after the step.</summary>
        public Rows<Command> Commands { get; } = new Rows<Command>();

        public int Reactions { get; private set; }

        /// <summary>Events of the last frame: the world's, then the game's own.</summary>
        public Rows<Event> Events { get; } = new Rows<Event>();

        /// <summary>Of the world right after the last step, before the reactions.</summary>
        public ulong Hash { get; private set; }

        /// <summary>level: bytes of a map, as `fixsync level` writes them. frames: the attack
        /// table, as `fixsync frame-data` writes it.</summary>
        public DuelGame(byte[] level, byte[] frames)
        {
            World = new World(16, Layers, level: new Level(level));
            walls = Layers.Mask("wall");
            var data = new FrameData(frames);
            for (int i = 0; i < Players; i++)
            {
                var ids = new uint[data.Parts];
                for (int part = 0; part < ids.Length; part++)
                    ids[part] = (uint)(ids.Length * i + part);
                fighters[i] = new Body(World, data, ids, (uint)i + 1, StartOf(i));
            }

            own = new OwnState { Health0 = Health, Health1 = Health };
        }

        private static Pose StartOf(int player) =>
            new Pose(Fix.Units(player == 0 ? 7 : 13, 1, -7), player == 0 ? 0 : Native.FXS_TURN / 2);

        public int HealthOf(int player) => player == 0 ? own.Health0 : own.Health1;

        public int FallsOf(int player) => player == 0 ? own.Falls0 : own.Falls1;

        public Pose PoseOf(int player) => fighters[player].Pose(World);

        public void AdvanceFrame(long[] inputs)
        {
            Commands.Clear();
            for (int i = 0; i < Players; i++)
                Act(i, (Keys)inputs[i]);
            World.Step(Events);
            Hash = World.Hash();
            int before = Commands.Count, found = Events.Count;
            for (int i = 0; i < found; i++)
                React(Events[i]);
            foreach (Body fighter in fighters)
                fighter.Tick(World, Commands);
            Reactions = Commands.Count - before;
        }

        private void Act(int player, Keys keys)
        {
            Body fighter = fighters[player];
            if ((keys & Keys.Slash) != 0 && fighter.CanStart(SlashAttack))
                fighter.Start(World, SlashAttack, Commands);
            else if ((keys & Keys.Dash) != 0 && fighter.CanStart(DashAttack))
                fighter.Start(World, DashAttack, Commands);
            Pose pose = fighter.Pose(World);
            if (fighter.Attack == DashAttack)
                Go(fighter, pose, Fix.Forward(pose.Yaw, DashSpeed));
            else
                Walk(fighter, pose, keys);
        }

        private void Walk(Body fighter, Pose pose, Keys keys)
        {
            var direction = new Vec3(
                ((keys & Keys.Right) != 0 ? 1 : 0) - ((keys & Keys.Left) != 0 ? 1 : 0), 0,
                ((keys & Keys.Up) != 0 ? 1 : 0) - ((keys & Keys.Down) != 0 ? 1 : 0));
            if (direction == Vec3.Zero)
                return;
            Vec3 motion = Fix.WithLength(direction, Speed);
            int yaw = fighter.Attack < 0 ? Fix.YawOf(Vec3.Zero, motion) : pose.Yaw;
            Go(fighter, new Pose(pose.Position, yaw), motion);
        }

        /// <summary>Moves a fighter; walls stop it: a cast of its own shape says where.</summary>
        private void Go(Body fighter, Pose pose, Vec3 motion)
        {
            Collider body = World[fighter.Id(0)];
            World.Cast(
                new Cast(body.Shape, body.Pose, motion, walls, limit: 1,
                    hitWhen: Contact.Overlapping), hits);
            if (hits.Count > 0)
                motion = Fix.Along(motion, hits[0].Fraction, hits[0].Normal);
            fighter.SetPose(World, new Pose(pose.Position + motion, pose.Yaw), Commands);
        }

        /// <summary>A slash that meets a body hurts it once.</summary>
        private void React(Event hit)
        {
            if (hit.Kind == EventKind.Exit || hit.B >= Level.FirstId)
                return; // a zone of the map hurts nobody
            Collider a = World[hit.A], b = World[hit.B];
            int attacker = (int)(a.Layer == Layers["attack"] ? a.Owner : b.Owner) - 1;
            int victim = 1 - attacker;
            if (!fighters[attacker].Strike((uint)victim))
                return;
            int left = HealthOf(victim) - 10;
            int falls = FallsOf(victim) + (left <= 0 ? 1 : 0);
            if (victim == 0)
                own.Health0 = left <= 0 ? Health : left;
            else
                own.Health1 = left <= 0 ? Health : left;
            if (left > 0)
                return;
            if (victim == 0)
                own.Falls0 = falls;
            else
                own.Falls1 = falls;
            Events.Add(Event.OfGame((uint)attacker, (uint)victim, Ko, falls));
            fighters[victim].Cancel(World, Commands);
            fighters[victim].SetPose(World, StartOf(victim), Commands);
        }

        // ---- state ----

        /// <summary>The game's own state as bytes: the numbers, then each body.</summary>
        public byte[] SaveOwn()
        {
            var bytes = new byte[OwnSize];
            int at = 0;
            foreach (int number in new[] { own.Health0, own.Health1, own.Falls0, own.Falls1 })
                Write(bytes, ref at, number);
            foreach (Body fighter in fighters)
            {
                byte[] saved = fighter.Save();
                Write(bytes, ref at, saved.Length);
                saved.CopyTo(bytes, at);
                at += BodySize;
            }

            return bytes;
        }

        public void LoadOwn(ReadOnlySpan<byte> bytes)
        {
            int at = 0;
            own = new OwnState
            {
                Health0 = Read(bytes, ref at),
                Health1 = Read(bytes, ref at),
                Falls0 = Read(bytes, ref at),
                Falls1 = Read(bytes, ref at),
            };
            foreach (Body fighter in fighters)
            {
                int size = Read(bytes, ref at);
                fighter.Load(bytes.Slice(at, size));
                at += BodySize;
            }
        }

        private const int BodySize = 280; // the most that a body saves
        public const int OwnSize = 16 + Players * (4 + BodySize);

        private static void Write(byte[] bytes, ref int at, int number)
        {
            for (int i = 0; i < 4; i++)
                bytes[at++] = (byte)(number >> (8 * i));
        }

        private static int Read(ReadOnlySpan<byte> bytes, ref int at)
        {
            int number = bytes[at] | bytes[at + 1] << 8 | bytes[at + 2] << 16 | bytes[at + 3] << 24;
            at += 4;
            return number;
        }

        /// <summary>Everything, for libraries that keep states themselves.</summary>
        public byte[] SaveState()
        {
            byte[] world = World.Save(), mine = SaveOwn(), both;
            both = new byte[mine.Length + world.Length];
            mine.CopyTo(both, 0);
            world.CopyTo(both, mine.Length);
            return both;
        }

        public void LoadState(byte[] state)
        {
            World.Load(new ReadOnlySpan<byte>(state, OwnSize, state.Length - OwnSize));
            LoadOwn(new ReadOnlySpan<byte>(state, 0, OwnSize));
        }

        public ulong Checksum() => Fix.Hash64(SaveState());

        public void Dispose() => World.Dispose();
    }
}
