using System;
using System.Text;
using NUnit.Framework;

namespace Fixsync.Tests
{
    /// <summary>Calls that no other test makes, each with an answer that is known.</summary>
    public class CallTests
    {
        private static readonly Shape Ball = Shape.Sphere(Fix.One);
        private static readonly Shape Cube = Shape.Box(Fix.One, Fix.One, Fix.One);
        private static readonly Vec3 Right = Fix.Units(1, 0, 0);

        [Test]
        public void Numbers()
        {
            Assert.AreEqual(Fix.Units(3), Fix.Sqrt(Fix.Units(9)));
            Assert.AreEqual(Fix.Q("-0.25"), Fix.Div(Fix.Units(1), Fix.Units(-4)));
            Assert.AreEqual(Fix.Q("2.5"), Fix.Lerp(Fix.Units(2), Fix.Units(3), 32768));
            Assert.AreEqual(5, Fix.Clamp(9, 1, 5));
            Assert.AreEqual(7, Fix.Approach(5, 9, 2));
            Assert.AreEqual(65535, Fix.TurnTowards(1, 65000, 2));
            Assert.AreEqual(Fix.Units(11), Fix.Dot(Fix.Units(1, 0, 2), Fix.Units(3, 9, 4)));
            Assert.AreEqual(Fix.Q("2.5"), Fix.Scale(Fix.Units(5, 0, 0), Fix.Q("0.5")).X);
            Assert.AreEqual(Fix.Units(0, 2, 0), Fix.WithLength(Fix.Units(0, 9, 0), Fix.Units(2)));
            Assert.AreEqual((long)Fix.Units(5), Fix.Distance(Right, Fix.Units(4, 4, 0)));
            var wall = new Vec3(-(1 << 30), 0, 0);
            Assert.AreEqual(Fix.Units(-1, 0, 1), Fix.Bounce(Fix.Units(2, 0, 1), wall, Fix.One / 2));
            Assert.AreEqual(Fix.Units(4, 0, 0), Fix.Along(Fix.Units(8, 0, 0), 32768));
            Assert.AreEqual(3L, new GameRandom(1).Between(3, 3));
            Assert.AreEqual(new Vec3(4, 1, 3), new Vec3(5, 3, 6) - new Vec3(1, 2, 3));
            Assert.IsTrue(-Right != Right && Right == Fix.Units(1, 0, 0));
            Assert.Throws<OverflowException>(
                () => (Right + new Vec3(int.MaxValue, 0, 0)).ToString());
        }

        [Test]
        public void ShapesAndTheirTexts()
        {
            Assert.AreEqual("Sphere(radius=65536)", Ball.ToString());
            Assert.AreEqual(
                "Sector(radius=9, halfAngle=8, halfHeight=7, innerRadius=6)",
                Shape.Sector(9, 8, 7, 6).ToString());
            Assert.AreEqual(
                "Sector(radius=9, halfAngle=8, halfHeight=7)", Shape.Sector(9, 8, 7).ToString());
            var above = new Pose(new Vec3(0, Fix.Q("1.5"), 0));
            Assert.AreEqual(Fix.Q("0.5"), Cube.Lift(above, Cube, default(Pose)));
            var beside = new Pose(new Vec3(Fix.Q("1.5"), 0, 0));
            Assert.AreEqual(Side.PosX, Ball.Side(beside, Cube, default(Pose)));
            Outline ring = Shape.Sector(Fix.Units(2), 32768, Fix.One, Fix.One)
                .Outline(default(Pose), 8);
            Assert.IsTrue(ring.Hole.Length > 0);
            Assert.AreEqual((long)-Fix.One, ring.Low);
            Assert.AreEqual((long)Fix.One, ring.High);
        }

        [Test]
        public void ChangesOfAWorld()
        {
            var layers = new Layers("body", "fist").Meet("body", "fist");
            var world = new World(8, layers, Contact.Overlapping);
            Assert.AreEqual(Contact.Overlapping, world.HitWhen);
            Assert.AreEqual(layers.ToMasks(), world.LayerMasks);
            world.Add(new Collider(1, Cube));
            world.Add(new Collider(2, Ball, new Pose(new Vec3(Fix.Q("1.5"), 0, 0))));
            world.Turn(1, 5);
            world.SetOwner(1, 7);
            world.SetLayer(1, layers["fist"]);
            world.SetActive(1, false);
            Collider row = world[1];
            Assert.AreEqual(5, row.Yaw);
            Assert.IsTrue(row.Owner == 7 && row.Layer == 1 && !row.IsActive);
            world.Apply(new[]
            {
                Command.Turn(1, 0), Command.SetOwner(1, 0), Command.SetLayer(1, 0),
                Command.SetActive(1, true), Command.SetLayers(0, 1), Command.SetLayers(1, 0),
            });
            Assert.AreEqual(new Collider(1, Cube), world[1]);
            Assert.AreEqual(1u, world.LayerMasks[0]);
            var other = new World(8);
            other.CopyFrom(world);
            Assert.AreEqual(world.Hash(), other.Hash());
            Assert.AreEqual(Fix.Q("0.5"), world.PushOut(2, 1).X);
            Assert.AreEqual((int)Side.PosX, world.Side(2, 1));
            world.SetPoseMany(
                new uint[] { 1, 2 },
                new[] { default(Pose), new Pose(new Vec3(0, Fix.Q("1.5"), 0), 9) });
            Assert.AreEqual(Fix.Q("0.5"), world.Lift(2, 1));
            var rows = new Rows<Collider>(1);
            world.Colliders(rows);
            Assert.AreEqual(9, rows[1].Yaw);
            world.Dispose();
            other.Dispose();
        }

        [Test]
        public unsafe void AHandleMovesAndAsks()
        {
            using (var world = new World(8))
            {
                world.Add(new Collider(1, Ball));
                WorldHandle handle = world.Handle;
                Assert.IsTrue(handle.Move(1, Right) && !handle.Move(2, Right));
                Assert.AreEqual(Right, world[1].Position);
                uint id = 9;
                Assert.AreEqual(1, handle.Query(new Query(Ball, default(Pose)), &id, 1));
                Assert.AreEqual(1u, id);
                Assert.AreEqual(-1, handle.Query(new Query(Ball, default(Pose)), &id, 0));
            }
        }

        [Test]
        public unsafe void AHandleServesAnotherThreadBetweenTheCallsOfAWorld()
        {
            using (var world = new World(8))
            {
                world.Add(new Collider(1, Ball));
                WorldHandle handle = world.Handle;
                for (int turn = 1; turn < 100; turn++)
                {
                    Vec3 place = Fix.Units(turn, 0, 0);
                    int found = 0;
                    var job = new System.Threading.Thread(() =>
                    {
                        uint id;
                        handle.Move(1, place);
                        found = handle.Query(new Query(Ball, new Pose(place)), &id, 1);
                    });
                    job.Start();
                    job.Join();
                    Assert.IsTrue(found == 1 && world[1].Position == place);
                }
            }
        }

        [Test]
        public void SolidsAndTheirBytes()
        {
            Solid box = Solid.Of(Cube, new Pose(Right), 3);
            Assert.IsTrue(box.Low == -Fix.One && box.High == Fix.One && box.Vertices.Length == 4);
            byte[] bytes = Level.BytesOf(new[] { box });
            var level = new Level(bytes);
            Assert.AreEqual(bytes, level.ToBytes());
            Assert.AreEqual(
                Contact.Touching, level.Contact(0, Ball, new Pose(Fix.Units(3, 0, 0))));
            var hits = new Rows<CastHit>();
            level.Cast(new Cast(Ball, default(Pose), Fix.Units(-9, 0, 0)), hits);
            Assert.AreEqual(Level.FirstId, hits[0].Id);
        }

        [Test]
        public void HitboxesAndTheirCommands()
        {
            Hitbox box = Hitbox.Rectangle(1, Fix.One, Fix.One, Fix.One, Fix.One);
            Hitbox above = Hitbox.Rectangle(
                2, Fix.One, Fix.One, Fix.One, Fix.One, new Vec3(0, Fix.Q("1.5"), 0));
            Assert.AreEqual(Fix.Q("0.5"), above.Lift(box));
            Hitbox beside = Hitbox.Circle(
                3, Fix.One, Fix.One, Fix.One, new Vec3(Fix.Q("1.5"), 0, 0));
            Assert.AreEqual(Fix.Q("0.5"), beside.PushOut(box).X);
            using (var planes = new TwoPlanes(8))
            {
                planes.Apply(new[]
                {
                    PlanesCommand.Add(box), PlanesCommand.SetOwner(1, 7),
                    PlanesCommand.SetLayer(1, 3), PlanesCommand.SetActive(1, false),
                    PlanesCommand.SetHitbox(Hitbox.Circle(1, 5, 6, 7)),
                    PlanesCommand.SetLayers(3, 0),
                });
                Hitbox now = planes[1];
                Assert.IsTrue(now.Owner == 7 && now.Layer == 3 && !now.IsActive);
                Assert.AreEqual(ShapeKind.Cylinder, now.Kind);
                Assert.AreEqual(12, planes.Commands.Count);
            }
        }

        [Test]
        public void StatesAndTheirFields()
        {
            using (var world = new World(8))
            {
                byte[] empty = world.Save();
                world.Add(new Collider(3, Ball));
                byte[] state = world.Save();
                Assert.AreEqual(empty.Length + 56, state.Length);
                var longer = new byte[state.Length + 9];
                state.CopyTo(longer, 0);
                Assert.AreEqual(state.Length, States.End(longer));
                var rows = new Rows<Difference>(1);
                States.Fields(state, rows);
                Assert.IsTrue(rows.Count > 40);
                States.Differences(empty, state, rows);
                Assert.AreEqual(3u, rows[rows.Count - 1].A);
                Assert.AreEqual(null, rows[rows.Count - 1].First);
            }
        }

        [Test]
        public void LogsOfFramesLinesAndInputs()
        {
            using (var world = new World(8))
            {
                var first = new Recorder(world, 60);
                first.EndFrame();
                first.EndFrame(5);
                string[] lines = Encoding.UTF8.GetString(first.TakeText()).Split('\n');
                var second = new Recorder(world, 60);
                second.Line(lines[1]);
                second.Line(lines[2]);
                Assert.AreEqual(
                    string.Join("\n", lines), Encoding.UTF8.GetString(second.TakeText()));
                Assert.AreEqual(2, second.Frames);
                Assert.AreEqual("\"a\\\"b\"", Recorder.LogText("a\"b"));
                byte[] state = { 1, 2 };
                var inputs = new Recorder(
                    world, "{\"tick_rate\":60,\"sim\":\"duel\"}", state);
                inputs.Inputs(new long[] { 3 });
                inputs.InputList(new long[] { 4, 5 });
                inputs.EndFrame();
                inputs.Step(Array.Empty<Event>(), 1, state: 2);
                inputs.Step(Array.Empty<Event>(), null, hasGame: true);
                Assert.Throws<ArgumentException>(
                    () => first.Step(Array.Empty<Event>(), null, state: 2));
                string text = Encoding.UTF8.GetString(inputs.TakeText());
                Assert.IsTrue(text.Contains("[3,[4,5]]"), text);
                Assert.IsTrue(text.EndsWith(
                    ",\"events\":[],\"hash\":\"0000000000000001\",\"state\":"
                    + "\"0000000000000002\"}\n"
                    + "{\"frame\":2,\"inputs\":[],\"events\":[],\"game\":[]}\n"), text);
                string own = $",\"semantics\":{Native.FXS_SEMANTICS}";
                Assert.IsTrue(lines[0].EndsWith(own + "}"), lines[0]);
                string data = Fix.Hash64(new byte[] { 1, 2 }).ToString("x16");
                string said = $"\"build\":\"v1\",\"data\":\"{data}\"}}";
                string named = Encoding.UTF8.GetString(new Recorder(world, "{" + said).TakeText());
                Assert.IsTrue(named.EndsWith($"{own},{said}\n"), named);
            }
        }
    }
}
