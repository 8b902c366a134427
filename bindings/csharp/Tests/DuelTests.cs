using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using DuelSample;
using NUnit.Framework;

namespace Fixsync.Tests
{
    /// <summary>The sample, as its users would play it.</summary>
    public class DuelTests
    {
        private const uint Length = 900;

        private static string PathOf(string name) => Path.Combine(Trace.Folder, name);

        private static Level Arena => new Level(File.ReadAllBytes(PathOf("arena.fxlevel")));

        private static FrameData Frames =>
            FrameData.FromJson(File.ReadAllBytes(PathOf("fighter.json")));

        private static long[] Inputs(uint frame) =>
            new[] { (long)DuelMatch.Bot(0, frame), (long)DuelMatch.Bot(1, frame) };

        private sealed class Played
        {
            public readonly List<string> Certain = new List<string>();
            public readonly Recorder Log;
            public int Predicted, TakenBack;

            public Played(World world)
            {
                Log = new Recorder(world, 60);
            }

            public void Keep(ConfirmedFrame frame, long[] inputs)
            {
                if (frame.Frame >= Length)
                    return;
                foreach (Event row in frame.Events)
                    Certain.Add($"{frame.Frame}: {row}");
                Log.Commands(frame.Commands.Span);
                Log.Step(frame.Events.Span, frame.Hash, true);
            }
        }

        [Test]
        public void TwoPeersOverALossyLineRecordTheMatchThatWasNeverRolledBack()
        {
            // One peer with both players is never rolled back.
            var game = new DuelGame(Arena, Frames);
            var straight = new Played(game.World);
            using (var peer = new Rollback(game, new byte[2], check: 8))
            {
                peer.Confirmed += straight.Keep;
                while (peer.Pace.First < Length)
                    peer.Tick(Inputs(peer.Pace.Head));
            }

            straight.Log.End();
            byte[] text = straight.Log.TakeText();
            Assert.IsTrue(game.FallsOf(0) + game.FallsOf(1) > 1, "somebody falls:");
            int predicted = 0, takenBack = 0;
            for (ulong seed = 1; seed <= 8; seed++)
            {
                var match = new DuelMatch(Arena, Frames, seed, seed == 8 ? 4 : 0);
                var played = new Played[2];
                for (int i = 0; i < 2; i++)
                {
                    Played mine = played[i] = new Played(match.Games[i].World);
                    match.Peers[i].Predicted += row => mine.Predicted++;
                    match.Peers[i].TakenBack += row => mine.TakenBack++;
                    match.Peers[i].Confirmed += mine.Keep;
                }

                for (uint now = 0; match.Confirmed < Length; now++)
                {
                    Assert.IsTrue(now < 20 * Length, "the match ends:");
                    match.Tick(DuelMatch.Bot);
                }

                for (int i = 0; i < 2; i++)
                {
                    played[i].Log.End();
                    Assert.AreEqual(null, match.Peers[i].Desync);
                    Assert.AreEqual(straight.Certain, played[i].Certain);
                    Assert.IsTrue(
                        Enumerable.SequenceEqual(text, played[i].Log.TakeText()),
                        "the log is that of the match without a network:");
                    predicted += played[i].Predicted;
                    takenBack += played[i].TakenBack;
                }

                match.Dispose();
            }

            Assert.IsTrue(takenBack > 0 && predicted > takenBack, $"{takenBack} of {predicted}");
            File.WriteAllBytes(PathOf("duel.jsonl"), text);
            game.Dispose();
        }

        [Test]
        public void TheSampleAllocatesNothingInAFrame()
        {
            Garbage(); // the runtime prepares each call once
            Assert.AreEqual(0L, Garbage());
        }

        private static long Garbage()
        {
            using (var match = new DuelMatch(Arena, Frames, 1))
            {
                Func<int, uint, Keys> bot = DuelMatch.Bot;
                for (int i = 0; i < 9; i++)
                    match.Tick(bot); // the peers meet, and frame 0 is stepped
                long before = GC.GetAllocatedBytesForCurrentThread();
                for (int i = 0; i < 600; i++)
                    match.Tick(bot);
                long found = GC.GetAllocatedBytesForCurrentThread() - before;
                Assert.IsTrue(match.Confirmed > 500 && match.Peers[0].Pace.Resteps > 100);
                return found;
            }
        }

        [Test]
        public void ABodyStrikesMirrorsAndLoads()
        {
            var frames = new FrameData(File.ReadAllBytes(PathOf("fighter.table")));
            Assert.IsTrue(frames.Parts == 4 && frames.Attacks == 4);
            using (var world = new World(8))
            {
                var body = new Body(
                    world, frames, new uint[] { 0, 1, 2, 3 }, 1, default(Pose), mirrored: true);
                Assert.IsTrue(body.IsMirrored && !body.HasHit && body.Attack == -1);
                body.Mirror(world, false);
                byte[] idle = body.Save();
                body.Start(world, 2); // the slash: 4 frames, then active for 3
                Assert.AreEqual(Phase.Startup, body.Phase);
                for (int i = 0; i < 4; i++)
                    body.Tick(world);
                Assert.AreEqual(Phase.Active, body.Phase);
                Assert.IsTrue(body.Strike(5) && !body.Strike(5) && body.HasHit);
                Assert.IsTrue(body.AttackFrame == 4 && body.Hit == 0 && !body.CanStart(0));
                var rows = new Rows<Difference>();
                States.BodyDifferences(idle, body.Save(), rows);
                Assert.IsTrue(rows.Count > 2 && rows[0].First != rows[0].Second);
                var made = new Rows<Command>();
                body.Cancel(world, made);
                Assert.AreEqual(CommandType.Active, made[0].Type);
                body.Load(idle);
                Assert.AreEqual(Fix.Hash64(idle), body.Hash());
                body.Remove(world);
                Assert.AreEqual(0, world.Count);
            }
        }

        [Test]
        public void FrameDataOfAFileHasNames()
        {
            byte[] file = File.ReadAllBytes(PathOf("fighter.json"));
            FrameData frames = FrameData.FromJson(file);
            Assert.AreEqual(File.ReadAllBytes(PathOf("fighter.table")), frames.ToBytes());
            Assert.IsTrue(frames.Part("beam") == 2 && frames.Attack("dash") == 3);
            Assert.IsTrue(frames.PartName(0) == "body" && frames.AttackName(0) == "blast");
            using (var world = new World(8))
            {
                var body = new Body(world, frames, new uint[] { 4, 5, 6, 7 }, 1, default(Pose));
                Assert.IsTrue(body.CanStart("beam") && body.AttackName == null);
                body.Start(world, "beam");
                Assert.IsTrue(body.Attack == 1 && body.AttackName == "beam");
                Assert.IsTrue(body.Id("slash") == 5 && body.PartOf(5) == "slash");
                Assert.AreEqual(null, body.PartOf(8));
                for (uint victim = 0; victim < 64; victim++)
                    body.Strike(victim);
                var bytes = new byte[Body.SaveSizeMax];
                Assert.AreEqual(bytes.Length, body.Save(bytes));
                Assert.AreEqual(Fix.Hash64(bytes), body.Hash());
                Throws<ArgumentException>(
                    "length of to must be 280 or more, not 279", () => body.Save(new byte[279]));
                Throws<KeyNotFoundException>(
                    "no attack \"jab\": they are blast, beam, slash, dash",
                    () => body.Start(world, "jab"));
                Throws<KeyNotFoundException>(
                    "no part \"fist\": they are body, slash, beam, blast", () => body.Id("fist"));
            }

            Throws<InvalidDataException>(
                "parts.body.shape[1] must be 1..536870911, not 0",
                () => FrameData.FromJson("{\"parts\":{\"body\":{\"shape\":[\"sphere\",0]}}}"));
            Throws<InvalidOperationException>(
                "a table has no names: give the number of the attack, or read the file",
                () => new FrameData(frames.ToBytes()).Attack("slash"));
        }

        private static void Throws<T>(string message, Action call)
            where T : Exception
        {
            string found = Assert.Throws<T>(call).Message;
            Assert.IsTrue(found.Contains(message), found);
        }

        [Test]
        public void StrikesAreEachAttackerAndVictimOnce()
        {
            var frames = new FrameData(File.ReadAllBytes(PathOf("fighter.table")));
            using (var world = new World(16))
            {
                var right = new Pose(Fix.Units(1, 0, 0));
                var bodies = new[]
                {
                    new Body(world, frames, new uint[] { 0, 1, 2, 3 }, 1, default(Pose)),
                    new Body(world, frames, new uint[] { 9, 8, 7, 6 }, 2, right),
                };
                bodies[0].Start(world, 2);
                for (int i = 0; i < 4; i++)
                    bodies[0].Tick(world);
                Rows<Event> events = new Rows<Event>();
                Rows<Strike> strikes = new Rows<Strike>();
                world.Step(events);
                uint mask = 1u << world[9].Layer;
                Body.Strikes(world, events.Span, bodies, mask, strikes);
                Assert.AreEqual(1, strikes.Count);
                Strike one = strikes[0];
                Assert.IsTrue(one.Attacker == 0 && one.Victim == 1 && one.Owner == 2, $"{one.Part}");
                Assert.AreEqual(2, world[bodies[0].Id((int)one.Part)].Layer);
                Assert.IsTrue(bodies[0].HasHit && !bodies[1].HasHit);
                Body.Strikes(world, events.Span, bodies, mask, strikes);
                Assert.AreEqual(0, strikes.Count);
                for (uint owner = 10; owner < 73; owner++)
                    bodies[0].Strike(owner);
                var other = new Body(world, frames, new uint[] { 10, 11, 12, 13 }, 3, right);
                world.Step(events);
                Assert.Throws<InvalidOperationException>(() => Body.Strikes(
                    world, events.Span, new[] { other, bodies[0] }, mask, strikes));
                Assert.Throws<ArgumentException>(() => Body.Strikes(
                    world, events.Span, new[] { other, other }, mask, strikes));
            }
        }

        [Test]
        public void DifferencesNameTheFieldOfADesync()
        {
            DuelGame a = new DuelGame(Arena, Frames), b = new DuelGame(Arena, Frames);
            var played = new PlayedFrame();
            a.Play(Inputs(0), played);
            b.Play(Inputs(0), played);
            b.World.Move(4, b.World[4].Position + new Vec3(0, 0, 1));
            var rows = new Rows<Difference>();
            States.Differences(a.World.Save(), b.World.Save(), rows);
            Assert.AreEqual(1, rows.Count);
            var names = new Dictionary<uint, string> { { 4, "P2 body" } };
            string text = rows[0].ToText(names);
            Assert.IsTrue(text.StartsWith("collider 4 (P2 body), z: "), text);
            Assert.AreEqual(rows[0].First + 1, rows[0].Second);
            a.Dispose();
            b.Dispose();
        }
    }
}
