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
        private readonly Rows<Event> gone = new Rows<Event>(), fresh = new Rows<Event>();
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
                    Game.Events.Span, gone, fresh, Game.Reactions, Game.Hash);
                foreach (Event row in gone)
                    TakenBack?.Invoke(row);
                foreach (Event row in fresh)
                    Predicted?.Invoke(row);
            }

            while (history.Confirm(sure))
            {
                Log.Commands(sure.Commands.Span);
                Log.StepGame(sure.Events.Span, sure.Hash);
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

    /// <summary>A line that delays and loses packets, in place of a network. A packet has the last
    /// inputs of its sender, so the next one makes good for a lost one.</summary>
    public sealed class LossyLine
    {
        private readonly List<KeyValuePair<uint, uint>> flight = new List<KeyValuePair<uint, uint>>();
        private readonly GameRandom random;

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
