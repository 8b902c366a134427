using System;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Text;

namespace Fixsync
{
    public readonly partial struct Difference
    {
        /// <summary>In the first state; null if it does not have the field.</summary>
        public long? First => absent0 == 0 ? values0 : (long?)null;

        /// <summary>In the second state; null if it does not have the field.</summary>
        public long? Second => absent1 == 0 ? values1 : (long?)null;

        /// <summary>"collider 7, x: 0 and 1 (0 and 0.00002 units)".</summary>
        public override string ToString() => ToText(null);

        /// <summary>The same with names of ids, of at most 60 bytes each.</summary>
        public unsafe string ToText([AllowNull] IReadOnlyDictionary<uint, string> names)
        {
            var rows = new RawName[Math.Max(1, names?.Count ?? 0)];
            int n = 0;
            if (names != null)
                foreach (KeyValuePair<uint, string> pair in names)
                    rows[n++] = Names.Row(pair.Key, pair.Value);
            Difference difference = this;
            var bytes = new byte[512];
            ulong size;
            int status;
            fixed (RawName* from = rows)
            fixed (byte* to = bytes)
                status = Native.fxs_difference_text(
                    &difference, from, (ulong)n, to, (ulong)bytes.Length, &size);
            return status < 0
                ? throw Errors.Refused(status, $"field {field}")
                : Encoding.UTF8.GetString(bytes, 0, (int)size);
        }
    }

    internal static class Names
    {
        /// <summary>The row of a name; null stands for no text.</summary>
        internal static unsafe RawName Row(uint id, string name)
        {
            byte[] text = Encoding.UTF8.GetBytes(name ?? "");
            var row = new RawName { id = id };
            if (text.Length > 60)
                throw Errors.Range("bytes of a name", text.Length, 0, 60);
            for (int i = 0; i < text.Length; i++)
                row.text[i] = text[i];
            return row;
        }
    }

    /// <summary>The differences of saved states: collider, field and both values.
    /// </summary>
    public static unsafe class States
    {
        private enum Of
        {
            States,
            Fields,
            Bodies,
        }

        /// <summary>A row for each field that differs between two states of worlds.</summary>
        public static void Differences(
            ReadOnlySpan<byte> a, ReadOnlySpan<byte> b, Rows<Difference> rows) =>
            Read(Of.States, a, b, rows);

        /// <summary>A row for each field of a state of a world.</summary>
        public static void Fields(ReadOnlySpan<byte> state, Rows<Difference> rows) =>
            Read(Of.Fields, state, default(ReadOnlySpan<byte>), rows);

        /// <summary>A row for each field that differs between two states of bodies.</summary>
        public static void BodyDifferences(
            ReadOnlySpan<byte> a, ReadOnlySpan<byte> b, Rows<Difference> rows) =>
            Read(Of.Bodies, a, b, rows);

        private static void Read(
            Of what, ReadOnlySpan<byte> a, ReadOnlySpan<byte> b, Rows<Difference> rows)
        {
            Errors.NotNull(rows, nameof(rows));
            int status;
            ulong count, at = 0;
            fixed (byte* first = &Pin<byte>.First(a), second = &Pin<byte>.First(b))
            {
                do
                {
                    fixed (Difference* to = rows.Room)
                    {
                        ulong sizeA = (ulong)a.Length, sizeB = (ulong)b.Length;
                        ulong room = (ulong)rows.Room.Length;
                        status = what == Of.States
                            ? Native.fxs_state_differences(
                                first, sizeA, second, sizeB, to, room, &count, &at)
                            : what == Of.Bodies
                            ? Native.fxs_body_differences(
                                first, sizeA, second, sizeB, to, room, &count, &at)
                            : Native.fxs_state_fields(first, sizeA, to, room, &count, &at);
                    }
                }
                while (rows.Grows(status, count));
            }

            if (status < 0)
                throw Errors.Bytes($"{(count == 0 ? "a" : "b")} is not a saved state", at, count == 0 ? a.Length : b.Length);
        }

        /// <summary>Where the saved state at the beginning of bytes ends: a game's own may follow.
        /// </summary>
        public static int End(ReadOnlySpan<byte> bytes)
        {
            ulong end;
            int status;
            fixed (byte* from = &Pin<byte>.First(bytes))
                status = Native.fxs_state_end(from, (ulong)bytes.Length, &end);
            return status < 0
                ? throw Errors.Bytes("data does not begin with a saved state", end, bytes.Length) : (int)end;
        }
    }

    /// <summary>Writes a match log, which `fixsync replay` verifies. For each frame: the commands
    /// as the world took them, questions, answers in their order, then Step. Take the text at any
    /// time with TakeText. One thread may use a recorder at a time.</summary>
    public sealed unsafe class Recorder
    {
        private RawRecorder raw;
        private byte[] text = new byte[4096];

        /// <summary>Begins a log: level, colliders and state of the world as it is.</summary>
        public Recorder(World world, int tickRate)
            : this(world, tickRate >= 1
                ? $"{{\"tick_rate\":{tickRate.ToString(CultureInfo.InvariantCulture)}}}"
                : throw Errors.Range(nameof(tickRate), tickRate, 1, int.MaxValue))
        {
        }

        /// <summary>Begins a log with other keys of its first line, as canonical JSON:
        /// {"tick_rate":60,"meta":{"arena":"pit"},"build":"1.4","data":"0123456789abcdef"}. data:
        /// Fix.Hash64 of what the game plays with, as 16 hexadecimal digits. state: of a simulation
        /// that begins later.</summary>
        public Recorder(
            World world, string about, ReadOnlySpan<byte> state = default(ReadOnlySpan<byte>))
        {
            Errors.NotNull(world, nameof(world));
            Errors.NotNull(about, nameof(about));
            byte[] words = Encoding.UTF8.GetBytes(about);
            int status;
            ulong at = 0;
            do
            {
                fixed (RawRecorder* recorder = &raw)
                fixed (byte* from = &Pin<byte>.First(words), bytes = &Pin<byte>.First(state))
                fixed (byte* to = text)
                using (var use = world.Enter())
                    status = Native.fxs_recorder_begin(
                        recorder, use.At, from, (ulong)words.Length,
                        state.Length == 0 ? null : bytes, (ulong)state.Length, to,
                        (ulong)text.Length, &at);
            }
            while (Grows(status));
            if (status == Native.FXS_E_TEXT)
                throw Errors.Bytes("about is not the canonical JSON of a first line", at, words.Length);
            World.Must(status, nameof(state));
        }

        /// <summary>Text as the JSON string of a match log, with its quotes: a name for the first
        /// line.</summary>
        public static string LogText(string name)
        {
            Errors.NotNull(name, nameof(name));
            byte[] words = Encoding.UTF8.GetBytes(name);
            var rows = new Rows<byte>(words.Length + 16);
            int status;
            ulong count;
            fixed (byte* from = &Pin<byte>.First(words))
            {
                do
                {
                    fixed (byte* to = rows.Room)
                        status = Native.fxs_recorder_text(
                            from, (ulong)words.Length, to, (ulong)rows.Room.Length, &count);
                }
                while (rows.Grows(status, count));
            }

            World.Must(status, nameof(name));
            return Encoding.UTF8.GetString(rows.Room, 0, rows.Count);
        }

        private delegate int Call(
            RawRecorder* recorder, void* rows, ulong n, byte* text, ulong room);

        private bool Grows(int status)
        {
            if (status != Native.FXS_E_ROOM)
                return false;
            Array.Resize(ref text, 2 * text.Length);
            return true;
        }

        private void Write(string what, void* rows, int n, Call call)
        {
            int status;
            do
            {
                fixed (RawRecorder* recorder = &raw)
                fixed (byte* to = text)
                    status = call(recorder, rows, (ulong)n, to, (ulong)text.Length);
            }
            while (Grows(status));
            if (status < 0)
                throw Errors.Refused(status, $"{what} of frame {raw.frame}");
        }

        /// <summary>Number of frames so far.</summary>
        public int Frames => (int)raw.frames;

        /// <summary>Adds commands of this frame.</summary>
        public void Commands(ReadOnlySpan<Command> commands)
        {
            fixed (Command* rows = &Pin<Command>.First(commands))
                Write("commands", rows, commands.Length, (recorder, from, n, to, room) =>
                    Native.fxs_recorder_commands(recorder, (Command*)from, n, to, room));
        }

        /// <summary>Adds the inputs of the next players of this frame, in a log with a sim.
        /// </summary>
        public void Inputs(ReadOnlySpan<long> inputs)
        {
            fixed (long* rows = &Pin<long>.First(inputs))
                Write("inputs", rows, inputs.Length, (recorder, from, n, to, room) =>
                    Native.fxs_recorder_inputs(recorder, (long*)from, n, to, room));
        }

        /// <summary>Adds the input of the next player, a list of numbers.</summary>
        public void InputList(ReadOnlySpan<long> input)
        {
            fixed (long* rows = &Pin<long>.First(input))
                Write("input", rows, input.Length, (recorder, from, n, to, room) =>
                    Native.fxs_recorder_input_list(recorder, (long*)from, n, to, room));
        }

        /// <summary>Adds a query that is made right after the step of this frame.</summary>
        public void Query(Query query) =>
            Write("query", &query, 1, (recorder, from, n, to, room) =>
                Native.fxs_recorder_query(recorder, (Query*)from, to, room));

        /// <summary>Adds a cast that is made right after the step of this frame.</summary>
        public void Cast(Cast cast) =>
            Write("cast", &cast, 1, (recorder, from, n, to, room) =>
                Native.fxs_recorder_cast(recorder, (Cast*)from, to, room));

        /// <summary>Adds the answer to the next question, a query.</summary>
        public void Ids(ReadOnlySpan<uint> ids)
        {
            fixed (uint* rows = &Pin<uint>.First(ids))
                Write("ids", rows, ids.Length, (recorder, from, n, to, room) =>
                    Native.fxs_recorder_ids(recorder, (uint*)from, n, to, room));
        }

        /// <summary>Adds the answer to the next question, a cast.</summary>
        public void Hits(ReadOnlySpan<CastHit> hits)
        {
            fixed (CastHit* rows = &Pin<CastHit>.First(hits))
                Write("hits", rows, hits.Length, (recorder, from, n, to, room) =>
                    Native.fxs_recorder_hits(recorder, (CastHit*)from, n, to, room));
        }

        /// <summary>Ends this frame.</summary>
        /// <param name="events">Of its step, then the game's own.</param>
        /// <param name="hash">Of the world after the step; null if it is not known.</param>
        /// <param name="hasGame">Whether the game has events of its own, in this frame or in
        /// others.</param>
        /// <param name="state">In a log with a sim: the hash of all that the simulation saves after
        /// the step, null if it is not known. With it, replaying names the first frame in which
        /// anything differs.</param>
        public void Step(
            ReadOnlySpan<Event> events, ulong? hash, bool hasGame = false, ulong? state = null)
        {
            ulong game = 0;
            foreach (Event row in events)
                game += row.IsOfGame ? 1ul : 0;
            End(events, new Ending { Known = new RawRecorded
            {
                hash = hash.GetValueOrDefault(),
                state = state.GetValueOrDefault(),
                event_count = (ulong)events.Length - game,
                game_count = game,
                has_events = 1,
                has_game = hasGame ? 1u : 0,
                has_hash = hash.HasValue ? 1u : 0,
                has_state = state.HasValue ? 1u : 0,
            } });
        }

        /// <summary>Adds a frame that Rollback has confirmed, with `numbers` inputs of each player:
        /// its inputs in a log with a sim, else its commands.</summary>
        public void Frame(ConfirmedFrame frame, ReadOnlySpan<long> inputs, int numbers = 1)
        {
            Errors.NotNull(frame, nameof(frame));
            if (numbers < 1 || inputs.Length % numbers != 0)
                throw Errors.Range(nameof(numbers), numbers, 1, inputs.Length);
            bool hasInputs = raw.has_inputs != 0;
            if (!hasInputs)
                Commands(frame.Commands.Span);
            else if (numbers == 1)
                Inputs(inputs);
            else
                for (int i = 0; i < inputs.Length; i += numbers)
                    InputList(inputs.Slice(i, numbers));
            Step(
                frame.Events.Span, hasInputs ? frame.WorldHash : frame.Hash, hasGame: true,
                state: hasInputs ? frame.State : (ulong?)null);
        }

        /// <summary>Ends this frame without events: replaying the log computes them.</summary>
        public void EndFrame(ulong? hash = null) =>
            End(default(ReadOnlySpan<Event>), new Ending { Known = new RawRecorded
            {
                hash = hash.GetValueOrDefault(),
                has_hash = hash.HasValue ? 1u : 0,
            } });

        private struct Ending
        {
            internal RawRecorded Known;
            internal Event* Events;
        }

        private void End(ReadOnlySpan<Event> events, Ending ending)
        {
            fixed (Event* rows = &Pin<Event>.First(events))
            {
                ending.Events = rows;
                Write("end", &ending, 0, (recorder, from, n, to, room) =>
                    Native.fxs_recorder_step(
                        recorder, &((Ending*)from)->Known, ((Ending*)from)->Events, to, room));
            }
        }

        /// <summary>Adds a frame as text: a line of another log, without its line feed.</summary>
        public void Line(string line)
        {
            Errors.NotNull(line, nameof(line));
            byte[] words = Encoding.UTF8.GetBytes(line);
            fixed (byte* rows = &Pin<byte>.First(words))
                Write("line", rows, words.Length, (recorder, from, n, to, room) =>
                    Native.fxs_recorder_line(recorder, (byte*)from, n, to, room));
        }

        /// <summary>Writes the last line.</summary>
        public void End() =>
            Write("end", null, 0, (recorder, from, n, to, room) =>
                Native.fxs_recorder_end(recorder, to, room));

        /// <summary>The bytes written since the last call, UTF-8, to append to a file.</summary>
        public byte[] TakeText()
        {
            byte[] taken = new ReadOnlySpan<byte>(text, 0, (int)raw.size).ToArray();
            raw.size = 0;
            return taken;
        }
    }
}
