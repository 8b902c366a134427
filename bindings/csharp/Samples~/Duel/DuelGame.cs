using System;
using System.Runtime.InteropServices;
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

    /// <summary>Two fighters in a walled arena, who walk, slash and dash. It knows no engine: a
    /// frame is a function of the state and the inputs.</summary>
    public sealed class DuelGame : IGame, IDisposable
    {
        public const int Players = 2;
        public const int Ko = Native.FXS_GAME_EVENT; // kind of the game's own event
        public const int Health = 30;

        private static readonly int Speed = Fix.Q("0.09375"), DashSpeed = Fix.Q("0.375");
        private static readonly Layers Layers = new Layers("body", "wall", "attack")
            .Meet("body", "attack");

        private readonly Body[] fighters = new Body[Players];
        private readonly int[] health = { Health, Health }, falls = new int[Players];
        private readonly Rows<CastHit> hits = new Rows<CastHit>();
        private readonly uint walls = Layers.Mask("wall");
        private readonly int slash, dash;

        public World World { get; }

        public DuelGame(Level level, FrameData frames)
        {
            World = new World(16, Layers, level: level);
            slash = frames.Attack("slash");
            dash = frames.Attack("dash");
            for (int i = 0; i < Players; i++)
            {
                var ids = new uint[frames.Parts];
                for (int part = 0; part < ids.Length; part++)
                    ids[part] = (uint)(ids.Length * i + part);
                fighters[i] = new Body(World, frames, ids, (uint)i + 1, StartOf(i));
            }
        }

        private static Pose StartOf(int player) =>
            new Pose(Fix.Units(player == 0 ? 7 : 13, 1, -7), player == 0 ? 0 : Native.FXS_TURN / 2);

        public int FallsOf(int player) => falls[player];

        public Pose PoseOf(int player) => fighters[player].Pose(World);

        public void State(OwnState own)
        {
            own.Field("health", health);
            own.Field("falls", falls);
            own.Field("fighters", fighters);
        }

        public void Play(ReadOnlySpan<long> inputs, PlayedFrame frame)
        {
            for (int i = 0; i < Players; i++)
                Act(i, (Keys)inputs[i], frame.Commands);
            World.Step(frame.Events);
            frame.Hash = World.Hash();
            int before = frame.Commands.Count, found = frame.Events.Count;
            for (int i = 0; i < found; i++)
                React(frame.Events[i], frame);
            foreach (Body fighter in fighters)
                fighter.Tick(World, frame.Commands);
            frame.Reactions = frame.Commands.Count - before;
            frame.Shown = Fix.Hash64(MemoryMarshal.AsBytes(health.AsSpan()));
        }

        private void Act(int player, Keys keys, Rows<Command> commands)
        {
            Body fighter = fighters[player];
            if ((keys & Keys.Slash) != 0 && fighter.CanStart(slash))
                fighter.Start(World, slash, commands);
            else if ((keys & Keys.Dash) != 0 && fighter.CanStart(dash))
                fighter.Start(World, dash, commands);
            Pose pose = fighter.Pose(World);
            if (fighter.Attack == dash)
                Go(fighter, pose, Fix.Forward(pose.Yaw, DashSpeed), commands);
            else
                Walk(fighter, pose, keys, commands);
        }

        private void Walk(Body fighter, Pose pose, Keys keys, Rows<Command> commands)
        {
            var direction = new Vec3(
                ((keys & Keys.Right) != 0 ? 1 : 0) - ((keys & Keys.Left) != 0 ? 1 : 0), 0,
                ((keys & Keys.Up) != 0 ? 1 : 0) - ((keys & Keys.Down) != 0 ? 1 : 0));
            if (direction == Vec3.Zero)
                return;
            Vec3 motion = Fix.WithLength(direction, Speed);
            int yaw = fighter.Attack < 0 ? Fix.YawOf(Vec3.Zero, motion) : pose.Yaw;
            Go(fighter, new Pose(pose.Position, yaw), motion, commands);
        }

        /// <summary>Moves a fighter; walls stop it: a cast of its own shape says where.</summary>
        private void Go(Body fighter, Pose pose, Vec3 motion, Rows<Command> commands)
        {
            Collider body = World[fighter.Id(0)];
            World.Cast(
                new Cast(body.Shape, body.Pose, motion, walls, limit: 1,
                    hitWhen: Contact.Overlapping), hits);
            if (hits.Count > 0)
                motion = Fix.Along(motion, hits[0].Fraction, hits[0].Normal);
            fighter.SetPose(World, new Pose(pose.Position + motion, pose.Yaw), commands);
        }

        /// <summary>A slash that meets a body hurts it once.</summary>
        private void React(Event hit, PlayedFrame frame)
        {
            if (hit.Kind == EventKind.Exit || hit.B >= Level.FirstId)
                return; // a zone of the map hurts nobody
            Collider a = World[hit.A], b = World[hit.B];
            int attacker = (int)(a.Layer == Layers["attack"] ? a.Owner : b.Owner) - 1;
            int victim = 1 - attacker;
            if (!fighters[attacker].Strike((uint)victim))
                return;
            health[victim] -= 10;
            if (health[victim] > 0)
                return;
            health[victim] = Health;
            falls[victim]++;
            frame.Events.Add(Event.OfGame((uint)attacker, (uint)victim, Ko, falls[victim]));
            fighters[victim].Cancel(World, frame.Commands);
            fighters[victim].SetPose(World, StartOf(victim), frame.Commands);
        }

        public void Dispose() => World.Dispose();
    }
}
