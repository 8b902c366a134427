// A peer in C# of the match of test_languages.py: PLAYER RANDOM LOG FRAMES.
using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Runtime.InteropServices;
using System.Text;
using Fixsync;

internal sealed class Pit : IGame
{
    private const int Jumps = 8;
    private readonly int[] numbers = { 100, 100, 0, 0 }; // health, then scores
    private readonly List<int> jumps = new List<int>();
    private GameRandom random = new GameRandom(5);

    internal Pit()
    {
        for (uint id = 0; id < 5; id++)
            World.Add(new Collider(id, Shape.Sphere(4), new Pose(At(id == 1 ? 20 : 10 * (int)id))));
    }

    public World World { get; } = new World(8);

    private static Vec3 At(int x) => new Vec3(x, 0, 0);

    public void State(OwnState own)
    {
        own.Field("random", ref random);
        own.Field("numbers", numbers);
        own.Field("jumps", jumps, Jumps);
    }

    public void Play(ReadOnlySpan<long> inputs, PlayedFrame frame)
    {
        for (uint i = 0; i < 2; i++)
        {
            int x = World[i].Position.X + 2 * ((int)(inputs[2 * (int)i] & 3) - 1);
            World.Move(i, At(Math.Max(-40, Math.Min(40, x))));
        }

        World.Step(frame.Events);
        frame.Hash = World.Hash();
        foreach (Event row in frame.Events.Span.ToArray())
        {
            if (row.Kind != EventKind.Enter || row.A > 1)
                continue;
            if (row.B > 1)
            {
                frame.Events.Add(Event.OfGame(row.A, row.B, 16, ++numbers[2 + row.A]));
                if (jumps.Count == Jumps)
                    jumps.RemoveAt(0);
                jumps.Add((int)random.Below(81) - 40);
                World.Move(row.B, At(jumps[jumps.Count - 1]));
                frame.Commands.Add(Command.Move(row.B, World[row.B].Position));
                frame.Reactions++;
            }

            for (uint i = 0; i < 2 && row.B < 2; i++)
            {
                if ((inputs[2 * (int)i + 1] & 1) == 0)
                    continue;
                numbers[1 - i] -= 1 + (int)random.Below(3) + jumps.Count;
                if (jumps.Count > 0)
                    jumps.RemoveAt(jumps.Count - 1);
                frame.Events.Add(Event.OfGame(i, 1 - i, 17, numbers[1 - i]));
            }
        }

        frame.Shown = Fix.Hash64(MemoryMarshal.AsBytes(numbers.AsSpan(0, 2)));
    }
}

internal static class Peer
{
    private static void Main(string[] arguments)
    {
        int me = int.Parse(arguments[0], CultureInfo.InvariantCulture);
        int frames = int.Parse(arguments[3], CultureInfo.InvariantCulture);
        var game = new Pit();
        var rollback = new Rollback(
            game, new[] { (byte)me, (byte)(1 - me) }, Encoding.ASCII.GetBytes(arguments[1]), 7, 9,
            predictionMax: 12, numbers: 2);
        var log = new Recorder(game.World, "{\"tick_rate\":60,\"sim\":\"pit\",\"seed\":5," +
            "\"names\":{\"game\":{\"16\":\"score\",\"17\":\"punch\"}}}");
        rollback.Confirmed += (frame, inputs) =>
        {
            if (frame.Frame < frames)
                log.Frame(frame, inputs, numbers: 2);
        };
        var packet = new byte[Native.FXS_PACKET_SIZE];
        for (string line = Console.ReadLine(); line != null; line = Console.ReadLine())
        {
            string[] words = line.Split(' ');
            foreach (string word in words.Skip(1))
            {
                var bytes = new byte[word.Length / 2];
                for (int i = 0; i < bytes.Length; i++)
                    bytes[i] = Convert.ToByte(word.Substring(2 * i, 2), 16);
                if (!rollback.Receive(1, bytes))
                    throw new InvalidDataException($"{rollback.Refusal(1).Status}");
            }

            rollback.Tick(words[0].Split(',').Select(long.Parse).ToArray());
            int size = rollback.Packet(1, packet);
            Pace pace = rollback.Pace;
            Console.WriteLine($"{pace.Head} {pace.First} {(rollback.Desync == null ? 0 : 1)} " +
                string.Concat(packet.Take(size).Select(one => one.ToString("x2"))));
        }

        log.End();
        File.WriteAllBytes(arguments[2], log.TakeText());
    }
}
