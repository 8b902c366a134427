using System;
using System.Collections.Generic;
using Fixsync;

namespace DuelSample
{
    /// <summary>A peer that steps at once: inputs that it does not have are predicted, and where a
    /// prediction was wrong it goes back and steps again. Copy it, and put your game into it.
    /// </summary>
    public sealed class DuelPeer : IDisposable
    {
        public const int Window = 12; // frames that may be predicted

        private readonly long[] values = new long[DuelGame.Players];
        private readonly byte[] own = new byte[DuelGame.OwnSize];
        private readonly Rows<Event> takenBack = new Rows<Event>(), predicted = new Rows<Event>();
        private readonly ConfirmedFrame sure = new ConfirmedFrame();
        private readonly Inputs inputs;
        private readonly History history;

        public DuelGame Game { get; }

        public Recorder Log { get; }

        /// <summary>Frames that are certain.</summary>
        public uint Confirmed => history.First;

        /// <summary>The frame that is stepped next.</summary>
        public uint Head => history.Head;

        /// <summary>Begin a spark, a sound.</summary>
        public event Action<Event> Predicted;

        /// <summary>Stop it: the prediction was wrong.</summary>
        public event Action<Event> TakenBack;

        /// <summary>Once for each event that is certain, in order: scores.</summary>
        public event Action<uint, Event> Certain;

        public DuelPeer(DuelGame game)
        {
            Game = game;
            inputs = new Inputs(DuelGame.Players, 2 * Window, game.World.Frame);
            history = new History(game.World, Window, game.SaveOwn());
            Log = new Recorder(game.World, 60);
        }

        /// <summary>An input that came, or the own one. False: it is too early, and must come
        /// again.</summary>
        public bool Put(int player, uint frame, long value) => inputs.Put(player, frame, value);

        /// <summary>Whether there is room to predict one more frame.</summary>
        public bool CanStep => history.Free > 0;

        /// <summary>Steps up to a frame, once the inputs that came are put.</summary>
        public void StepTo(uint now)
        {
            uint first = inputs.Redo, known = inputs.Confirmed;
            history.Settle(Math.Min(first, known));
            if (first != history.Head)
            {
                history.Back(first, Game.World, own);
                Game.LoadOwn(own);
            }

            for (uint frame = first; frame <= now && CanStep; frame++)
            {
                inputs.Take(frame, values);
                Game.AdvanceFrame(values);
                history.Push(
                    Game.World, Game.SaveOwn(), frame < known, Game.Commands.Span,
                    Game.Events.Span, takenBack, predicted, Game.Reactions, Game.Hash);
                foreach (Event row in takenBack)
                    TakenBack?.Invoke(row);
                foreach (Event row in predicted)
                    Predicted?.Invoke(row);
            }

            while (history.Confirm(sure))
            {
                Log.Commands(sure.Commands.Span);
                Log.Step(sure.Events.Span, sure.Hash, true);
                foreach (Event row in sure.Events)
                    Certain?.Invoke(sure.Frame, row);
            }
        }

        public void Dispose()
        {
            inputs.Dispose();
            history.Dispose();
            Game.Dispose();
        }
    }

    /// <summary>Two peers in one process, with a line each way in place of a network.</summary>
    public sealed class DuelMatch : IDisposable
    {
        private const int Kept = 64; // more inputs than can be under way

        private readonly LossyLine[] lines;
        private readonly long[,] sent = new long[DuelGame.Players, Kept];
        private uint now;

        public DuelPeer[] Peers { get; }

        public DuelMatch(byte[] level, byte[] frames, ulong seed)
        {
            Peers = new DuelPeer[DuelGame.Players];
            for (int i = 0; i < Peers.Length; i++)
                Peers[i] = new DuelPeer(new DuelGame(level, frames));
            lines = new[] { new LossyLine(seed), new LossyLine(seed + 1) };
        }

        /// <summary>Frames that are certain at both peers.</summary>
        public uint Confirmed => Math.Min(Peers[0].Confirmed, Peers[1].Confirmed);

        /// <summary>A tick of the clock: each peer reads its line, steps its next frame, if there
        /// is room and the match has one, and sends. pressed: the keys of a player for a frame.
        /// </summary>
        public void Tick(Func<int, uint, Keys> pressed, uint frames = uint.MaxValue)
        {
            for (int i = 0; i < Peers.Length; i++)
            {
                DuelPeer peer = Peers[i];
                uint end = lines[1 - i].Receive(now), next = peer.Head;
                for (uint f = end > Kept ? end - Kept : 0; f < end; f++)
                    peer.Put(1 - i, f, sent[1 - i, f % Kept]);
                if (next < frames && peer.CanStep)
                {
                    sent[i, next % Kept] = (long)pressed(i, next);
                    peer.Put(i, next, sent[i, next % Kept]);
                    next++;
                }

                if (next > 0)
                    peer.StepTo(next - 1); // also without a new frame: it confirms
                lines[i].Send(now, next);
            }

            now++;
        }

        /// <summary>Two players who fight: to each other and back, with slashes and dashes.
        /// </summary>
        public static Keys Bot(int player, uint frame)
        {
            var random = new GameRandom(frame / 6 * 2 + (ulong)player);
            bool isComing = frame / 40 % 2 == 0;
            Keys keys = isComing == (player == 0) ? Keys.Right : Keys.Left;
            if (random.Chance(1, 5))
                keys |= random.Chance(1, 2) ? Keys.Up : Keys.Down;
            if (random.Chance(1, 3))
                keys |= Keys.Slash;
            if (random.Chance(1, 8))
                keys |= Keys.Dash;
            return keys;
        }

        public void Dispose()
        {
            foreach (DuelPeer peer in Peers)
                peer.Dispose();
        }
    }

    /// <summary>A line that delays and loses packets, in place of a network. A packet has the last
    /// inputs of its sender, so the next one makes good for a lost one.</summary>
    internal sealed class LossyLine
    {
        private readonly List<KeyValuePair<uint, uint>> flight =
            new List<KeyValuePair<uint, uint>>();
        private GameRandom random;

        public LossyLine(ulong seed)
        {
            random = new GameRandom(seed);
        }

        /// <summary>Sends "all inputs before `end`".</summary>
        public void Send(uint now, uint end)
        {
            if (!random.Chance(1, 3))
                flight.Add(new KeyValuePair<uint, uint>(now + 1 + (uint)random.Below(7), end));
        }

        /// <summary>The largest `end` that arrived by now, or 0.</summary>
        public uint Receive(uint now)
        {
            uint end = 0;
            foreach (KeyValuePair<uint, uint> packet in flight)
                if (packet.Key <= now)
                    end = Math.Max(end, packet.Value);
            flight.RemoveAll(packet => packet.Key <= now);
            return end;
        }
    }
}
