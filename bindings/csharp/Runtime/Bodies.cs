using System;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using System.Text;

namespace Fixsync
{
    /// <summary>The parts and attacks of one kind of fighter: a JSON file (docs/frames.md), or the
    /// table that `fixsync frame-data` writes of it. It never changes; any number of bodies may share
    /// it.</summary>
    public sealed unsafe class FrameData
    {
        internal readonly byte[] Table;
        private readonly string[] names;

        /// <summary>The table of its bytes, which has no names.</summary>
        /// <exception cref="System.IO.InvalidDataException">They are not frame data.</exception>
        public FrameData(ReadOnlySpan<byte> bytes)
            : this(bytes, null)
        {
        }

        private FrameData(ReadOnlySpan<byte> bytes, string[] names)
        {
            this.names = names;
            Native.Check();
            ulong at = 0;
            int status;
            fixed (byte* from = &Pin<byte>.First(bytes))
                status = Native.fxs_frame_data_check(from, (ulong)bytes.Length, &at);
            if (status < 0)
                throw Errors.Bytes("data is not a table of frame data", at, bytes.Length);
            Table = bytes.ToArray();
        }

        /// <summary>The parts and attacks of a JSON file, with their names.</summary>
        /// <exception cref="System.IO.InvalidDataException">The place in the file, its value and
        /// what is allowed.</exception>
        public static FrameData FromJson(string json)
        {
            Errors.NotNull(json, nameof(json));
            return FromJson(Encoding.UTF8.GetBytes(json));
        }

        /// <summary>The same of a file's bytes.</summary>
        /// <exception cref="System.IO.InvalidDataException">The place in the file, its value and
        /// what is allowed.</exception>
        public static FrameData FromJson(ReadOnlySpan<byte> json)
        {
            Native.Check();
            if (json.StartsWith(new byte[] { 0xef, 0xbb, 0xbf }))
                json = json.Slice(3); // the byte order mark of editors
            long room = 4L * json.Length + Native.FXS_FRAME_DATA_MESSAGE_MAX;
            if (room > int.MaxValue)
                throw Errors.Range("bytes of json", json.Length, 0, int.MaxValue / 4 - 128);
            var bytes = new byte[room];
            ulong table, names;
            int status;
            fixed (byte* from = &Pin<byte>.First(json), to = bytes)
                status = Native.fxs_frame_data_read(
                    from, (ulong)json.Length, to, (ulong)room, &table, &names);
            if (status < 0)
                throw new System.IO.InvalidDataException(
                    Encoding.UTF8.GetString(bytes, 0, (int)table));
            string text = Encoding.UTF8.GetString(bytes, (int)table, (int)names);
            return new FrameData(
                new ReadOnlySpan<byte>(bytes, 0, (int)table),
                text.Substring(0, text.Length - 1).Split('\0'));
        }

        /// <summary>The table, as `fixsync frame-data` writes it.</summary>
        public byte[] ToBytes() => (byte[])Table.Clone();

        /// <summary>The index of a part.</summary>
        /// <exception cref="KeyNotFoundException">No part has this name.</exception>
        public int Part(string name) => Index("part", name, 0, Parts);

        /// <summary>The index of an attack.</summary>
        /// <exception cref="KeyNotFoundException">No attack has this name.</exception>
        public int Attack(string name) => Index("attack", name, Parts, Attacks);

        /// <summary>The name of a part.</summary>
        public string PartName(int part) =>
            Errors.Outside(nameof(part), part, 0, Parts - 1) is Exception wrong
                ? throw wrong : Named("part")[part];

        /// <summary>The name of an attack.</summary>
        public string AttackName(int attack) =>
            Errors.Outside(nameof(attack), attack, 0, Attacks - 1) is Exception wrong
                ? throw wrong : Named("attack")[Parts + attack];

        private string[] Named(string what) => names ?? throw new InvalidOperationException(
            $"a table has no names: give the number of the {what}, or read the file of frame data " +
            "with FrameData.FromJson");

        private int Index(string what, string name, int first, int count)
        {
            Errors.NotNull(name, nameof(name));
            int index = Array.IndexOf(Named(what), name, first, count) - first;
            return index >= 0 ? index : throw new KeyNotFoundException(
                $"no {what} \"{name}\": they are {string.Join(", ", names, first, count)}");
        }

        private int Number(int at) =>
            Table[at] | Table[at + 1] << 8 | Table[at + 2] << 16 | Table[at + 3] << 24;

        /// <summary>Number of parts.</summary>
        public int Parts => Number(4);

        /// <summary>Number of attacks.</summary>
        public int Attacks => Number(8);
    }

    /// <summary>Several colliders of one owner that move, turn, mirror and attack together. Calls
    /// that change the world add its commands to `rows`, for a history or a recorder; null leaves
    /// them out. One thread may use a body at a time.</summary>
    public sealed unsafe class Body
    {
        [ThreadStatic]
        private static Command[] scratch;

        [ThreadStatic]
        private static RawBody[] marked;

        private readonly FrameData frameData;
        private RawBody raw;

        /// <summary>Makes a body and adds its parts to the world. ids: one for each part. owner: of
        /// all parts; not 0, or they hit each other.</summary>
        public Body(
            World world, FrameData frameData, ReadOnlySpan<uint> ids, uint owner, Pose pose,
            bool mirrored = false, [AllowNull] Rows<Command> rows = null)
        {
            Errors.NotNull(world, nameof(world));
            Errors.NotNull(frameData, nameof(frameData));
            if (ids.Length != frameData.Parts)
                throw Errors.Length(nameof(ids), ids.Length, frameData.Parts);
            this.frameData = frameData;
            int answer;
            fixed (uint* from = &Pin<uint>.First(ids))
            fixed (RawBody* body = &raw)
            fixed (byte* table = frameData.Table)
            fixed (Command* to = Scratch)
            using (var use = world.Enter())
                answer = Native.fxs_body_add(
                    body, table, use.At, from, owner, &pose, mirrored ? 1u : 0, to);
            Keep(world, answer, rows);
        }

        private static Command[] Scratch =>
            scratch ?? (scratch = new Command[Native.FXS_BODY_ROWS]);

        private delegate int Call(
            RawBody* body, byte* table, IntPtr world, void* argument, Command* rows);

        // Made with the first body: a cached lambda would be made in the frame that first calls it.
        private static readonly Call Removes = (body, table, at, argument, to) =>
            Native.fxs_body_remove(body, table, at, to);

        private static readonly Call Poses = (body, table, at, argument, to) =>
            Native.fxs_body_set_pose(body, table, at, (Pose*)argument, to);

        private static readonly Call Mirrors = (body, table, at, argument, to) =>
            Native.fxs_body_mirror(body, table, at, *(uint*)argument, to);

        private static readonly Call Starts = (body, table, at, argument, to) =>
            Native.fxs_body_start(body, table, at, *(uint*)argument, to);

        private static readonly Call Ticks = (body, table, at, argument, to) =>
            Native.fxs_body_tick(body, table, at, to);

        private static readonly Call Cancels = (body, table, at, argument, to) =>
            Native.fxs_body_cancel(body, table, at, to);

        private void Act(World world, Rows<Command> rows, void* argument, Call call)
        {
            Errors.NotNull(world, nameof(world));
            int answer;
            fixed (RawBody* body = &raw)
            fixed (byte* table = frameData.Table)
            fixed (Command* to = Scratch)
            using (var use = world.Enter())
                answer = call(body, table, use.At, argument, to);
            Keep(world, answer, rows);
        }

        private static void Keep(World world, int answer, Rows<Command> rows)
        {
            if (answer < 0)
                throw world.Refuse(answer, scratch[0].Collider.Id);
            for (int i = 0; rows != null && i < answer; i++)
                rows.Add(scratch[i]);
        }

        /// <summary>Removes the parts from the world; their hits end at the next step.</summary>
        public void Remove(World world, [AllowNull] Rows<Command> rows = null) =>
            Act(world, rows, null, Removes);

        /// <summary>Where it is.</summary>
        public Pose Pose(World world)
        {
            Errors.NotNull(world, nameof(world));
            Pose found;
            int status;
            fixed (RawBody* body = &raw)
            fixed (byte* table = frameData.Table)
            using (var use = world.Enter())
                status = Native.fxs_body_pose(body, table, use.At, &found);
            return status < 0 ? throw world.Refuse(status, Id(0)) : found;
        }

        /// <summary>Moves and turns all parts.</summary>
        public void SetPose(World world, Pose pose, [AllowNull] Rows<Command> rows = null) =>
            Act(world, rows, &pose, Poses);

        /// <summary>Turns it to its local +x (false) or -x by mirroring: for side views.</summary>
        public void Mirror(World world, bool mirrored, [AllowNull] Rows<Command> rows = null)
        {
            Errors.NotNull(world, nameof(world));
            uint number = mirrored ? 1u : 0;
            Act(world, rows, &number, Mirrors);
        }

        private void CheckAttack(int attack)
        {
            if (attack < 0 || attack >= frameData.Attacks)
                throw Errors.Range(nameof(attack), attack, 0, frameData.Attacks - 1);
        }

        /// <summary>Whether an attack may begin now: none is under way, or the one under way has a
        /// cancel into it.</summary>
        public bool CanStart(int attack)
        {
            CheckAttack(attack);
            fixed (RawBody* body = &raw)
            fixed (byte* table = frameData.Table)
                return Native.fxs_body_can_start(body, table, (uint)attack) == 1;
        }

        /// <summary>Begins an attack with its frame 0; one that is under way is cancelled first.
        /// attack: from 0, in the order that `fixsync frame-data` prints.</summary>
        public void Start(World world, int attack, [AllowNull] Rows<Command> rows = null)
        {
            Errors.NotNull(world, nameof(world));
            CheckAttack(attack);
            Act(world, rows, &attack, Starts);
        }

        /// <summary>Begins an attack by its name.</summary>
        public void Start(World world, string attack, [AllowNull] Rows<Command> rows = null) =>
            Start(world, frameData.Attack(attack), rows);

        /// <summary>Whether an attack may begin now, by its name.</summary>
        public bool CanStart(string attack) => CanStart(frameData.Attack(attack));

        /// <summary>Moves the attack under way to its next frame, or ends it: once a frame, after
        /// the step.</summary>
        public void Tick(World world, [AllowNull] Rows<Command> rows = null) =>
            Act(world, rows, null, Ticks);

        /// <summary>Ends the attack under way, if there is one.</summary>
        public void Cancel(World world, [AllowNull] Rows<Command> rows = null) =>
            Act(world, rows, null, Cancels);

        /// <summary>The collider of a part.</summary>
        public uint Id(int part)
        {
            if (part < 0 || part >= frameData.Parts)
                throw Errors.Range(nameof(part), part, 0, frameData.Parts - 1);
            fixed (RawBody* body = &raw)
                return body->ids[part];
        }

        /// <summary>The collider of a part, by its name.</summary>
        public uint Id(string part) => Id(frameData.Part(part));

        /// <summary>The name of the part that a collider is, or null.</summary>
        [return: MaybeNull]
        public string PartOf(uint id)
        {
            for (int part = 0; part < frameData.Parts; part++)
                if (Id(part) == id)
                    return frameData.PartName(part);
            return null;
        }

        /// <summary>Its parts and attacks.</summary>
        public FrameData FrameData => frameData;

        /// <summary>The name of the attack under way, or null.</summary>
        [MaybeNull]
        public string AttackName => Attack < 0 ? null : frameData.AttackName(Attack);

        /// <summary>The attack under way, or -1.</summary>
        public int Attack => unchecked((int)raw.attack);

        /// <summary>The frame of the attack under way, from 0.</summary>
        public int AttackFrame => (int)raw.frame;

        /// <summary>Whether the attack under way has met a victim.</summary>
        public bool HasHit => raw.has_hit == 1;

        /// <summary>Whether it faces its local -x.</summary>
        public bool IsMirrored => raw.is_mirrored == 1;

        /// <summary>The phase of the attack under way.</summary>
        public Phase Phase
        {
            get
            {
                fixed (RawBody* body = &raw)
                fixed (byte* table = frameData.Table)
                    return (Phase)Native.fxs_body_phase(body, table);
            }
        }

        /// <summary>Which hit of the attack is under way, from 0.</summary>
        public int Hit
        {
            get
            {
                fixed (RawBody* body = &raw)
                fixed (byte* table = frameData.Table)
                    return (int)Native.fxs_body_hit(body, table);
            }
        }

        /// <summary>Whether the hit under way strikes a victim, any number, for the first time: one
        /// swing hurts once.</summary>
        public bool Strike(uint victim)
        {
            int answer;
            fixed (RawBody* body = &raw)
                answer = Native.fxs_body_strike(body, victim);
            return answer < 0
                ? throw new InvalidOperationException(
                    $"a hit remembers at most {Native.FXS_VICTIMS_MAX} victims")
                : answer == 1;
        }

        /// <summary>The new strikes of a frame: each attacker and victim once, with the best part,
        /// by their indices in `bodies`. events: of the last step. bodies: all that may attack or
        /// be struck, none twice. mask: the layers on which a part is struck; a part on one of them
        /// does not strike. Each attack remembers the owners of its victims, as Strike does:
        /// at most 64 a hit; with more nobody is struck.</summary>
        public static void Strikes(
            World world, ReadOnlySpan<Event> events, IReadOnlyList<Body> bodies, uint mask,
            Rows<Strike> strikes)
        {
            Errors.NotNull(world, nameof(world));
            Errors.NotNull(bodies, nameof(bodies));
            Errors.NotNull(strikes, nameof(strikes));
            int count = bodies.Count;
            for (int i = 0; i < count; i++)
            {
                if (bodies[i] == null)
                    throw new ArgumentNullException($"bodies[{i}]");
                for (int other = 0; other < i; other++)
                    if (bodies[i] == bodies[other])
                        throw new ArgumentException(
                            $"bodies[{i}] must be there once: it is bodies[{other}] too",
                            nameof(bodies));
            }

            if (marked == null || marked.Length < count)
                marked = new RawBody[Math.Max(8, 2 * count)];
            for (int i = 0; i < count; i++)
                marked[i] = bodies[i].raw;
            strikes.Reserve((ulong)events.Length);
            strikes.Count = 0;
            int answer;
            fixed (Event* from = &Pin<Event>.First(events))
            fixed (RawBody* states = marked)
            fixed (Strike* to = strikes.Room)
            using (var use = world.Enter())
                answer = Native.fxs_strikes(
                    use.At, from, (ulong)events.Length, mask, states, (ulong)count, to);
            if (answer < 0)
                throw new InvalidOperationException(
                    $"a hit remembers at most {Native.FXS_VICTIMS_MAX} victims");
            for (int i = 0; i < count; i++)
                bodies[i].raw = marked[i];
            strikes.Count = answer;
        }

        /// <summary>The most bytes that Save writes.</summary>
        public const int SaveSizeMax = 24 + 4 * Native.FXS_VICTIMS_MAX;

        /// <summary>Number of bytes that Save writes now.</summary>
        public int SaveSize
        {
            get
            {
                fixed (RawBody* body = &raw)
                    return (int)Native.fxs_body_save_size(body);
            }
        }

        /// <summary>Its state, but for the ids.</summary>
        public byte[] Save()
        {
            var bytes = new byte[SaveSize];
            Save(bytes);
            return bytes;
        }

        /// <summary>Writes its state, but for the ids. Returns how many bytes that are.</summary>
        public int Save(Span<byte> to)
        {
            int size = SaveSize;
            if (to.Length < size)
                throw new ArgumentException(
                    $"length of {nameof(to)} must be {size} or more, not {to.Length}", nameof(to));
            fixed (RawBody* body = &raw)
            fixed (byte* bytes = &Pin<byte>.First(to))
                Native.fxs_body_save(body, bytes);
            return size;
        }

        /// <summary>XXH64 of the bytes that Save returns.</summary>
        public ulong Hash()
        {
            fixed (RawBody* body = &raw)
                return Native.fxs_body_hash(body);
        }

        /// <summary>Replaces all but the ids by a saved state; load the world's with it.</summary>
        public void Load(ReadOnlySpan<byte> bytes)
        {
            int status;
            ulong at = 0;
            fixed (RawBody* body = &raw)
            fixed (byte* table = frameData.Table)
            fixed (byte* from = &Pin<byte>.First(bytes))
                status = Native.fxs_body_load(body, table, from, (ulong)bytes.Length, &at);
            if (status < 0)
                throw Errors.Bytes("data is not a state of this body", at, bytes.Length);
        }
    }
}
