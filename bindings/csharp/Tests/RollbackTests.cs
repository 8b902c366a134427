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

            public int OwnSize => 5;

            public void Save(Span<byte> own)
            {
                int saved = fault == "unsaved" ? 0 : health;
                for (int i = 0; i < 4; i++)
                    own[i] = (byte)(saved >> (8 * i));
                own[4] = 0;
                foreach (int key in held.Keys)
                    own[4] |= (byte)(1 << key);
            }

            public void Load(ReadOnlySpan<byte> own)
            {
                if (fault != "unsaved")
                    health = own[0] | own[1] << 8 | own[2] << 16 | own[3] << 24;
                held.Clear();
                for (int key = 0; key < 8; key++)
                    if ((own[4] >> key & 1) != 0)
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
                var own = new byte[OwnSize];
                Save(own);
                var all = new List<byte>(World.Save());
                all.AddRange(own);
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

        private static string PartOf(string fault) =>
            fault == "unsaved" ? "Shown" : fault == "reaction" ? "Own" : "World";

        [Test]
        public void TheSyncTestNamesThePartOfAFaultAndNothingOfAGoodGame()
        {
            var good = new Rollback(new Game(), new byte[2], new byte[16], check: 8);
            for (int frame = 0; frame < 600; frame++)
                good.Tick(new[] { Key(0, frame), Key(1, frame) });
            Assert.IsTrue(good.Desync == null && good.Kept(Part.World) == null);
            good.Dispose();
            foreach (string fault in Game.Faults)
            {
                var game = new Game(fault);
                using (var peer = new Rollback(game, new byte[2], new byte[16], check: 8))
                {
                    peer.Predicted += game.React;
                    for (int frame = 0; frame < 600 && peer.Desync == null; frame++)
                        peer.Tick(new[] { Key(0, frame), Key(1, frame) });
                    Assert.AreEqual(PartOf(fault), $"{peer.Desync?.Part}", fault);
                    bool isOfWorld = peer.Desync.Part == Part.World;
                    Assert.AreEqual(isOfWorld, peer.Desync.Differences.Count > 0, fault);
                    string text = $"{peer.Desync}";
                    Assert.AreEqual(isOfWorld, text.Contains("collider"), text);
                    Assert.AreEqual(5, peer.Kept(Part.Own, 1).Length);
                }
            }
        }

        [Test]
        public void TwoPeersNameTheSameFrameOfAFaultAndItsColliderAndField()
        {
            foreach (string fault in new[] { "unsaved", "clock", "order", "float", "reaction" })
            {
                Rollback[] peers = Pair(new[] { new Game(fault), new Game(fault) });
                Play(peers, 900);
                Desync a = peers[0].Desync, b = peers[1].Desync;
                Assert.IsTrue(a != null && b != null, fault);
                Assert.AreEqual(a.Frame, b.Frame, fault);
                Assert.AreEqual(PartOf(fault), $"{a.Part}", fault);
                Assert.AreEqual(2ul, a.Players);
                var rows = new Rows<Difference>();
                byte[] theirs = peers[1].Kept(Part.World);
                if (a.Part == Part.World)
                {
                    peers[0].Differences(theirs, rows);
                    Assert.IsTrue(rows.Count > 0 && $"{rows[0]}".Contains("collider"), fault);
                }
                else if (a.Part == Part.Own)
                {
                    Assert.IsTrue(
                        !peers[0].Kept(Part.Own).AsSpan().SequenceEqual(peers[1].Kept(Part.Own)));
                }

                foreach (Rollback peer in peers)
                    peer.Dispose();
            }
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
                    Assert.AreEqual(games[me].States[frame.Frame], frame.State.Value);
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
