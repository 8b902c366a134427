using System;
using System.Collections.Generic;
using NUnit.Framework;

namespace Fixsync.Tests
{
    /// <summary>Two peers of a match, and the sync test with planted faults.</summary>
    public class RollbackTests
    {
        internal sealed class Game : IGame
        {
            private readonly string fault;
            private int health = 100, calls;
            private static int played;

            internal Game(string fault = "")
            {
                this.fault = fault;
                World.Add(new Collider(0, Shape.Sphere(4)));
                World.Add(new Collider(1, Shape.Sphere(4), new Pose(new Vec3(20, 0, 0))));
            }

            public World World { get; } = new World(4);

            public int OwnSize => 4;

            public void Save(Span<byte> own)
            {
                int saved = fault == "unsaved" ? 0 : health;
                for (int i = 0; i < 4; i++)
                    own[i] = (byte)(saved >> (8 * i));
            }

            public void Load(ReadOnlySpan<byte> own)
            {
                if (fault != "unsaved")
                    health = own[0] | own[1] << 8 | own[2] << 16 | own[3] << 24;
            }

            public void Play(ReadOnlySpan<long> inputs, PlayedFrame frame)
            {
                calls++;
                played++;
                for (int i = 0; i < 2; i++)
                {
                    int x = World[(uint)i].Position.X + ((int)inputs[i] & 3) - 1;
                    x += fault == "static" && played % 97 == 0 ? 1 : 0;
                    x += fault == "clock" && calls % 50 == 0 ? 1 : 0;
                    var to = new Vec3(Math.Max(-30, Math.Min(30, x)), 0, 0);
                    World.Move((uint)i, to);
                    frame.Commands.Add(Command.Move((uint)i, to));
                }

                World.Step(frame.Events);
                health -= frame.Events.Count > 0 ? 1 : 0;
                frame.Shown = (ulong)health;
            }
        }

        private static long Key(int player, int frame) =>
            (long)(new GameRandom((ulong)(frame / 7 * 2 + player)).Next() >> 40);

        [Test]
        public void TheSyncTestNamesThePartOfAFaultAndNothingOfAGoodGame()
        {
            foreach (string fault in new[] { "", "unsaved", "static", "clock" })
            {
                using (var peer = new Rollback(new Game(fault), new byte[2], new byte[16], check: 8))
                {
                    for (int frame = 0; frame < 600 && peer.Desync == null; frame++)
                        peer.Tick(new[] { Key(0, frame), Key(1, frame) });
                    string found = peer.Desync == null ? "" : $"{peer.Desync.Part}";
                    Assert.AreEqual(
                        fault == "" ? "" : fault == "unsaved" ? "Shown" : "World", found, fault);
                }
            }
        }

        [Test]
        public void TwoPeersAgreeOverALineThatLosesAndAFaultIsNamed()
        {
            foreach (string fault in new[] { "", "unsaved" })
            {
                var random = new GameRandom(3);
                var peers = new Rollback[2];
                var hashes = new List<ulong>[2];
                for (int i = 0; i < 2; i++)
                {
                    var life = new byte[16];
                    life[0] = (byte)(i + 1);
                    byte[] by = i == 0 ? new byte[] { 0, 1 } : new byte[] { 1, 0 };
                    peers[i] = new Rollback(new Game(i == 0 ? fault : ""), by, life);
                    List<ulong> mine = hashes[i] = new List<ulong>();
                    peers[i].Confirmed += (frame, inputs) => mine.Add(frame.Hash);
                }

                var flight = new Queue<byte[]>[] { new Queue<byte[]>(), new Queue<byte[]>() };
                var packet = new byte[Native.FXS_PACKET_SIZE];
                for (int frame = 0; frame < 900; frame++)
                {
                    for (int i = 0; i < 2; i++)
                    {
                        while (flight[1 - i].Count > 5)
                            peers[i].Receive(1, flight[1 - i].Dequeue());
                        peers[i].Tick(new[] { Key(i, frame) });
                        int size = peers[i].Packet(1, packet);
                        if (!random.Chance(1, 20))
                            flight[i].Enqueue(packet.AsSpan(0, size).ToArray());
                    }
                }

                int count = Math.Min(hashes[0].Count, hashes[1].Count);
                Assert.IsTrue(count > 700 || fault != "", $"{count} frames");
                if (fault == "")
                    Assert.AreEqual(
                        hashes[0].GetRange(0, count).ToArray(), hashes[1].GetRange(0, count).ToArray());
                Assert.AreEqual(fault == "", peers[0].Desync == null, $"{peers[0].Desync}");
                Assert.IsTrue(!peers[0].Receive(1, new byte[9]) && peers[0].Refusal(1).Status < 0);
                foreach (Rollback peer in peers)
                    peer.Dispose();
            }
        }
    }
}
