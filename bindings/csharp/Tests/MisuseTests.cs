using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;
using NUnit.Framework;

namespace Fixsync.Tests
{
    public class MisuseTests
    {
        private static readonly Shape Ball = Shape.Sphere(Fix.One);

        [Test]
        public void ADisposedObjectThrows()
        {
            var world = new World(8);
            var peer = new Rollback(new RollbackTests.Game(), new byte[2]);
            NativeObject[] all = { world, peer };
            foreach (NativeObject one in all)
            {
                one.Dispose();
                one.Dispose();
            }

            Assert.Throws<ObjectDisposedException>(() => world.Hash());
            Assert.Throws<ObjectDisposedException>(() => world.Add(new Collider(1, Ball)));
            Assert.Throws<ObjectDisposedException>(() => new World(8).CopyFrom(world));
            Assert.Throws<ObjectDisposedException>(() => peer.Tick(new long[2]));
        }

        [Test]
        public void TwoThreadsNeverUseOneWorldAtOnce()
        {
            var world = new World(256, hitCapacity: 1);
            for (uint id = 0; id < 256; id++)
                world.Add(new Collider(id, Ball));
            int refused = 0;
            Exception other = null;
            Action play = () =>
            {
                var events = new Rows<Event>(1);
                for (int i = 0; i < 300; i++)
                {
                    try
                    {
                        world.Step(events);
                        world.Load(world.Save());
                    }
                    catch (InvalidOperationException)
                    {
                        Interlocked.Increment(ref refused);
                    }
                    catch (Exception error)
                    {
                        other = error;
                    }
                }
            };
            var threads = new[] { new Thread(() => play()), new Thread(() => play()) };
            foreach (Thread thread in threads)
                thread.Start();
            foreach (Thread thread in threads)
                thread.Join();
            Assert.AreEqual(null, other);
            Assert.AreEqual(256 * 255 / 2, Hits(world));
            world.Dispose();
        }

        private static int Hits(World world)
        {
            var hits = new Rows<Hit>();
            world.Step(new Rows<Event>());
            world.Hits(hits);
            return hits.Count;
        }

        [Test]
        public void ACallBackIntoTheSameObjectThrows()
        {
            var world = new World(8);
            using (world.Enter())
            {
                string text = Assert.Throws<InvalidOperationException>(() => world.Hash()).Message;
                Assert.AreEqual(
                    "this World is in use by another thread, or by the call that a callback " +
                    "interrupted", text);
                Assert.Throws<InvalidOperationException>(() => world.Dispose());
            }

            world.Dispose();
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static void Drop(int count)
        {
            for (int i = 0; i < count; i++)
            {
                var world = new World(64, level: Level.Of(new Solid[0]));
                world.Add(new Collider(1, Ball));
                if (i % 2 == 0)
                    world.Dispose();
            }
        }

        [Test]
        public void WorldsThatNobodyDisposesAreFreed()
        {
            Drop(2000);
            Collect();
            long before = Resident();
            for (int i = 0; i < 10; i++)
            {
                Drop(10000);
                Collect(); // else finalizers fall behind on a busy machine
            }

            long grown = Resident() - before;
            Assert.IsTrue(grown < 64 << 20, $"10^5 worlds grew by {grown} bytes: no growth");
        }

        private static void Collect()
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
            GC.Collect();
        }

        private static long Resident() =>
            System.Diagnostics.Process.GetCurrentProcess().WorkingSet64;

        [Test]
        public void AFinalizerNeverEndsACall()
        {
            // Each world is last used by the call itself, while another thread collects.
            bool done = false;
            var collector = new Thread(() =>
            {
                while (!Volatile.Read(ref done))
                    Collect();
            });
            collector.Start();
            ulong first = 0;
            for (int i = 0; i < 300; i++)
            {
                ulong hash = Filled().Hash();
                first = first == 0 ? hash : first;
                Assert.AreEqual(first, hash);
            }

            Volatile.Write(ref done, true);
            collector.Join();
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static World Filled()
        {
            var world = new World(4096);
            for (uint id = 0; id < 64; id++)
                world.Add(new Collider(id, Ball, new Pose(Fix.Units((int)id, 0, 0))));
            return world;
        }
    }
}
