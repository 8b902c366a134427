using System;
using System.Diagnostics;
using Fixsync;

/// <summary>Frames of C#, to compare with bench.c: "n bulk single hash", nanoseconds.</summary>
public static class Bench
{
    public static void Main()
    {
        foreach (int n in new[] { 16, 100, 1000 })
        {
            var world = new World((uint)n, hitCapacity: 4096);
            var ids = new uint[n];
            var to = new Vec3[64][];
            var events = new Rows<Event>(8192);
            for (int i = 0; i < n; i++)
            {
                ids[i] = (uint)i;
                var at = new Vec3(i % 32 * 98304, 0, i / 32 * 98304);
                world.Add(new Collider(ids[i], Shape.Sphere(65536), new Pose(at)));
            }

            for (int frame = 0; frame < 64; frame++)
            {
                to[frame] = new Vec3[n];
                for (int i = 0; i < n; i++)
                    to[frame][i] = new Vec3(
                        i % 32 * 98304 + (frame + i) % 64 * 512, 0, i / 32 * 98304);
            }

            int frames = 100000 / n;
            double bulk = double.MaxValue, single = double.MaxValue;
            for (int round = 0; round < 120; round++)
            {
                var clock = Stopwatch.StartNew();
                for (int frame = 0; frame < frames; frame++)
                {
                    world.MoveMany(ids, to[frame % 64]);
                    world.Step(events);
                }

                bulk = Math.Min(bulk, clock.Elapsed.TotalMilliseconds * 1e6 / frames);
                clock.Restart();
                for (int call = 0; call < 50000; call++)
                    world.Move(ids[call % n], to[0][call % n]);
                single = Math.Min(single, clock.Elapsed.TotalMilliseconds * 1e6 / 50000);
            }

            Console.WriteLine($"{n} {bulk:f0} {single:f1} {world.Hash():x16}");
            world.Dispose();
        }
    }
}
