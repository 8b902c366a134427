using System;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;

namespace Fixsync
{
    /// <summary>The states of a world at its last frames, each with bytes of the game's own: for
    /// rollback, and for a server that looks into the past.</summary>
    public sealed unsafe class Rewind : NativeObject
    {
        private readonly int frames, ownSize;

        /// <summary>An empty ring of a number of frames. ownSize: bytes of the game's own.
        /// stateSize: the largest state that there is room for to begin with; it grows.</summary>
        public Rewind(int frames, int ownSize = 0, long stateSize = 1024)
        {
            ulong size = frames < 1 || ownSize < 0 || stateSize < 0
                ? 0 : Native.fxs_rewind_size((uint)frames, (ulong)ownSize, (ulong)stateSize);
            if (size == 0)
                throw Errors.Outside(nameof(frames), frames, 1, int.MaxValue)
                    ?? Errors.Outside(nameof(ownSize), ownSize, 0, int.MaxValue)
                    ?? Errors.Range(nameof(stateSize), stateSize, 0, Native.FXS_MEMORY_MAX / frames);
            IntPtr memory = Allocate(size);
            Replace(memory, size);
            this.frames = frames;
            this.ownSize = ownSize;
            World.Must(
                Native.fxs_rewind_init(memory, (uint)frames, (ulong)ownSize, (ulong)stateSize),
                "rewind");
        }

        /// <summary>Keeps a world as it is, under its frame, and the game's own bytes. Later frames
        /// are dropped.</summary>
        public void Push(World world, ReadOnlySpan<byte> own = default(ReadOnlySpan<byte>))
        {
            Errors.NotNull(world, nameof(world));
            if (own.Length != ownSize)
                throw Errors.Length(nameof(own), own.Length, ownSize);
            int status = TryPush(world, own);
            if (status == Native.FXS_E_ROOM)
            {
                Grow(world);
                status = TryPush(world, own);
            }

            if (status < 0)
                throw Errors.Refused(status, $"frame {world.Frame}");
        }

        private int TryPush(World world, ReadOnlySpan<byte> own)
        {
            fixed (byte* from = &Pin<byte>.First(own))
            using (var use = Enter())
            using (var at = world.Enter())
                return Native.fxs_rewind_push(use.At, at.At, from);
        }

        private void Grow(World world)
        {
            var larger = new Rewind(frames, ownSize, 2 * world.SaveSize);
            var own = new byte[ownSize];
            using (World past = world.Copy())
            {
                for (int i = 0, count = Count; i < count; i++)
                {
                    Load(Oldest + (uint)i, past, own);
                    larger.Push(past, own);
                }
            }

            using (Enter())
                TakeFrom(larger);
        }

        /// <summary>Loads the state of a frame into a world of the same capacity, and the game's
        /// own bytes.</summary>
        /// <exception cref="KeyNotFoundException">The frame is not kept.</exception>
        public void Load(uint frame, World world, Span<byte> own = default(Span<byte>))
        {
            Errors.NotNull(world, nameof(world));
            if (own.Length != ownSize)
                throw Errors.Length(nameof(own), own.Length, ownSize);
            int status;
            ulong size = 0, bad = 0;
            fixed (byte* to = &Pin<byte>.First(own))
            using (var use = Enter())
            using (var at = world.Enter())
            {
                if (Native.fxs_rewind_state(use.At, frame, &size) == null)
                    throw new KeyNotFoundException($"frame {frame} is not kept");
                world.Reserve(at.At, size);
                status = Native.fxs_rewind_load(use.At, frame, at.At, to, &bad);
            }

            if (status < 0)
                throw Errors.Bytes(
                    $"the state of frame {frame} is not one that this world can hold", bad, 1);
        }

        /// <summary>A copy of the kept state of a frame, or null.</summary>
        [return: MaybeNull]
        public byte[] State(uint frame)
        {
            using (var use = Enter())
                return Copied(use.At, frame);
        }

        internal static byte[] Copied(IntPtr ring, uint frame)
        {
            ulong size;
            byte* from = Native.fxs_rewind_state(ring, frame, &size);
            return from == null ? null : new ReadOnlySpan<byte>(from, (int)size).ToArray();
        }

        /// <summary>Number of frames that are kept.</summary>
        public int Count => (int)Read(at => Native.fxs_rewind_count(at));

        /// <summary>The oldest frame that is kept.</summary>
        /// <exception cref="InvalidOperationException">No frame is kept.</exception>
        public uint Oldest
        {
            get
            {
                using (var use = Enter())
                {
                    if (Native.fxs_rewind_count(use.At) == 0)
                        throw new InvalidOperationException("no frame is kept");
                    return Native.fxs_rewind_oldest(use.At);
                }
            }
        }
    }

    /// <summary>The inputs of all players of a game that rolls back: those that came, and those
    /// that were predicted.</summary>
    public sealed unsafe class Inputs : NativeObject
    {
        /// <summary>Number of players.</summary>
        public int Players { get; }

        /// <summary>window: frames that there may be from the first with an unknown or wrongly
        /// predicted input. frame: the first that is stepped.</summary>
        public Inputs(int players, int window, uint frame = 0)
        {
            ulong size = players < 1 || window < 1
                ? 0 : Native.fxs_inputs_size((uint)players, (uint)window);
            if (size == 0)
                throw Errors.Outside(nameof(players), players, 1, Native.FXS_INPUT_PLAYERS_MAX)
                    ?? Errors.Range(nameof(window), window, 1, Native.FXS_INPUT_FRAMES_MAX);
            IntPtr memory = Allocate(size);
            Replace(memory, size);
            Players = players;
            World.Must(
                Native.fxs_inputs_init(memory, (uint)players, (uint)window, frame), "inputs");
        }

        /// <summary>Adds the input of a player for a frame, in any order. False for a frame after
        /// the window: it must come again later.</summary>
        /// <exception cref="ArgumentException">Another value than before.</exception>
        public bool Put(int player, uint frame, long value)
        {
            int status;
            using (var use = Enter())
                status = Native.fxs_inputs_put(use.At, (uint)player, frame, value);
            if (status == Native.FXS_E_RANGE)
                return false;
            if (status == Native.FXS_E_ID)
                throw Errors.Range(nameof(player), player, 0, Players - 1);
            if (status < 0)
                throw new ArgumentException(
                    $"input {value} of player {player} for frame {frame} is not the one that came" +
                    " before");
            return true;
        }

        /// <summary>The inputs to step a frame with, one a player. Take each frame in order; an
        /// earlier one may be taken again.</summary>
        public void Take(uint frame, Span<long> values)
        {
            if (values.Length != Players)
                throw Errors.Length(nameof(values), values.Length, Players);
            int status;
            fixed (long* to = &Pin<long>.First(values))
            using (var use = Enter())
                status = Native.fxs_inputs_take(use.At, frame, to);
            if (status < 0)
                throw new ArgumentException(
                    $"frame {frame} is after the next to take, or outside the window",
                    nameof(frame));
        }

        /// <summary>The first frame that was stepped on a wrong prediction; without one, the next
        /// to take.</summary>
        public uint Redo => Read(at => Native.fxs_inputs_redo(at));

        /// <summary>The first frame for which an input is not known: all before it are final.
        /// </summary>
        public uint Confirmed => Read(at => Native.fxs_inputs_confirmed(at));
    }

    /// <summary>A confirmed frame: scores, sounds, the match log. It is used again by the next
    /// confirm.</summary>
    public sealed class ConfirmedFrame
    {
        /// <summary>Its number.</summary>
        public uint Frame { get; internal set; }

        /// <summary>Of the world right after its step.</summary>
        public ulong Hash { get; internal set; }

        /// <summary>Of a Rollback: the hash of the world after the frame, reactions included, as a
        /// log with a sim has it.</summary>
        public ulong WorldHash { get; internal set; }

        /// <summary>Of a Rollback: the hash of the world and the own bytes then.</summary>
        public ulong State { get; internal set; }

        /// <summary>As the world took them.</summary>
        public Rows<Command> Commands { get; } = new Rows<Command>();

        /// <summary>Of the step, then the game's own.</summary>
        public Rows<Event> Events { get; } = new Rows<Event>();
    }

    /// <summary>The frames that are not confirmed: their states, commands and events. It says which
    /// events a prediction made and which it took back, and gives each frame once when it is final.
    /// </summary>
    public sealed unsafe class History : NativeObject
    {
        private const int OwnMaxMax = 1 << 30; // as in the package for the web
        private const int LengthBytes = 8; // before the game's own bytes: how many there are

        private readonly int ownMin, ownMax;
        private readonly byte[] kept; // the number of the game's own bytes, and they
        private HistoryRoom room;

        /// <summary>Begins before the next frame of a world. window: frames that may be
        /// unconfirmed. own: the game's own state as bytes. past: states to keep of frames before
        /// those. ownMax: the most bytes of own; without it, they are always as many.</summary>
        public History(
            World world, int window, ReadOnlySpan<byte> own = default(ReadOnlySpan<byte>),
            int past = 0, int? ownMax = null)
        {
            Errors.NotNull(world, nameof(world));
            if (window < 1)
                throw Errors.Range(nameof(window), window, 1, int.MaxValue);
            if (past < 0)
                throw Errors.Range(nameof(past), past, 0, int.MaxValue);
            if (ownMax.HasValue && (ownMax < 0 || ownMax > OwnMaxMax))
                throw Errors.Range(nameof(ownMax), ownMax.Value, 0, OwnMaxMax);
            ownMin = ownMax.HasValue ? 0 : own.Length;
            this.ownMax = ownMax ?? own.Length;
            kept = new byte[LengthBytes + this.ownMax];
            Keep(own);
            room = new HistoryRoom(
                (ulong)kept.Length, 2 * (ulong)world.SaveSize, 64, 64, (uint)window, (uint)past);
            IntPtr memory = Memory(room, out ulong size);
            Replace(memory, size);
            int status;
            HistoryRoom copy = room;
            fixed (byte* from = kept)
            using (var at = world.Enter())
                status = Native.fxs_history_init(memory, &copy, at.At, from);
            World.Must(status, "history");
        }

        private static IntPtr Memory(HistoryRoom room, out ulong size)
        {
            size = Native.fxs_history_size(&room);
            if (size == 0)
                throw new OutOfMemoryException($"a history has at most {Native.FXS_MEMORY_MAX} bytes");
            return Allocate(size);
        }

        private void Check(int length, int least)
        {
            if (length < least || length > ownMax)
                throw least == ownMax
                    ? Errors.Length("own", length, ownMax)
                    : Errors.Range("length of own", length, least, ownMax);
        }

        private void Keep(ReadOnlySpan<byte> own)
        {
            Check(own.Length, ownMin);
            for (int i = 0; i < LengthBytes; i++)
                kept[i] = (byte)((long)own.Length >> (8 * i));
            own.CopyTo(new Span<byte>(kept, LengthBytes, own.Length));
        }

        /// <summary>More room. The caller has entered.</summary>
        private void Grow(IntPtr from, ulong state, ulong commands, ulong events)
        {
            var larger = new HistoryRoom(
                room.OwnSize, Math.Max(room.StateSize, 2 * state),
                Math.Max(room.CommandRoom, 2 * commands), Math.Max(room.EventRoom, 2 * events),
                room.Window, room.Past);
            IntPtr memory = Memory(larger, out ulong size);
            HistoryRoom copy = larger;
            World.Must(Native.fxs_history_grow(memory, &copy, from), "history");
            Replace(memory, size);
            room = larger;
        }

        /// <summary>Keeps the frame that was just stepped, with the state after it.</summary>
        /// <param name="world">Right after the step, or after reactions to its events.</param>
        /// <param name="own">The game's own state.</param>
        /// <param name="isFinal">Whether all inputs of this frame are known.</param>
        /// <param name="commands">Those since the last push, the reactions last.</param>
        /// <param name="events">Of the step, then the game's own.</param>
        /// <param name="takenBack">Becomes the events of a wrong prediction: stop their effects.
        /// </param>
        /// <param name="predicted">Becomes the new events: begin their effects. Each is confirmed,
        /// or taken back, later.</param>
        /// <param name="reactions">How many commands came after the step.</param>
        /// <param name="hash">Of the world right after the step; null if it has not changed since.
        /// </param>
        public void Push(
            World world, ReadOnlySpan<byte> own, bool isFinal, ReadOnlySpan<Command> commands,
            ReadOnlySpan<Event> events, Rows<Event> takenBack, Rows<Event> predicted,
            int reactions = 0, ulong? hash = null)
        {
            Errors.NotNull(world, nameof(world));
            Errors.NotNull(takenBack, nameof(takenBack));
            Errors.NotNull(predicted, nameof(predicted));
            if (takenBack == predicted)
                throw new ArgumentException("takenBack and predicted must be two lists", "predicted");
            Check(own.Length, ownMin);
            var pushed = new RawPushed
            {
                hash = hash.GetValueOrDefault(),
                command_count = (ulong)commands.Length,
                reaction_count = (ulong)reactions,
                event_count = (ulong)events.Length,
                is_final = isFinal ? 1u : 0,
                has_hash = hash.HasValue ? 1u : 0,
            };
            EventChanges changes = default(EventChanges);
            int status = Native.FXS_E_ROOM;
            using (var use = Enter())
            using (var at = world.Enter())
            fixed (byte* from = kept)
            fixed (Command* rows = &Pin<Command>.First(commands))
            fixed (Event* stepped = &Pin<Event>.First(events))
            {
                Keep(own);
                for (int tries = 0; status == Native.FXS_E_ROOM && tries < 2; tries++)
                {
                    if (tries == 1)
                        Grow(use.At, Native.fxs_world_save_size(at.At), (ulong)commands.Length,
                            (ulong)events.Length);
                    takenBack.Reserve(room.EventRoom);
                    predicted.Reserve(room.EventRoom);
                    fixed (Event* toTakenBack = takenBack.Room, toPredicted = predicted.Room)
                        status = Native.fxs_history_push(
                            use.At, at.At, from, &pushed, rows, stepped, toTakenBack,
                            toPredicted, &changes);
                }
            }

            takenBack.Grows(status, changes.TakenBack);
            predicted.Grows(status, changes.Predicted);
            if (status < 0)
                throw Refuse(status, world.Frame, reactions, commands.Length);
        }

        private Exception Refuse(int status, uint stepped, int reactions, int commands)
        {
            if (status == Native.FXS_E_ORDER && stepped != Head + 1)
                return new InvalidOperationException(
                    $"push must follow the step of frame {Head}: the world is at frame {stepped}");
            if (status == Native.FXS_E_ORDER)
                return new InvalidOperationException(
                    $"frame {Head} has no room: {room.Window} frames are not confirmed; Settle, " +
                    "then Confirm frames whose inputs are known");
            return Errors.Outside(nameof(reactions), reactions, 0, commands) ?? Errors.Refused(
                status, $"frame {Head}: events must be those of the step, then the game's own");
        }

        /// <summary>Makes all frames before a frame final: they were stepped on the real inputs.
        /// </summary>
        public void Settle(uint frame)
        {
            int status;
            using (var use = Enter())
                status = Native.fxs_history_settle(use.At, frame);
            if (status < 0)
                throw Errors.Range(nameof(frame), frame, First, Head);
        }

        /// <summary>Loads the state before a frame into the world, and the game's own into own,
        /// which has room for the most bytes. Returns how many of them are the state. Step again
        /// from there.</summary>
        public int Back(uint frame, World world, Span<byte> own = default(Span<byte>))
        {
            Errors.NotNull(world, nameof(world));
            Check(own.Length, ownMax);
            int status, length = 0;
            fixed (byte* to = kept)
            using (var use = Enter())
            using (var at = world.Enter())
            {
                ulong size = 0;
                Native.fxs_rewind_state(Native.fxs_history_states(use.At), frame, &size);
                world.Reserve(at.At, size);
                status = Native.fxs_history_back(use.At, frame, at.At, to);
                if (status >= 0)
                {
                    for (int i = LengthBytes - 1; i >= 0; i--)
                        length = length << 8 | kept[i];
                    new ReadOnlySpan<byte>(kept, LengthBytes, length).CopyTo(own);
                }
            }

            if (status == Native.FXS_E_RANGE)
                throw Errors.Range(nameof(frame), frame, First, Head);
            if (status < 0)
                throw Errors.Refused(status, $"state before frame {frame}");
            return length;
        }

        /// <summary>The oldest final frame, once. False if there is none.</summary>
        public bool Confirm(ConfirmedFrame frame)
        {
            Errors.NotNull(frame, nameof(frame));
            frame.Commands.Reserve(room.CommandRoom);
            frame.Events.Reserve(room.EventRoom);
            Confirmed found;
            int status;
            using (var use = Enter())
            fixed (Command* commands = frame.Commands.Room)
            fixed (Event* events = frame.Events.Room)
                status = Native.fxs_history_confirm(use.At, &found, commands, events);
            if (status < 0)
                return false;
            frame.Frame = found.Frame;
            frame.Hash = found.Hash;
            frame.Commands.Count = (int)found.Commands;
            frame.Events.Count = (int)found.Events;
            return true;
        }

        /// <summary>The frame that is stepped next.</summary>
        public uint Head => Read(at => Native.fxs_history_head(at));

        /// <summary>The oldest frame that Confirm has not given.</summary>
        public uint First => Read(at => Native.fxs_history_first(at));

        /// <summary>How many frames can be pushed before one must be confirmed.</summary>
        public uint Free => Read(at => Native.fxs_history_free(at));

        /// <summary>A copy of the kept state before a frame, or null.</summary>
        [return: MaybeNull]
        public byte[] State(uint frame)
        {
            using (var use = Enter())
                return Rewind.Copied(Native.fxs_history_states(use.At), frame);
        }
    }
}
