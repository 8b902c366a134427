using System;
using Fixsync;

namespace DuelSample
{
    /// <summary>Two peers in one process, with a line each way in place of a network.</summary>
    public sealed class DuelMatch : IDisposable
    {
        private readonly LossyLine[] lines;
        private readonly byte[] packet = new byte[Native.FXS_PACKET_SIZE];
        private readonly long[] keys = new long[1];

        public DuelGame[] Games { get; } = new DuelGame[DuelGame.Players];

        public Rollback[] Peers { get; } = new Rollback[DuelGame.Players];

        /// <summary>level: as `fixsync level` writes it. check: frames that the sync test goes
        /// back, in a build for tests; 0 is off.</summary>
        public DuelMatch(Level level, FrameData frames, ulong seed, int check = 0)
        {
            lines = new[] { new LossyLine(seed), new LossyLine(seed + 1) };
            for (int i = 0; i < Peers.Length; i++)
            {
                Games[i] = new DuelGame(level, frames);
                byte[] players = i == 0 ? new byte[] { 0, 1 } : new byte[] { 1, 0 };
                Peers[i] = new Rollback(Games[i], players, match: seed, check: check);
            }
        }

        /// <summary>Frames that are certain at both peers.</summary>
        public uint Confirmed => Math.Min(Peers[0].Pace.First, Peers[1].Pace.First);

        /// <summary>A tick of the clock: each peer reads its line, steps, and sends. pressed: the
        /// keys of a player for a frame.</summary>
        public void Tick(Func<int, uint, Keys> pressed)
        {
            for (int i = 0; i < Peers.Length; i++)
            {
                Rollback peer = Peers[i];
                for (int size; (size = lines[1 - i].Receive(packet)) > 0;)
                    peer.Receive(1, new ReadOnlySpan<byte>(packet, 0, size));
                keys[0] = (long)pressed(i, peer.Pace.Head);
                peer.Tick(keys);
                lines[i].Send(new ReadOnlySpan<byte>(packet, 0, peer.Packet(1, packet)));
            }
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
            for (int i = 0; i < Peers.Length; i++)
            {
                Peers[i].Dispose();
                Games[i].Dispose();
            }
        }
    }

    /// <summary>A line that delays packets by 1 to 7 ticks, mixes them up, and loses a third of
    /// them. It is read once a tick.</summary>
    internal sealed class LossyLine
    {
        private readonly byte[][] packets = new byte[8][]; // more than can be under way
        private readonly int[] sizes = new int[8], dues = new int[8]; // a size of 0: free
        private GameRandom random;
        private int now;

        public LossyLine(ulong seed)
        {
            random = new GameRandom(seed);
            for (int i = 0; i < packets.Length; i++)
                packets[i] = new byte[Native.FXS_PACKET_SIZE];
        }

        public void Send(ReadOnlySpan<byte> packet)
        {
            int free = Array.IndexOf(sizes, 0);
            if (random.Chance(1, 3))
                return;
            packet.CopyTo(packets[free]);
            sizes[free] = packet.Length;
            dues[free] = now + 1 + (int)random.Below(7);
        }

        /// <summary>The size of the next packet that has arrived; 0, and the tick ends, without
        /// one.</summary>
        public int Receive(byte[] to)
        {
            for (int i = 0; i < sizes.Length; i++)
            {
                int size = sizes[i];
                if (size == 0 || dues[i] > now)
                    continue;
                sizes[i] = 0;
                Array.Copy(packets[i], to, size);
                return size;
            }

            now++;
            return 0;
        }
    }
}
