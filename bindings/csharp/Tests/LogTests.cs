using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Runtime.InteropServices;
using NUnit.Framework;

namespace Fixsync.Tests
{
    /// <summary>A match log as traces.py writes it.</summary>
    public sealed class Trace
    {
        public World World;
        public List<Command[]> Commands = new List<Command[]>();
        public List<object[]> Questions = new List<object[]>();
        public List<Event[]> Events = new List<Event[]>();
        public List<Array[]> Answers = new List<Array[]>();
        public List<ulong> Hashes = new List<ulong>();

        private readonly byte[] bytes;
        private int at;

        public static string Folder =>
            Environment.GetEnvironmentVariable("FIXSYNC_TRACES") ?? ".";

        public Trace(string name)
        {
            bytes = File.ReadAllBytes(Path.Combine(Folder, name + ".trace"));
            uint capacity = Number(), hitWhen = Number();
            var masks = new uint[32];
            for (int i = 0; i < masks.Length; i++)
                masks[i] = Number();
            byte[] level = Rows<byte>(Number());
            World = new World(
                capacity, null, (Contact)hitWhen, 1, level.Length > 0 ? new Level(level) : null);
            World.LayerMasks = masks;
            for (uint frames = Number(); frames > 0; frames--)
                ReadFrame();
            Assert.AreEqual(bytes.Length, at);
        }

        private void ReadFrame()
        {
            Commands.Add(Rows<Command>(Number()));
            var questions = new object[Number()];
            for (int i = 0; i < questions.Length; i++)
                questions[i] = Number() == 0 ? Rows<Query>(1)[0] : (object)Rows<Cast>(1)[0];
            Questions.Add(questions);
            Events.Add(Rows<Event>(Number()));
            Answers.Add(questions.Select(
                q => q is Query ? (Array)Rows<uint>(Number()) : Rows<CastHit>(Number())).ToArray());
            Hashes.Add(Number() | (ulong)Number() << 32);
        }

        private uint Number() => Rows<uint>(1)[0];

        private T[] Rows<T>(uint count)
            where T : struct
        {
            int size = (int)count * Marshal.SizeOf(typeof(T));
            T[] rows = MemoryMarshal.Cast<byte, T>(
                new ReadOnlySpan<byte>(bytes, at, size)).ToArray();
            at += size;
            return rows;
        }
    }

    public class LogTests
    {
        private static readonly string[] Logs =
        {
            "allegiance", "clashes", "courtyard", "crowd", "dashes", "edges", "grazes",
            "skill_fight", "storms", "turned",
        };

        [Test]
        public void EachLogGivesItsEventsAnswersAndHashes()
        {
            var events = new Rows<Event>(1);
            var ids = new Rows<uint>(1);
            var hits = new Rows<CastHit>(1);
            foreach (string name in Logs)
            {
                var trace = new Trace(name);
                World world = trace.World;
                var recorder = new Recorder(world, 60);
                using (var file = File.Create(Path.Combine(Trace.Folder, name + ".jsonl")))
                {
                    for (int frame = 0; frame < trace.Hashes.Count; frame++)
                    {
                        string where = $"{name}, frame {frame}";
                        world.Apply(trace.Commands[frame]);
                        world.Step(events);
                        Assert.AreEqual(trace.Events[frame], events.ToArray(), where);
                        Assert.AreEqual(trace.Hashes[frame], world.Hash(), where);
                        recorder.Commands(trace.Commands[frame]);
                        foreach (object question in trace.Questions[frame])
                            if (question is Query query)
                                recorder.Query(query);
                            else
                                recorder.Cast((Cast)question);
                        for (int i = 0; i < trace.Answers[frame].Length; i++)
                        {
                            if (trace.Questions[frame][i] is Query query)
                            {
                                world.Query(query, ids);
                                Assert.AreEqual(trace.Answers[frame][i], ids.ToArray(), where);
                                recorder.Ids(ids.Span);
                            }
                            else
                            {
                                world.Cast((Cast)trace.Questions[frame][i], hits);
                                Assert.AreEqual(trace.Answers[frame][i], hits.ToArray(), where);
                                recorder.Hits(hits.Span);
                            }
                        }

                        recorder.Step(events.Span, world.Hash());
                        byte[] text = recorder.TakeText();
                        file.Write(text, 0, text.Length);
                    }

                    recorder.End();
                    byte[] last = recorder.TakeText();
                    file.Write(last, 0, last.Length);
                }

                world.Dispose();
            }
        }

        [Test]
        public void ASavedStateGoesOnInAnotherWorld()
        {
            var trace = new Trace("courtyard");
            World world = trace.World;
            var events = new Rows<Event>();
            for (int frame = 0; frame < trace.Hashes.Count; frame++)
            {
                if (frame == trace.Hashes.Count / 2)
                {
                    byte[] saved = world.Save();
                    var buffer = new byte[world.SaveSize];
                    Assert.AreEqual(buffer.Length, world.Save(buffer));
                    Assert.AreEqual(saved, buffer);
                    Assert.AreEqual(world.Hash(), Fix.Hash64(saved));
                    World other = new World(world.Capacity, null, Contact.Touching, 1, world.Level);
                    other.Load(saved);
                    World copy = other.Copy();
                    world.Dispose();
                    other.Dispose();
                    world = copy;
                }

                world.Apply(trace.Commands[frame]);
                world.Step(events);
                Assert.AreEqual(trace.Hashes[frame], world.Hash(), $"frame {frame}");
            }

            world.Dispose();
        }
    }
}
