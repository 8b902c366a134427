using System;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;

namespace Fixsync
{
    /// <summary>The parts and attacks of one kind of fighter: a table that `fixsync frame-data` writes.
    /// It never changes; any number of bodies may share it.</summary>
    public sealed unsafe class FrameData
    {
        internal readonly byte[] Table;

        /// <summary>The table of its bytes.</summary>
        /// <exception cref="System.IO.InvalidDataException">They are not frame data.</exception>
        public FrameData(ReadOnlySpan<byte> bytes)
        {
            Native.Check();
            ulong at = 0;
            int status;
            fixed (byte* from = &Pin<byte>.First(bytes))
                status = Native.fxs_frame_data_check(from, (ulong)bytes.Length, &at);
            if (status < 0)
                throw Errors.Bytes("data is not a table of frame data", at);
            Table = bytes.ToArray();
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
            Act(world, rows, null, (body, table, at, argument, to) =>
                Native.fxs_body_remove(body, table, at, to));

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
            Act(world, rows, &pose, (body, table, at, argument, to) =>
                Native.fxs_body_set_pose(body, table, at, (Pose*)argument, to));

        /// <summary>Turns it to its local +x (false) or -x by mirroring: for side views.</summary>
        public void Mirror(World world, bool mirrored, [AllowNull] Rows<Command> rows = null)
        {
            Errors.NotNull(world, nameof(world));
            uint number = mirrored ? 1u : 0;
            Act(world, rows, &number, (body, table, at, argument, to) =>
                Native.fxs_body_mirror(body, table, at, *(uint*)argument, to));
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
            Act(world, rows, &attack, (body, table, at, argument, to) =>
                Native.fxs_body_start(body, table, at, *(uint*)argument, to));
        }

        /// <summary>Moves the attack under way to its next frame, or ends it: once a frame, after
        /// the step.</summary>
        public void Tick(World world, [AllowNull] Rows<Command> rows = null) =>
            Act(world, rows, null, (body, table, at, argument, to) =>
                Native.fxs_body_tick(body, table, at, to));

        /// <summary>Ends the attack under way, if there is one.</summary>
        public void Cancel(World world, [AllowNull] Rows<Command> rows = null) =>
            Act(world, rows, null, (body, table, at, argument, to) =>
                Native.fxs_body_cancel(body, table, at, to));

        /// <summary>The collider of a part.</summary>
        public uint Id(int part)
        {
            if (part < 0 || part >= frameData.Parts)
                throw Errors.Range(nameof(part), part, 0, frameData.Parts - 1);
            fixed (RawBody* body = &raw)
                return body->ids[part];
        }

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

        /// <summary>Its state, but for the ids.</summary>
        public byte[] Save()
        {
            fixed (RawBody* body = &raw)
            {
                var bytes = new byte[Native.fxs_body_save_size(body)];
                fixed (byte* to = bytes)
                    Native.fxs_body_save(body, to);
                return bytes;
            }
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
                throw Errors.Bytes("data is not a state of this body", at);
        }
    }
}
