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
            var inputs = new Inputs(2, 4);
            var history = new History(world, 4);
            var rewind = new Rewind(4, 0, 999);
            NativeObject[] all = { world, inputs, history, rewind };
            foreach (NativeObject one in all)
            {
                one.Dispose();
                one.Dispose();
            }

            Assert.Throws<ObjectDisposedException>(() => world.Hash());
            Assert.Throws<ObjectDisposedException>(() => world.Add(new Collider(1, Ball)));
            Assert.Throws<ObjectDisposedException>(() => inputs.Put(0, 0, 0));
            Assert.Throws<ObjectDisposedException>(() => history.Head.ToString());
            Assert.Throws<ObjectDisposedException>(() => rewind.Push(new World(8)));
            Assert.Throws<ObjectDisposedException>(() => new Rewind(4, 0, 999).Push(world));
        }

        private static byte[] OwnState(uint frame)
        {
            var own = new byte[frame % 6];
            for (int i = 0; i < own.Length; i++)
                own[i] = (byte)(frame + 1);
            return own;
        }

        [Test]
        public void AHistoryTakesStatesOfAnyLengthUpToTheOneThatWasSaid()
        {
            var world = new World(8);
            world.Add(new Collider(1, Ball));
            var history = new History(world, 8, OwnState(0), ownMax: 5);
            Rows<Event> takenBack = new Rows<Event>(), predicted = new Rows<Event>();
            var events = new Rows<Event>();
            for (uint frame = 0; frame < 8; frame++)
            {
                world.Step(events);
                history.Push(
                    world, OwnState(frame + 1), false, default(ReadOnlySpan<Command>),
                    events.Span, takenBack, predicted);
            }

            var own = new byte[5];
            for (uint frame = 8; frame-- > 0;)
            {
                int length = history.Back(frame, world, own);
                Assert.AreEqual(OwnState(frame), new ReadOnlySpan<byte>(own, 0, length).ToArray());
                Assert.AreEqual(frame, world.Frame);
            }
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

        [Test]
        public void AFrameAllocatesNothing()
        {
            var world = new World(64);
            var commands = new Rows<Command>();
            var events = new Rows<Event>();
            var ids = new Rows<uint>();
            var hits = new Rows<CastHit>();
            var takenBack = new Rows<Event>();
            var predicted = new Rows<Event>();
            var confirmed = new ConfirmedFrame();
            for (uint id = 0; id < 64; id++)
                world.Add(new Collider(id, Ball, new Pose(Fix.Units((int)id, 0, 0))));
            var history = new History(world, 8);
            var buffer = new byte[8192];
            long before = 0;
            for (int frame = 0; frame < 10100; frame++)
            {
                if (frame == 100)
                    before = GC.GetAllocatedBytesForCurrentThread();

                commands.Clear();
                for (uint id = 0; id < 64; id++)
                {
                    int x = Fix.One * (int)id + frame % 50;
                    commands.Add(Command.Move(id, new Vec3(x, 0, 0)));
                }

                world.Apply(commands.Span);
                world.Step(events);
                world.Query(new Query(Ball, default(Pose)), ids);
                world.Cast(new Cast(Ball, default(Pose), Fix.Units(9, 0, 0)), hits);
                world.Save(buffer);
                history.Push(
                    world, default(ReadOnlySpan<byte>), true, commands.Span, events.Span, takenBack,
                    predicted);
                while (history.Confirm(confirmed))
                    continue;
            }

            long grown = GC.GetAllocatedBytesForCurrentThread() - before;
            Assert.AreEqual(0L, grown);
            history.Dispose();
            world.Dispose();
        }
    }
}
