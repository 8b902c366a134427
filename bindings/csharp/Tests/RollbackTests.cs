using System;
using System.Collections.Generic;
using NUnit.Framework;

namespace Fixsync.Tests
{
    /// <summary>Two peers of a match, and the sync test with planted faults.</summary>
    public class RollbackTests
    {
        internal class Game : IGame
        {
            internal static readonly string[] Faults =
                { "unsaved", "static", "clock", "order", "float", "reaction" };

            private readonly string fault;
            private readonly Dictionary<int, bool> held = new Dictionary<int, bool>(8);
            private int health = 100, calls;
            private float drift;
            private static int played;

            /// <summary>By frame, of the last time that it was stepped; null: they are not kept.
            /// </summary>
            internal Dictionary<uint, ulong> States { get; set; }

            internal Game(string fault = "")
            {
                this.fault = fault;
                World.Add(new Collider(0, Shape.Sphere(4)));
                World.Add(new Collider(1, Shape.Sphere(4), new Pose(new Vec3(20, 0, 0))));
            }

            public World World { get; } = new World(4);

            public void State(OwnState own)
            {
                byte keys = 0;
                foreach (int key in held.Keys)
                    keys |= (byte)(1 << key);
                if (fault != "unsaved")
                    own.Field("health", ref health);
                own.Field("held", ref keys);
                if (!own.IsLoading)
                    return;
                held.Clear();
                for (int key = 0; key < 8; key++)
                    if ((keys >> key & 1) != 0)
                        held[key] = true;
            }

            /// <summary>As an effect would, which must not change the state.</summary>
            internal void React(Event row) => health -= fault == "reaction" ? 1 : 0;

            public void Play(ReadOnlySpan<long> inputs, PlayedFrame frame)
            {
                calls++;
                played++;
                drift = drift * 0.75f + inputs[0] % 8;
                int toggled = (int)(inputs[1] & 7), last = 0;
                if (!held.Remove(toggled))
                    held[toggled] = true;
                foreach (int key in held.Keys)
                    last = key;
                for (int i = 0; i < 2; i++)
                {
                    int x = World[(uint)i].Position.X + ((int)inputs[i] & 3) - 1;
                    x += fault == "static" && played % 97 == 0 ? 1 : 0;
                    x += fault == "clock" && calls % 50 == 0 ? 1 : 0;
                    x += fault == "float" && drift > 20 ? 1 : 0;
                    x += fault == "order" && last % 2 == 1 ? 1 : 0;
                    var to = new Vec3(Math.Max(-30, Math.Min(30, x)), 0, 0);
                    World.Move((uint)i, to);
                    frame.Commands.Add(Command.Move((uint)i, to));
                }

                World.Step(frame.Events);
                health -= frame.Events.Count > 0 ? 1 : 0;
                frame.Shown = (ulong)health;
                if (States == null)
                    return;
                var own = new OwnState(this);
                own.Save();
                var all = new List<byte>(World.Save());
                all.AddRange(own.Bytes);
                States[World.Frame - 1] = Fix.Hash64(all.ToArray());
            }
        }

        /// <summary>It guesses each input right.</summary>
        internal sealed class Oracle : Game, IGuessingGame
        {
            internal uint Oldest { get; private set; }

            public void Guess(int player, uint frame, int age, Span<long> input)
            {
                Oldest = Math.Max(Oldest, (uint)age);
                input[0] = Key(player, (int)frame);
            }
        }

        /// <summary>Two peers, each of a player, over a line that loses.</summary>
        private static void Play(Rollback[] peers, int frames)
        {
            var random = new GameRandom(3);
            var flight = new Queue<byte[]>[] { new Queue<byte[]>(), new Queue<byte[]>() };
            var packet = new byte[Native.FXS_PACKET_SIZE];
            for (int now = 0; now < frames; now++)
            {
                for (int i = 0; i < 2; i++)
                {
                    while (flight[1 - i].Count > 5 + i)
                        peers[i].Receive(1, flight[1 - i].Dequeue());
                    peers[i].Tick(new[] { Key(i, (int)peers[i].Pace.Head) });
                    int size = peers[i].Packet(1, packet);
                    if (!random.Chance(1, 20))
                        flight[i].Enqueue(packet.AsSpan(0, size).ToArray());
                }
            }
        }

        private static Rollback[] Pair(Game[] games)
        {
            var peers = new Rollback[2];
            for (int i = 0; i < 2; i++)
            {
                var life = new byte[16];
                life[0] = (byte)(i + 1);
                byte[] by = i == 0 ? new byte[] { 0, 1 } : new byte[] { 1, 0 };
                peers[i] = new Rollback(games[i], by, life);
                peers[i].Predicted += games[i].React;
            }

            return peers;
        }

        private static long Key(int player, int frame) =>
            (long)(new GameRandom((ulong)(frame / (7 + 4 * player) * 2 + player)).Next() >> 40);

        private static Part PartOf(string fault) =>
            fault == "unsaved" ? Part.Shown : fault == "reaction" ? Part.Own : Part.World;

        private static string NameOf(string fault) =>
            fault == "unsaved" ? ": State lacks a value"
            : fault == "reaction" ? "again: health: " : "again: collider ";

        private static void Solo(Rollback peer, uint frames)
        {
            var keys = new long[2];
            while (peer.Pace.Head < frames)
            {
                for (int i = 0; i < 2; i++)
                    keys[i] = Key(i, (int)peer.Pace.Head);
                peer.Tick(keys);
            }
        }

        /// <summary>FIXSYNC_FRAMES=100000 plays as many.</summary>
        [Test]
        public void TheSyncTestFindsNothingInAGoodGame()
        {
            string frames = Environment.GetEnvironmentVariable("FIXSYNC_FRAMES") ?? "2000";
            using (var peer = new Rollback(new Game(), new byte[2], check: 8))
            {
                Solo(peer, uint.Parse(frames));
                Assert.IsTrue(peer.Desync == null && peer.Kept(Part.World) == null);
            }
        }

        [Test]
        public void TheSyncTestNamesThePartAndTheFieldOfEachFault()
        {
            foreach (string fault in Game.Faults)
            {
                var game = new Game(fault);
                using (var peer = new Rollback(game, new byte[2], check: 8))
                {
                    peer.Predicted += game.React;
                    peer.Predicted += row => GC.KeepAlive(peer.Desync); // who asks first
                    Desync found = Assert.Throws<DesyncException>(() => Solo(peer, 600)).Desync;
                    string text = $"{found}";
                    Assert.AreEqual(PartOf(fault), found.Part, text);
                    Assert.IsTrue(text.Contains(NameOf(fault)), text);
                    Assert.IsTrue(peer.Desync == found && found.Peer == 0, text);
                    for (int part = 0; part < 5; part++)
                        Assert.AreEqual(
                            (found.Parts >> part & 1) != 0,
                            found.Ours[part] != found.Theirs[part], text);
                    Solo(peer, found.Frame + 30); // it is thrown once
                }
            }
        }

        [Test]
        public void TwoPeersNameTheSameFrameOfAFaultAndItsFieldAndValues()
        {
            foreach (string fault in Game.Faults)
            {
                Rollback[] peers = Pair(new[] { new Game(fault), new Game(fault) });
                Play(peers, 900);
                Desync a = peers[0].Desync, b = peers[1].Desync;
                Assert.IsTrue(a != null && b != null, fault);
                Assert.AreEqual(a.Frame, b.Frame, fault);
                Assert.AreEqual(PartOf(fault), a.Part, fault);
                Assert.IsTrue(a.Players == 2 && $"{a}".Contains("that of peer 1: "), $"{a}");
                Assert.AreEqual(a.Ours, b.Theirs, fault);
                var rows = new Rows<Difference>();
                peers[0].Differences(peers[1].Kept(Part.World), rows);
                Assert.AreEqual(
                    a.Part == Part.World, rows.Count > 0 && $"{rows[0]}".Contains("collider"), fault);
                IReadOnlyList<string> own = peers[0].OwnDifferences(peers[1].Kept(Part.Own));
                Assert.AreEqual(
                    (a.Parts >> (int)Part.Own & 1) != 0, own.Count > 0 && own[0].Contains(" and "));
                Assert.IsTrue(fault != "reaction" || own[0].StartsWith("health: "), fault);
                foreach (Rollback peer in peers)
                    peer.Dispose();
            }
        }

        private enum Mood
        {
            Calm,
            Angry,
        }

        private struct Fighter
        {
            public Vec3 Speed;
            public Fix Rage;
            public Mood Mood;
        }

        private struct Padded
        {
            public byte A;
            public int B;
        }

        /// <summary>A game without rules: what its State does is the test's.</summary>
        private sealed class Stated : IGame
        {
            public Action<OwnState> Does { get; set; }

            public World World { get; } = new World(1);

            public void State(OwnState own) => Does(own);

            public void Play(ReadOnlySpan<long> inputs, PlayedFrame frame) =>
                World.Step(frame.Events);
        }

        [Test]
        public void EachKindOfValueIsSavedLoadedAndNamed()
        {
            var fighters = new Fighter[2];
            bool isOver = false;
            long score = 1L << 40;
            var random = new GameRandom(5);
            var game = new Stated
            {
                Does = state =>
                {
                    state.Field("over", ref isOver);
                    state.Field("score", ref score);
                    state.Field("random", ref random);
                    state.Field("fighters", fighters);
                },
            };
            var own = new OwnState(game);
            own.Save();
            byte[] before = own.Bytes.AsSpan().ToArray();
            fighters[1].Speed = new Vec3(1, 2, 3);
            fighters[1].Mood = Mood.Angry;
            fighters[0].Rage = Fix.Parse("1.5");
            isOver = true;
            score = -7;
            random.Next();
            own.Save();
            Assert.AreEqual(
                new[]
                {
                    "over: False and True", "score: 1099511627776 and -7",
                    $"random.state: 5 and {random.State}", "fighters[0].Rage: 0 and 1.5",
                    "fighters[1].Speed: (0, 0, 0) and (1, 2, 3)",
                    "fighters[1].Mood: Calm and Angry",
                },
                own.Compare(before, own.Bytes));
            Assert.IsTrue(isOver && score == -7, "a comparison changes nothing:");
            before.CopyTo(own.Bytes, 0);
            own.Load();
            Assert.IsTrue(!isOver && score == 1L << 40 && random == new GameRandom(5));
            Assert.IsTrue(fighters[1].Mood == Mood.Calm && fighters[0].Rage == default(Fix));
        }

        [Test]
        public void AListIsSavedAtItsLengthLoadedAndNamed()
        {
            var bombs = new List<Vec3>();
            int last = 7;
            var game = new Stated
            {
                Does = state =>
                {
                    state.Field("bombs", bombs, 3);
                    state.Field("last", ref last);
                },
            };
            var own = new OwnState(game);
            own.Save();
            byte[] empty = Unpadded(own.Bytes);
            bombs.Add(new Vec3(1, 2, 3));
            bombs.Add(new Vec3(4, 5, 6));
            last = 9;
            own.Save();
            byte[] full = Unpadded(own.Bytes);
            Assert.AreEqual("8 and 32", $"{empty.Length} and {full.Length}");
            Assert.AreEqual(
                new[] { "bombs.Count: 0 and 2", "last: 7 and 9" }, own.Compare(empty, full));
            byte[] other = full.AsSpan().ToArray();
            other[4] = 9;
            Assert.AreEqual(
                new[] { "bombs[0]: (1, 2, 3) and (9, 2, 3)" }, own.Compare(full, other));
            other[0] = 4;
            Assert.IsTrue(Assert.Throws<ArgumentOutOfRangeException>(() => own.Compare(full, other))
                .Message.StartsWith("bombs.Count must be 0..3, not 4", StringComparison.Ordinal));
            bombs.Clear();
            last = 0;
            own.Load();
            Assert.IsTrue(bombs.Count == 2 && bombs[1] == new Vec3(4, 5, 6) && last == 9);
            bombs.AddRange(bombs.ToArray());
            Assert.Throws<ArgumentOutOfRangeException>(own.Save);
        }

        private static byte[] Unpadded(byte[] own) =>
            own.AsSpan(8, (int)BitConverter.ToInt64(own, 0)).ToArray();

        [Test]
        public void AValueThatNoStateMayHaveIsRefusedByName()
        {
            float speed = 0;
            var padded = new Padded { A = 1, B = 2 };
            var pair = default(KeyValuePair<int, string>);
            int a = 0, b = 0;
            Refused("speed is a Single, which differs", state => state.Field("speed", ref speed));
            Refused("pair.value is a String: a state has", state => state.Field("pair", ref pair));
            Refused("hats: Padded has padding", state => state.Field("hats", ref padded));
            Refused("health", state => state.Field("health", (int[])null));
            bool isLonger = false;
            var game = new Stated
            {
                Does = state =>
                {
                    state.Field("a", ref a);
                    if (isLonger)
                        state.Field("b", ref b);
                },
            };
            using (var peer = new Rollback(game, new byte[1]))
            {
                isLonger = true;
                string text = Assert.Throws<InvalidOperationException>(
                    () => peer.Tick(new long[1])).Message;
                Assert.AreEqual("State must name as many bytes as at the start: 4, not 8", text);
            }
        }

        private static void Refused(string message, Action<OwnState> does)
        {
            string text = "";
            try
            {
                new Rollback(new Stated { Does = does }, new byte[1]).Dispose();
            }
            catch (ArgumentException error)
            {
                text = error.Message;
            }

            Assert.IsTrue(text.Contains(message), text);
        }

        [Test]
        public void TwoPeersAgreeOverALineThatLosesAndRecordInputsAndStates()
        {
            var games = new[] { new Game(), new Game() };
            Rollback[] peers = Pair(games);
            var texts = new string[2];
            var logs = new Recorder[2];
            for (int i = 0; i < 2; i++)
            {
                int me = i;
                games[i].States = new Dictionary<uint, ulong>();
                logs[i] = new Recorder(games[i].World, "{\"tick_rate\":60,\"sim\":\"pit\"}");
                peers[i].Confirmed += (frame, inputs) =>
                {
                    Assert.AreEqual(games[me].States[frame.Frame], frame.State);
                    if (frame.Frame >= 700)
                        return;
                    logs[me].Inputs(inputs);
                    logs[me].Step(frame.Events.Span, frame.Hash, state: frame.State);
                };
            }

            Play(peers, 900);
            for (int i = 0; i < 2; i++)
            {
                Assert.AreEqual(700, logs[i].Frames);
                Assert.IsTrue(peers[i].Desync == null && peers[i].Pace.Resteps > 100);
                logs[i].End();
                texts[i] = System.Text.Encoding.UTF8.GetString(logs[i].TakeText());
            }

            Assert.IsTrue(texts[0].Contains("\"sim\":\"pit\"") && texts[0] == texts[1]);
            Assert.IsTrue(!peers[0].Receive(1, new byte[9]) && peers[0].Refusal(1).Status < 0);
            PlayerPace own = peers[0].Player(0), other = peers[0].Player(1);
            Assert.IsTrue(own.Peer == 0 && other.Peer == 1 && other.Late > 0 && own.Late == 0);
            Assert.Throws<ArgumentOutOfRangeException>(() => peers[0].Player(2));
            Assert.Throws<ArgumentOutOfRangeException>(() => peers[0].Kept(Part.Events));
            foreach (Rollback peer in peers)
                peer.Dispose();
        }

        /// <summary>A game that throws in the middle of every 37th call, after it changed its state.
        /// </summary>
        private sealed class Thrower : IGame
        {
            private readonly IGame game = new Game();
            private int calls = -9;

            public World World => game.World;

            public void State(OwnState own)
            {
                game.State(own);
                Throw();
            }

            public void Play(ReadOnlySpan<long> inputs, PlayedFrame frame)
            {
                game.Play(inputs, frame);
                Throw();
            }

            internal void Throw()
            {
                if (++calls > 0 && calls % 37 == 0)
                    throw new NotSupportedException();
            }
        }

        [Test]
        public void WhatAGameThrowsInTheMiddleLosesNothing()
        {
            var thrower = new Thrower();
            var inputs = new List<long[]>();
            var states = new List<ulong?>();
            int thrown = 0;
            using (var peer = new Rollback(thrower, new byte[2], check: 4))
            {
                peer.Predicted += row => thrower.Throw();
                peer.Confirmed += (frame, values) =>
                {
                    Assert.AreEqual((uint)states.Count, frame.Frame);
                    inputs.Add(values.AsSpan().ToArray());
                    states.Add(frame.State);
                    thrower.Throw();
                };
                for (int tick = 0; states.Count < 300; tick++)
                {
                    try
                    {
                        peer.Tick(new[] { Key(0, tick), Key(1, tick) });
                    }
                    catch (NotSupportedException)
                    {
                        thrown++; // the next tick goes on
                    }
                }

                Assert.IsTrue(thrown > 50 && peer.Desync == null, $"{thrown}");
            }

            using (var peer = new Rollback(new Game(), new byte[2]))
            {
                int next = 0;
                peer.Confirmed += (frame, values) =>
                    Assert.AreEqual(states[next++], frame.State, $"frame {frame.Frame}");
                foreach (long[] values in inputs)
                    peer.Tick(values);
                Assert.IsTrue(next > 290);
            }
        }

        [Test]
        public void ARightGuessIsNeverSteppedAgain()
        {
            var games = new[] { new Oracle(), new Oracle() };
            Rollback[] peers = Pair(games);
            Play(peers, 300);
            for (int i = 0; i < 2; i++)
            {
                Assert.AreEqual(0ul, peers[i].Pace.Resteps);
                Assert.IsTrue(games[i].Oldest > 1 && peers[i].Pace.First > 200);
                peers[i].Dispose();
            }
        }
    }
}
