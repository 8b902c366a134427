using System;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using System.Security.Cryptography;

namespace Fixsync
{
    /// <summary>A game that Rollback plays. Its state is the world and its own state.</summary>
    public interface IGame
    {
        /// <summary>Its world.</summary>
        World World { get; }

        /// <summary>Names each value that the next frame depends on and that is not in the world,
        /// always the same ones in the same order: own.Field("health", ref health).</summary>
        void State(OwnState own);

        /// <summary>Steps a frame, and says what it did. inputs: the numbers of each player.
        /// </summary>
        void Play(ReadOnlySpan<long> inputs, PlayedFrame frame);
    }

    /// <summary>A game that guesses inputs that are not known; of others the last is repeated.
    /// </summary>
    public interface IGuessingGame : IGame
    {
        /// <summary>Guesses the input of a player for a frame. age: frames since the last known
        /// one, whose numbers input has, to be changed.</summary>
        void Guess(int player, uint frame, int age, Span<long> input);
    }

    /// <summary>A confirmed frame: scores, sounds, the match log. It is used again by the next
    /// confirmed frame.</summary>
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

    /// <summary>What a game did in a frame. It is empty when Play is called.</summary>
    public sealed class PlayedFrame
    {
        /// <summary>Commands that the world took, those after the step last.</summary>
        public Rows<Command> Commands { get; } = new Rows<Command>();

        /// <summary>Events of the step, then the game's own.</summary>
        public Rows<Event> Events { get; } = new Rows<Event>();

        /// <summary>How many commands came after the step.</summary>
        public int Reactions { get; set; }

        /// <summary>Of the world right after the step; null if nothing has changed since.</summary>
        public ulong? Hash { get; set; }

        /// <summary>A hash of what players see, such as health and scores. Peers compare it, so it
        /// finds a value that nobody saves.</summary>
        public ulong Shown { get; set; }
    }

    /// <summary>Parts of a frame that are compared.</summary>
    public enum Part
    {
        /// <summary>Inputs of all players.</summary>
        Inputs = Native.FXS_PART_INPUTS,

        /// <summary>The world after the frame, reactions included.</summary>
        World = Native.FXS_PART_WORLD,

        /// <summary>The game's own bytes.</summary>
        Own = Native.FXS_PART_OWN,

        /// <summary>Events.</summary>
        Events = Native.FXS_PART_EVENTS,

        /// <summary>The number that the game gave.</summary>
        Shown = Native.FXS_PART_SHOWN,
    }

    /// <summary>The first frame that differs.</summary>
    public sealed class Desync
    {
        /// <summary>Its number.</summary>
        public uint Frame { get; internal set; }

        /// <summary>The other peer; 0: the sync test.</summary>
        public int Peer { get; internal set; }

        /// <summary>Bit i: player i is of the other peer.</summary>
        public ulong Players { get; internal set; }

        /// <summary>The first part that differs.</summary>
        public Part Part { get; internal set; }

        /// <summary>Bit i: part i differs.</summary>
        public uint Parts { get; internal set; }

        /// <summary>By part, the hash here; in the sync test of the last step.</summary>
        public IReadOnlyList<ulong> Ours { get; internal set; }

        /// <summary>By part, the hash there; in the sync test of the step before.</summary>
        public IReadOnlyList<ulong> Theirs { get; internal set; }

        /// <summary>In the sync test what differs in the world, by collider and field; for another
        /// peer see Rollback.Differences.</summary>
        public Rows<Difference> Differences { get; } = new Rows<Difference>();

        /// <summary>In the sync test what differs in the own state, by name: "health[1]: 20 and
        /// 30".</summary>
        public IReadOnlyList<string> OwnDifferences { get; internal set; } = new string[0];

        /// <summary>"frame 7: own differs when it is stepped again: health[1]: 20 and 30".
        /// </summary>
        public override string ToString() =>
            $"frame {Frame}: {Part.ToString().ToLowerInvariant()} differs " +
            (Peer > 0 ? $"from that of peer {Peer}: " : "when it is stepped again: ") +
            (Differences.Count > 0 ? $"{Differences[0]}"
                : OwnDifferences.Count > 0 ? OwnDifferences[0]
                : Part == Part.Shown
                    ? $"{Ours[(int)Part]} and {Theirs[(int)Part]}: State lacks a value"
                    : $"hashes {Ours[(int)Part]:x16} and {Theirs[(int)Part]:x16}");
    }

    /// <summary>What the sync test found.</summary>
    public sealed class DesyncException : Exception
    {
        /// <summary>The first frame that differs.</summary>
        public Desync Desync { get; }

        internal DesyncException(Desync desync)
            : base($"{desync}")
        {
            Desync = desync;
        }
    }

    /// <summary>One peer of one match that rolls back (docs/rollback.md). Each frame: Receive each
    /// packet that came, Tick with the local inputs, and send a Packet to each peer.</summary>
    public sealed unsafe class Rollback : NativeObject
    {
        private readonly IGame game;
        private readonly IGuessingGame guessing;
        private readonly OwnState own;
        private readonly long[] inputs;
        private readonly int local;
        private readonly PlayedFrame played = new PlayedFrame();
        private readonly ConfirmedFrame confirmed = new ConfirmedFrame();
        private readonly Rows<Event> takenBack = new Rows<Event>(), predicted = new Rows<Event>();
        private RawRollbackSettings settings;
        private Desync desync;
        private bool isTold; // of what the sync test found

        /// <summary>A peer at the frame of the game's world. peers: by player the peer that plays
        /// it, 0 for this one. random: 16 secure random bytes, new for each match; without them, of
        /// the system. match, data: hashes of what the match is and plays with. predictionMax: 0 is
        /// lockstep. check: frames that the sync test goes back; 0 is off. slows: the game's clock
        /// runs a fifth slower while Pace.IsAhead.</summary>
        public Rollback(
            IGame game, ReadOnlySpan<byte> peers,
            ReadOnlySpan<byte> random = default(ReadOnlySpan<byte>), ulong match = 0,
            ulong data = 0, int predictionMax = 8, int inputDelay = 0, int numbers = 1,
            int check = 0, int past = 60, bool slows = false)
        {
            Errors.NotNull(game, nameof(game));
            Span<byte> life = stackalloc byte[16];
            if (random.IsEmpty)
                RandomNumberGenerator.Fill(life);
            else if (random.Length != life.Length)
                throw Errors.Length(nameof(random), random.Length, life.Length);
            random.CopyTo(life);
            Exception wrong =
                Errors.Outside("players", peers.Length, 1, Native.FXS_ROLLBACK_PLAYERS_MAX)
                ?? Errors.Outside(
                    nameof(predictionMax), predictionMax, 0, Native.FXS_PREDICTION_MAX)
                ?? Errors.Outside(nameof(inputDelay), inputDelay, 0, Native.FXS_INPUT_DELAY_MAX)
                ?? Errors.Outside(nameof(numbers), numbers, 1, Native.FXS_INPUT_NUMBERS_MAX)
                ?? Errors.Outside(nameof(check), check, 0, Native.FXS_CHECK_MAX)
                ?? Errors.Outside(nameof(past), past, 0, int.MaxValue);
            if (wrong != null)
                throw wrong;
            this.game = game;
            guessing = game as IGuessingGame;
            own = new OwnState(game);
            inputs = new long[peers.Length * numbers];
            settings.match = match;
            settings.data = data;
            settings.own_size = (ulong)own.Bytes.Length;
            settings.state_size = 2 * (ulong)game.World.SaveSize;
            settings.command_room = settings.event_room = 64;
            settings.past = (uint)past;
            settings.players = (uint)peers.Length;
            settings.numbers = (uint)numbers;
            settings.prediction_max = (uint)predictionMax;
            settings.input_delay = (uint)inputDelay;
            settings.check = (uint)check;
            settings.guesses = guessing == null ? 0u : 1;
            settings.slows = slows ? 1u : 0;
            settings.own_has_length = own.HasLength ? 1u : 0;
            fixed (RawRollbackSettings* to = &settings)
            {
                for (int i = 0; i < 16; i++)
                    to->random[i] = life[i];
                for (int i = 0; i < peers.Length; i++)
                {
                    to->peers[i] = peers[i];
                    local += peers[i] == 0 ? numbers : 0;
                }
            }

            IntPtr memory = Memory(settings, out ulong size);
            Replace(memory, size);
            own.Save();
            RawRollbackSettings copy = settings;
            int status;
            fixed (byte* from = &Pin<byte>.First(own.Bytes))
            using (var at = game.World.Enter())
                status = Native.fxs_rollback_init(memory, &copy, at.At, from);
            World.Must(status, "rollback");
            Reserve();
        }

        private static IntPtr Memory(RawRollbackSettings settings, out ulong size)
        {
            size = Native.fxs_rollback_size(&settings);
            return size > 0 ? Allocate(size) : throw new ArgumentException(
                "peers must be 0 for a player or more, then 1, 2, ..., and take at most " +
                $"{Native.FXS_MEMORY_MAX} bytes");
        }

        /// <summary>Begin a spark, a sound.</summary>
        public event Action<Event> Predicted;

        /// <summary>Stop it: the prediction was wrong.</summary>
        public event Action<Event> TakenBack;

        /// <summary>Each frame once, in order, with the inputs of all players: scores, the match
        /// log. The frame is used again.</summary>
        public event Action<ConfirmedFrame, long[]> Confirmed;

        /// <summary>The first frame that differs, on another peer or in the sync test; or null.
        /// </summary>
        [MaybeNull]
        public Desync Desync => desync ?? Look();

        /// <summary>How this peer and the others run.</summary>
        public Pace Pace
        {
            get
            {
                Pace pace;
                using (var use = Enter())
                    Native.fxs_rollback_pace(use.At, &pace);
                return pace;
            }
        }

        /// <summary>How the inputs of a player come.</summary>
        public PlayerPace Player(int player)
        {
            PlayerPace pace;
            int status;
            using (var use = Enter())
                status = Native.fxs_rollback_player(use.At, unchecked((uint)player), &pace);
            if (status < 0)
                throw Errors.Range(nameof(player), player, 0, (long)settings.players - 1);
            return pace;
        }

        /// <summary>A copy of the bytes after the frame of Desync, to be sent to the other peer;
        /// null if they are not kept. part: World or Own. which, of the sync test: 1 for
        /// the step before.</summary>
        [return: MaybeNull]
        public byte[] Kept(Part part, int which = 0)
        {
            if (part != Part.World && part != Part.Own)
                throw Errors.Range(nameof(part), (long)part, (long)Part.World, (long)Part.Own);
            if (which < 0 || which > 1)
                throw Errors.Range(nameof(which), which, 0, 1);
            using (var use = Enter())
            {
                ReadOnlySpan<byte> kept = KeptAt(use.At, part, which);
                return kept.IsEmpty ? null : kept.ToArray();
            }
        }

        private static ReadOnlySpan<byte> KeptAt(IntPtr at, Part part, int which)
        {
            ulong size;
            byte* from = Native.fxs_rollback_kept(at, (uint)which, (uint)part, &size);
            return new ReadOnlySpan<byte>(from, (int)size);
        }

        /// <summary>What differs in the kept own state from that of another peer, by name:
        /// "health[1]: 20 and 30"; nothing if it is gone.</summary>
        public IReadOnlyList<string> OwnDifferences(ReadOnlySpan<byte> theirs)
        {
            byte[] ours = Kept(Part.Own);
            return ours == null ? new List<string>() : own.Compare(ours, theirs);
        }

        /// <summary>What differs in the kept world from that of another peer, by collider and
        /// field; nothing if the world is gone.</summary>
        public void Differences(ReadOnlySpan<byte> world, Rows<Difference> rows)
        {
            Errors.NotNull(rows, nameof(rows));
            rows.Clear();
            using (var use = Enter())
            {
                ReadOnlySpan<byte> ours = KeptAt(use.At, Part.World, 0);
                if (!ours.IsEmpty)
                    States.Differences(ours, world, rows);
            }
        }

        /// <summary>A frame with the numbers of the local players. False, with nothing done, before
        /// every other peer has answered. What the game throws is passed on; the next tick steps
        /// that frame again.</summary>
        /// <exception cref="DesyncException">Once: the sync test found a difference.</exception>
        public bool Tick(ReadOnlySpan<long> pressed)
        {
            if (pressed.Length != local)
                throw Errors.Length(nameof(pressed), pressed.Length, local);
            int status;
            fixed (long* from = &Pin<long>.First(pressed))
            using (var use = Enter())
                status = Native.fxs_rollback_tick(use.At, from);
            if (status == Native.FXS_E_ORDER)
                return false;
            World.Must(status, "tick");
            while (Answer(Next()))
            {
            }

            if (settings.check == 0 || isTold || Desync == null || desync.Peer > 0)
                return true;
            isTold = true;
            throw new DesyncException(desync);
        }

        private RollbackRequest Next()
        {
            RollbackRequest request;
            int status;
            fixed (byte* to = &Pin<byte>.First(own.Bytes))
            fixed (long* values = inputs)
            fixed (Command* commands = confirmed.Commands.Room)
            fixed (Event* events = confirmed.Events.Room)
            using (var use = Enter())
            using (var at = game.World.Enter())
            {
                game.World.Reserve(at.At, settings.state_size);
                status = Native.fxs_rollback_next(
                    use.At, at.At, to, &request, values, commands, events);
            }

            World.Must(status, "the game's world");
            return request;
        }

        private bool Answer(RollbackRequest request)
        {
            switch (request.Type)
            {
                case Native.FXS_ROLLBACK_LOAD:
                    own.Load();
                    return true;
                case Native.FXS_ROLLBACK_GUESS:
                    Guess(request);
                    return true;
                case Native.FXS_ROLLBACK_STEP:
                    Step();
                    return true;
                case Native.FXS_ROLLBACK_CONFIRMED:
                    confirmed.Frame = request.Frame;
                    confirmed.Hash = request.Confirmed.Hash;
                    confirmed.Commands.Count = (int)request.Confirmed.Commands;
                    confirmed.Events.Count = (int)request.Confirmed.Events;
                    if (Confirmed != null)
                    {
                        RawRecorded known;
                        using (var use = Enter())
                            World.Must(
                                Native.fxs_rollback_recorded(use.At, 1, &known), "confirmed frame");
                        confirmed.WorldHash = known.hash;
                        confirmed.State = known.state;
                        Confirmed(confirmed, inputs);
                    }

                    return true;
                default:
                    return request.Type != Native.FXS_ROLLBACK_NONE;
            }
        }

        private void Guess(RollbackRequest request)
        {
            var input = new Span<long>(inputs, 0, (int)settings.numbers);
            guessing.Guess((int)request.Player, request.Frame, (int)request.Age, input);
            int status;
            fixed (long* from = inputs)
            using (var use = Enter())
                status = Native.fxs_rollback_guess(use.At, from);
            World.Must(status, "guess");
        }

        private void Step()
        {
            played.Commands.Clear();
            played.Events.Clear();
            played.Reactions = 0;
            played.Hash = null;
            played.Shown = 0;
            game.Play(inputs, played);
            own.Save();
            int status = Push();
            if (status == Native.FXS_E_ROOM)
            {
                Grow();
                status = Push();
            }

            World.Must(status, "reactions, or the order of events");
            if (TakenBack != null)
                foreach (Event row in takenBack)
                    TakenBack?.Invoke(row);
            if (Predicted != null)
                foreach (Event row in predicted)
                    Predicted?.Invoke(row);
        }

        private int Push()
        {
            var pushed = new RawPushed
            {
                hash = played.Hash.GetValueOrDefault(),
                command_count = (ulong)played.Commands.Count,
                reaction_count = (ulong)played.Reactions,
                event_count = (ulong)played.Events.Count,
                has_hash = played.Hash.HasValue ? 1u : 0,
            };
            EventChanges changes = default(EventChanges);
            int status;
            fixed (byte* from = &Pin<byte>.First(own.Bytes))
            fixed (Command* commands = played.Commands.Room)
            fixed (Event* events = played.Events.Room)
            fixed (Event* stopped = takenBack.Room, begun = predicted.Room)
            using (var use = Enter())
            using (var at = game.World.Enter())
                status = Native.fxs_rollback_push(
                    use.At, at.At, from, &pushed, played.Shown, commands, events, stopped, begun,
                    &changes);
            takenBack.Count = status < 0 ? 0 : (int)changes.TakenBack;
            predicted.Count = status < 0 ? 0 : (int)changes.Predicted;
            return status;
        }

        private void Grow()
        {
            RawRollbackSettings more = settings;
            more.state_size = Math.Max(more.state_size, 2 * (ulong)game.World.SaveSize);
            more.command_room = Math.Max(more.command_room, 2 * (ulong)played.Commands.Count);
            more.event_room = Math.Max(more.event_room, 2 * (ulong)played.Events.Count);
            IntPtr memory = Memory(more, out ulong size);
            using (var use = Enter())
            {
                World.Must(Native.fxs_rollback_grow(memory, &more, use.At), "rollback");
                Replace(memory, size);
            }

            settings = more;
            Reserve();
        }

        private void Reserve()
        {
            foreach (Rows<Command> rows in new[] { confirmed.Commands, played.Commands })
                rows.Reserve(settings.command_room);
            Rows<Event>[] all = { confirmed.Events, played.Events, takenBack, predicted };
            foreach (Rows<Event> rows in all)
                rows.Reserve(settings.event_room);
        }

        private Desync Look()
        {
            RawDesync raw;
            using (var use = Enter())
                if (Native.fxs_rollback_desync(use.At, &raw) < 0)
                    return null;
            desync = new Desync
            {
                Frame = raw.frame,
                Peer = (int)raw.peer,
                Players = raw.players,
                Part = (Part)raw.part,
                Parts = raw.parts,
                Ours = new ReadOnlySpan<ulong>(raw.ours, 5).ToArray(),
                Theirs = new ReadOnlySpan<ulong>(raw.theirs, 5).ToArray(),
            };
            byte[] world = raw.peer == 0 ? Kept(Part.World, 1) : null;
            byte[] before = raw.peer == 0 ? Kept(Part.Own, 1) : null;
            if (world != null)
                Differences(world, desync.Differences);
            if (before != null)
                desync.OwnDifferences = OwnDifferences(before);
            return desync;
        }

        /// <summary>Writes the next packet for a peer, once a frame. Returns its size.</summary>
        public int Packet(int peer, Span<byte> to)
        {
            ulong size;
            int status;
            fixed (byte* bytes = &Pin<byte>.First(to))
            using (var use = Enter())
                status = Native.fxs_rollback_packet(
                    use.At, (uint)peer, bytes, (ulong)to.Length, &size);
            if (status == Native.FXS_E_ROOM)
                throw Errors.Length(nameof(to), to.Length, (long)size);
            if (status < 0)
                throw Errors.Refused(status, $"peer {peer}");
            return (int)size;
        }

        /// <summary>Takes a packet of a peer; bytes of any kind do no harm. False: it is refused.
        /// </summary>
        public bool Receive(int peer, ReadOnlySpan<byte> packet)
        {
            int status;
            fixed (byte* bytes = &Pin<byte>.First(packet))
            using (var use = Enter())
                status = Native.fxs_rollback_receive(
                    use.At, (uint)peer, bytes, (ulong)packet.Length);
            if (status == Native.FXS_E_ID)
                World.Must(status, $"peer {peer}");
            return status >= 0;
        }

        /// <summary>Why the last refused packet of a peer was refused.</summary>
        public Refusal Refusal(int peer)
        {
            Refusal found;
            int status;
            using (var use = Enter())
                status = Native.fxs_rollback_refusal(use.At, (uint)peer, &found);
            if (status < 0)
                throw Errors.Refused(status, $"peer {peer}");
            return found;
        }

        /// <summary>Sets the input delay of the ticks to come.</summary>
        public void SetDelay(int inputDelay)
        {
            int status;
            using (var use = Enter())
                status = Native.fxs_rollback_set_delay(use.At, unchecked((uint)inputDelay));
            if (status < 0)
                throw Errors.Range(
                    nameof(inputDelay), inputDelay, 0, Native.FXS_INPUT_DELAY_MAX);
        }
    }
}
