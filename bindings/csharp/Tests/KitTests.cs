using System;
using System.Collections.Generic;
using System.Linq;
using NUnit.Framework;

namespace Fixsync.Tests
{
    public class KitTests
    {
        private static readonly Shape Ball = Shape.Sphere(Fix.One);

        [Test]
        public void NumbersAreRoundedHalvesAwayFromZero()
        {
            Assert.AreEqual(81920, Fix.Q("1.25"));
            Assert.AreEqual(6554, Fix.QNear("0.1"));
            Assert.AreEqual("-0.5", Fix.Format(-32768));
            Assert.AreEqual(-2, Fix.Mul(-3, 32768), "-1.5 raw units");
            Assert.AreEqual(2, Fix.MulDiv(3, 1, 2));
            Assert.AreEqual(Fix.Units(5), Fix.Hypot(Fix.Units(3, 0, 4)));
            Assert.AreEqual(16384, Fix.Degrees(90));
            Assert.AreEqual(65536 - 16384, Fix.Degrees(-90));
            Assert.AreEqual(182, Fix.Degrees(1));
            Assert.AreEqual(16384, Fix.YawOf(Vec3.Zero, Fix.Units(0, 0, 1)));
            Assert.AreEqual(Fix.Units(0, 0, 2), Fix.Forward(16384, Fix.Units(2)));
            Assert.AreEqual(-16384, Fix.YawBetween(16384, 0));
            Assert.IsTrue(Fix.Faces(0, 8192, 1, 1), "the border is within:");
            Assert.AreEqual(Fix.Units(0, 0, 1),
                Fix.Slide(Fix.Units(2, 0, 1), new Vec3(-(1 << 30), 0, 0)));
        }

        [Test]
        public void OperatorsThrowOutsideInt32AndRoundAsTheFunctions()
        {
            Fix half = Fix.Parse("0.5"), three = Fix.FromUnits(3), least = new Fix(int.MinValue);
            Assert.AreEqual(Fix.Parse("3.5"), three + half);
            Assert.AreEqual("-2.5", (half - three).ToString());
            Assert.AreEqual(Fix.Q("1.5"), (three * half).Raw);
            Assert.AreEqual(Fix.FromUnits(6), three / half);
            Assert.AreEqual(-2, (new Fix(-3) * half).Raw, "-1.5 raw units");
            Assert.IsTrue(half < three && three > half && half <= three && three >= half);
            Assert.IsTrue(half != three && -half == new Fix(-32768) && half.CompareTo(three) < 0);
            var sorted = new List<Fix> { three, least, half };
            sorted.Sort();
            Assert.AreEqual(new[] { least, half, three }, sorted);
            Assert.AreEqual(Fix.Units(3, 0, 0), new Vec3(three, default(Fix), new Fix(0)));
            Fix most = new Fix(int.MaxValue), bit = new Fix(1);
            Assert.Throws<OverflowException>(() => (most + bit).ToString());
            Assert.Throws<OverflowException>(() => (least - bit).ToString());
            Assert.Throws<OverflowException>(() => (-least).ToString());
            Assert.Throws<OverflowException>(() => (most * three).ToString());
            Assert.Throws<OverflowException>(() => (most / half).ToString());
            Assert.Throws<OverflowException>(() => (bit / default(Fix)).ToString());
            Assert.Throws<OverflowException>(() => Fix.FromUnits(32768).ToString());
            foreach (int raw in new[] { int.MinValue, -1, 0, 1, 98304, int.MaxValue })
            {
                Assert.AreEqual(raw, Fix.Parse(new Fix(raw).ToString()).Raw);
                Assert.IsTrue(Fix.TryParse(new Fix(raw).ToString(), out Fix again));
                Assert.AreEqual(raw, again.Raw);
                Assert.AreEqual(raw, Fix.FromFloat_UNSAFE(raw / 65536.0).Raw);
                Assert.AreEqual((float)(raw / 65536.0), new Fix(raw).ToFloat());
            }

            Assert.AreEqual(6554, Fix.FromFloat_UNSAFE(0.1f).Raw);
            Assert.AreEqual(-2, Fix.FromFloat_UNSAFE(-1.5 / 65536).Raw, "halves away from zero");
            foreach (double wrong in new[] { double.NaN, double.PositiveInfinity, 32768, -32769 })
                Assert.Throws<ArgumentOutOfRangeException>(() => Fix.FromFloat_UNSAFE(wrong));
        }

        [Test]
        public void AYawIsModuloOneTurn()
        {
            Yaw yaw = Yaw.FromDegrees(90);
            Assert.AreEqual(new Yaw(16384), yaw);
            Assert.AreEqual(100, (yaw + (65536 - 16284)).Steps);
            Assert.AreEqual(new Yaw(65535), yaw - 16385);
            Assert.AreEqual(new Yaw(0), -new Yaw(0));
            Assert.AreEqual(Yaw.FromDegrees(-90), -yaw);
            Assert.IsTrue(yaw + int.MaxValue == yaw - 1 && yaw - int.MinValue == yaw);
            Assert.AreEqual(yaw, Yaw.Parse(yaw.ToString()));
            Assert.AreEqual(90f, yaw.ToDegrees());
            Assert.AreEqual(new Yaw(65353), Yaw.FromDegrees_UNSAFE(-1.005));
            for (int steps = 0; steps < 65536; steps += 7)
                Assert.AreEqual(steps, Yaw.FromDegrees_UNSAFE(new Yaw(steps).ToDegrees()).Steps);
            Assert.AreEqual(yaw.Steps, new Pose(Vec3.Zero, yaw).Yaw);
            Assert.AreEqual(Fix.Units(0, 0, 2), Fix.Forward(yaw, Fix.Units(2)));
            Assert.Throws<ArgumentOutOfRangeException>(() => new Yaw(65536).ToString());
            Assert.Throws<ArgumentOutOfRangeException>(() => new Yaw(-1).ToString());
            Assert.Throws<ArgumentOutOfRangeException>(() => Yaw.Parse("65536"));
            foreach (string text in new[] { "", "1.5", "1,5", "x", " 1" })
                Assert.Throws<FormatException>(() => Yaw.Parse(text));
            Assert.Throws<ArgumentOutOfRangeException>(() => Yaw.FromDegrees_UNSAFE(double.NaN));
        }

        [Test]
        public void RandomNumbersAreSplitMix64()
        {
            var random = new GameRandom(1234567);
            Assert.AreEqual(6457827717110365317ul, random.Next());
            Assert.AreEqual(3203168211198807973ul, random.Next());
            GameRandom other = random; // a copy, as of a game's state that is kept for a rollback
            Assert.IsTrue(other == random && other.Equals(new GameRandom(random.State)));
            Assert.AreEqual(random.Next(), other.Next());
            other.Next();
            Assert.IsTrue(other != random);
            var deck = Enumerable.Range(0, 10).ToArray();
            random.Shuffle(deck);
            Assert.AreEqual(Enumerable.Range(0, 10), deck.OrderBy(card => card));
        }

        [Test]
        public void TwoShapesMeetPushAndCast()
        {
            var there = new Pose(Fix.Units(2, 0, 0));
            Assert.AreEqual(Contact.Touching, Ball.Overlap(default(Pose), Ball, there));
            var near = new Pose(new Vec3(Fix.Q("1.5"), 0, 0));
            Assert.AreEqual(new Vec3(Fix.Q("0.5"), 0, 0), Ball.PushOut(near, Ball, default(Pose)));
            Assert.IsTrue(Ball.Cast(
                default(Pose), Fix.Units(8, 0, 0), Ball, new Pose(Fix.Units(6, 0, 0)), Vec3.Zero,
                out int fraction, out Vec3 normal));
            Assert.AreEqual(32768, fraction);
            Assert.AreEqual(new Vec3(-(1 << 30), 0, 0), normal);
            var contacts = new byte[2];
            Shape.OverlapMany(
                new[] { Ball, Ball }, new[] { default(Pose), default(Pose) }, new[] { Ball, Ball },
                new[] { there, near }, contacts);
            Assert.AreEqual(new byte[] { 1, 2 }, contacts);
            Explanation why = Ball.Explain(default(Pose), Ball, new Pose(Fix.Units(5, 0, 0)));
            Assert.AreEqual(Why.Beside, why.Why);
            Assert.AreEqual((long)Fix.Units(3), why.Gap);
            Assert.AreEqual("beside: they would meet if a were 3 units thicker", why.ToString());
            why = Ball.Explain(default(Pose), Ball, new Pose(Fix.Units(5, 3, 0)));
            Assert.AreEqual(
                "height: one is 1 unit above the other; beside: at one height they would meet if " +
                "hero were 3 units thicker", why.ToText("hero", null));
            why = Shape.Sector(Fix.Units(4), Fix.Degrees(30), Fix.One)
                .Explain(default(Pose), Ball, new Pose(Fix.Units(0, 0, 3)));
            Assert.AreEqual(Missed.Outside, why.Sector);
            Assert.IsTrue(why.ToString().Contains("; outside the wedge, half_angle "));
            Assert.AreEqual("they meet", Ball.Explain(default(Pose), Ball, default(Pose)).ToString());
            Assert.AreEqual(8, Ball.Outline(default(Pose), 8).Outer.Length);
        }

        [Test]
        public void AWorldAnswersQueriesCastsAndSweeps()
        {
            var world = new World(8);
            world.AddMany(new[]
            {
                new Collider(1, Ball, new Pose(Fix.Units(4, 0, 0))),
                new Collider(2, Ball, new Pose(Fix.Units(3, 0, 0))),
            });
            var ids = new Rows<uint>(1);
            var ends = new Rows<ulong>(1);
            var hits = new Rows<CastHit>(1);
            var query = new Query(Ball, new Pose(Fix.Units(2, 0, 0)));
            world.Query(query, ids);
            Assert.AreEqual(new uint[] { 1, 2 }, ids.ToArray());
            world.Nearest(query, 1, ids);
            Assert.AreEqual(new uint[] { 2 }, ids.ToArray());
            world.QueryMany(new[] { query, query }, ends, ids);
            Assert.AreEqual(new uint[] { 1, 2, 1, 2 }, ids.ToArray());
            Assert.AreEqual(new ulong[] { 2, 4 }, ends.ToArray());
            world.NearestMany(new[] { query, query }, 1, ends, ids);
            Assert.AreEqual(new uint[] { 2, 2 }, ids.ToArray());
            var inside = new Query(
                Ball, new Pose(Fix.Units(2, 0, 0)), hitWhen: Contact.Overlapping);
            world.Query(inside, ids);
            Assert.AreEqual(new uint[] { 2 }, ids.ToArray());
            world.Nearest(inside, 0, ids);
            Assert.AreEqual(new uint[] { 2 }, ids.ToArray());
            Assert.AreEqual("beside: they would meet if a were 0.00002 units thicker; they only touch",
                world.Explain(inside, 1).ToText("a", "b"));
            var cast = new Cast(Ball, default(Pose), Fix.Units(8, 0, 0));
            world.CastMany(new[] { cast, cast }, ends, hits);
            Assert.AreEqual(4, hits.Count);
            Assert.AreEqual(8192, hits[0].Fraction);
            var pairs = new Rows<PairHit>();
            world.SweepPairs(
                new[] { new Motion(1, Vec3.Zero), new Motion(2, Fix.Units(8, 0, 0)) }, pairs, 1);
            Assert.AreEqual(1, pairs.Count);
            Assert.AreEqual(1u, pairs[0].A);
            Assert.AreEqual(2u, pairs[0].B);
            world.Sweep(2, Fix.Units(8, 0, 0), hits);
            Assert.AreEqual(1u, hits[0].Id);
            var moved = new Rows<Moved>(1);
            world.Step(new Rows<Event>());
            world.Separate(Enumerable.Repeat(uint.MaxValue, 32).ToArray(), 4, moved);
            Assert.AreEqual(2, moved.Count);
            Assert.AreEqual(Contact.Touching, world.Contact(1, 2));
            Assert.AreEqual(0u, (uint)world.Explain(1, 2).Why);
            Assert.AreEqual(8, world.Outline(1, 8).Outer.Length);
            world.Dispose();
        }

        [Test]
        public void AMoverWalksOnALevel()
        {
            Level level = Level.Of(new[]
            {
                Solid.Of(
                    Shape.Box(Fix.Units(9), Fix.One, Fix.Units(9)), new Pose(-Fix.Units(0, 1, 0))),
                Solid.Prism(
                    new[] { Fix.Units(1, 0, 0), Fix.Units(2, 0, 0), Fix.Units(2, 0, 1) },
                    0, Fix.One, 3),
                Solid.Pillar(0, Fix.Units(5), Fix.One, 0, Fix.One, 3),
            });
            Assert.AreEqual(3, level.Count);
            Assert.AreEqual(level.Hash(), new Level(level.ToBytes()).Hash());
            Assert.IsTrue(level[1].IsPrism && level[1].Layer == 3 && level[1].Vertices.Length == 3);
            Assert.AreEqual(Fix.One, level[2].Radius);
            Assert.AreEqual(4, level.Outline(0).Outer.Length);
            var ids = new Rows<uint>();
            level.Query(new Query(Ball, new Pose(Fix.Units(0, 0, 5))), ids);
            Assert.AreEqual(new[] { Level.FirstId, Level.FirstId + 2 }, ids.ToArray());
            var world = new World(8, level: level);
            world.Add(new Collider(1, Ball, new Pose(new Vec3(-Fix.Units(3), Fix.One, 0))));
            var hits = new Rows<CastHit>();
            MoverResult now = new Mover(1, stepHeight: Fix.Q("0.25"))
                .Move(world, new Vec3(Fix.One, 0, 0), hits);
            Assert.AreEqual(MoverFlags.OnFloor, now.Flags);
            Assert.AreEqual(Level.FirstId, now.Floor);
            Assert.AreEqual(-Fix.Units(2), world[1].Position.X);
            world.Dispose();
        }

        [Test]
        public void ALiftCarriesItsRiderAndPushesWhoIsInItsWay()
        {
            var world = new World(8);
            Shape box = Shape.Box(Fix.One, Fix.One, Fix.One);
            world.Add(new Collider(0, box));
            world.Add(new Collider(1, box, new Pose(Fix.Units(0, 2, 0))));
            world.Add(new Collider(2, box, new Pose(Fix.Units(3, 0, 0))));
            var rows = new Rows<Carried>();
            var movers = new[] { new Mover(1), new Mover(2) };
            world.Carry(new uint[] { 0 }, Fix.Units(2, 0, 0), movers, rows);
            Assert.AreEqual(CarryFlags.Rode, rows[0].Flags);
            Assert.AreEqual(Fix.Units(2, 2, 0), rows[0].Position);
            Assert.AreEqual(CarryFlags.Shoved, rows[1].Flags);
            Assert.AreEqual(Fix.Units(1, 0, 0), rows[1].Motion);
            Assert.AreEqual(Fix.Units(4, 0, 0), world[2].Position);
            world.Dispose();
        }

        [Test]
        public void ACrowdGivesWayAndGoesThroughNoWall()
        {
            var world = new World(8, new Layers("walker", "wall").Meet("walker", "walker"));
            Shape box = Shape.Box(Fix.One, Fix.One, Fix.One);
            world.Add(new Collider(1, box));
            world.Add(new Collider(2, box, new Pose(-Fix.Units(1, 0, 0))));
            world.Add(new Collider(3, box, new Pose(new Vec3(Fix.Units(2) + 100, 0, 0)), layer: 1));
            world.Step(new Rows<Event>());
            var yields = new uint[32];
            yields[0] = 1;
            var movers = new[] { new Mover(1, mask: 2), new Mover(2, mask: 2) };
            var rows = new Rows<Separated>();
            world.SeparateMovers(yields, 1, movers, rows);
            Assert.AreEqual(2, rows.Count);
            Assert.AreEqual(1u, rows[0].Id);
            Assert.AreEqual(new Vec3(100, 0, 0), rows[0].Position);
            Assert.IsTrue(rows[0].IsHeld && !rows[1].IsHeld);
            Array.Reverse(movers);
            Assert.Throws<ArgumentException>(
                () => world.SeparateMovers(yields, 1, movers, rows));
            world.Dispose();
        }

        [Test]
        public void PlanesMeetWhereBothViewsMeet()
        {
            var planes = new TwoPlanes(8, new Layers("body", "fist").Meet("body", "fist"));
            Hitbox body = Hitbox.Rectangle(1, 65536, 65536, 65536, 65536, layer: 0, owner: 1);
            Hitbox fist = Hitbox.Circle(
                2, 32768, 32768, 32768, Fix.Units(1, 0, 0), layer: 1, owner: 2);
            planes.Apply(new[] { PlanesCommand.Add(body), PlanesCommand.Add(fist) });
            var events = new Rows<Event>();
            planes.Step(events);
            Assert.AreEqual(1, events.Count);
            Assert.AreEqual(Contact.Overlapping, body.Contact(fist));
            planes.Apply(new[] { PlanesCommand.Move(2, Fix.Units(1, 5, 0)) });
            planes.Step(events);
            Assert.AreEqual(EventKind.Exit, events[0].Kind);
            var ids = new Rows<uint>();
            planes.Query(body, ids);
            Assert.AreEqual(new uint[] { 1 }, ids.ToArray());
            Hitbox beside = Hitbox.Rectangle(1, 65536, 65536, 65536, 65536, Fix.Units(2, 0, 0));
            planes.Query(beside, ids);
            Assert.AreEqual(new uint[] { 1 }, ids.ToArray());
            planes.Query(beside, ids, hitWhen: Contact.Overlapping);
            Assert.AreEqual(0, ids.Count);
            Assert.Throws<ArgumentOutOfRangeException>(
                () => planes.Query(body, ids, hitWhen: (Contact)3));
            var hits = new Rows<CastHit>();
            planes.Sweep(2, Fix.Units(0, -9, 0), hits);
            Assert.AreEqual(1u, hits[0].Id);
            planes.Cast(new HitboxCast(fist, Fix.Units(-3, 0, 0)), hits);
            Assert.IsTrue(hits.Count > 0);
            Assert.AreEqual(4, planes.Commands.Count * 2);
            planes.Dispose();
        }

        [Test]
        public void DrawingMapsEachAxisOfUnityAndGodot()
        {
            Assert.AreEqual(1.5f, Coordinates.ToFloat(98304));
            Assert.AreEqual(98304, Coordinates.FromFloat(1.5));
            Assert.AreEqual(-1, Coordinates.FromFloat(-0.5 / 65536));
            Assert.Throws<ArgumentOutOfRangeException>(() => Coordinates.FromFloat(double.NaN));
            Assert.Throws<ArgumentOutOfRangeException>(() => Coordinates.FromFloat(32768));
            foreach (int yaw in new[] { 0, 1, 8192, 16384, 32768, 49152, 65535 })
            {
                Assert.AreEqual(yaw, Coordinates.FromDegrees(Coordinates.ToDegrees(yaw)));
                Assert.AreEqual(yaw, Coordinates.Mirror(Coordinates.Mirror(yaw)));
                // What a Unity model faces, forward = (sin, cos) of the angle, is the direction.
                Vec3 direction = Fix.Direction(yaw);
                double unity = Coordinates.ToUnityDegrees(yaw) * Math.PI / 180;
                Near(direction.X, Math.Sin(unity));
                Near(direction.Z, Math.Cos(unity));
                // A Godot model faces -Z: (-sin, -cos).
                double godot = Coordinates.ToGodotDegrees(yaw) * Math.PI / 180;
                Near(direction.X, -Math.Sin(godot));
                Near(direction.Z, -Math.Cos(godot));
            }

            Assert.AreEqual(new Vec3(1, 2, -3), Coordinates.Mirror(new Vec3(1, 2, 3)));
        }

#if UNITY_5_3_OR_NEWER
        [Test]
        public void UnitysVectorsAndRotationsGoThereAndBack()
        {
            UnityEngine.Vector3 v = new Vec3(98304, Fix.Units(2), Fix.Units(-3)).ToUnity();
            Assert.IsTrue(v.x == 1.5f && v.y == 2 && v.z == -3);
            Assert.AreEqual(new Vec3(98304, Fix.Units(2), Fix.Units(-3)), Coordinates.FromUnity(v));
            Assert.AreEqual(90f, Coordinates.ToUnity(0).eulerAngles.y, "+X is to the right:");
            Assert.AreEqual(0f, Coordinates.ToUnity(16384).eulerAngles.y, "+Z is ahead:");
            foreach (int yaw in new[] { 0, 1, 8192, 16384, 32768, 49152, 65535 })
                Assert.AreEqual(yaw, Coordinates.YawFromUnity(Coordinates.ToUnity(yaw)));
        }
#endif
#if GODOT
        [Test]
        public void GodotsVectorsAndAnglesGoThereAndBack()
        {
            Godot.Vector3 v = new Vec3(98304, Fix.Units(2), Fix.Units(-3)).ToGodot();
            Assert.IsTrue(v.X == 1.5f && v.Y == 2 && v.Z == -3);
            Assert.AreEqual(
                new Vec3(98304, Fix.Units(2), Fix.Units(-3)), GodotCoordinates.FromGodot(v));
            Near(1 << 30, -Math.Sin(GodotCoordinates.ToGodotRadians(0)));
            Near(1 << 30, -Math.Cos(GodotCoordinates.ToGodotRadians(16384)));
            foreach (int yaw in new[] { 0, 1, 8192, 16384, 32768, 49152, 65535 })
                Assert.AreEqual(
                    yaw, GodotCoordinates.YawFromGodot(GodotCoordinates.ToGodotRadians(yaw)));
        }
#endif

        private static void Near(int q30, double value) =>
            Assert.IsTrue(Math.Abs(q30 / (double)(1 << 30) - value) < 1e-5, $"{q30} and {value}");
    }
}
