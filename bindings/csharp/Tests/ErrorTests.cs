using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Runtime.InteropServices;
using NUnit.Framework;

namespace Fixsync.Tests
{
    /// <summary>Each error has the name, the value and the range, and changes nothing.</summary>
    public class ErrorTests
    {
        private static readonly Shape Ball = Shape.Sphere(Fix.One);
        private static readonly Shape Wedge = Shape.Sector(Fix.One, 4096, Fix.One);

        private static World Made()
        {
            var world = new World(8);
            world.Add(new Collider(1, Ball));
            world.Add(new Collider(2, Wedge, new Pose(Fix.Units(9, 0, 0))));
            return world;
        }

        private static void Refused<T>(string message, Action act)
            where T : Exception
        {
            string text = Assert.Throws<T>(act).Message;
            Assert.IsTrue(text.StartsWith(message), $"\"{text}\" begins with \"{message}\":");
        }

        private static void OutOfRange(string message, Action act) =>
            Refused<ArgumentOutOfRangeException>(message, act);

        [Test]
        public void ShapesAndPoses()
        {
            OutOfRange("radius must be 1..536870911, not 0", () => Shape.Sphere(0));
            OutOfRange("halfHeight must be 0..536870911, not -1", () => Shape.Capsule(1, -1));
            OutOfRange("halfZ must be 1..536870911, not 0", () => Shape.Box(1, 1, 0));
            OutOfRange("halfAngle must be 1..32768, not 32769", () => Shape.Sector(9, 32769, 1));
            OutOfRange(
                "innerRadius must be 0..8, below the radius, not 9",
                () => Shape.Sector(9, 9, 1, 9));
            OutOfRange("yaw must be 0..65535, not -1", () => new Pose(Vec3.Zero, -1));
            OutOfRange("layer must be 0..31, not 32", () => new Collider(1, Ball, layer: 32));
            OutOfRange("radius must be 1..", () => Made().SetShape(1, default(Shape)));
            Refused<InvalidOperationException>(
                "a Box has no radius", () => Shape.Box(1, 1, 1).Radius.ToString());
            OutOfRange("segments must be 3..65536, not 2", () => Ball.Outline(default(Pose), 2));
        }

        [Test]
        public void Worlds()
        {
            World world = Made();
            var edge = new Vec3(int.MaxValue, 0, 0);
            world.Move(1, edge);
            ulong hash = world.Hash();
            OutOfRange("capacity must be 1..2147483648, not 0", () => new World(0));
            OutOfRange("hitWhen must be 1..2, not 0", () => new World(8, null, Contact.Apart));
            OutOfRange("id must be 0..7, not 8", () => world.Move(8, Vec3.Zero));
            Refused<KeyNotFoundException>("id 7 is not in the world", () => world.Remove(7));
            Refused<KeyNotFoundException>(
                "id 7 is not in the world", () => world[7].ToString());
            Refused<ArgumentException>(
                "id 1 is taken: remove it first, or choose another of 0..7",
                () => world.Add(new Collider(1, Ball)));
            const string Centre =
                "id 1: the centre must be within -2147483648..2147483647: position (2147483647, " +
                "0, 0) and offset (1, 0, 0) turned by yaw 0 lead outside";
            var one = new Vec3(1, 0, 0);
            Refused<ArgumentException>(Centre, () => world.SetOffset(1, one));
            Refused<CommandException>(
                "commands[2]: " + Centre,
                () => world.Apply(new[]
                {
                    Command.Move(1, Vec3.Zero), Command.SetOffset(1, one), Command.Move(1, edge),
                }));
            Refused<CommandException>("ids[1]: id 2: the centre must be within", () =>
            {
                world.SetOffset(2, one);
                world.MoveMany(new uint[] { 1, 2 }, new[] { Vec3.Zero, edge });
            });
            world.SetOffset(2, Vec3.Zero);
            Refused<CommandException>(
                "commands[1]: id 1 is not in the world",
                () => world.Apply(new[] { Command.Remove(1), Command.Remove(1) }));
            Refused<CommandException>(
                "ids[0]: id 5 is not in the world",
                () => world.MoveMany(new uint[] { 5 }, new[] { Vec3.Zero }));
            Refused<ArgumentException>(
                "length of positions must be 1, not 0",
                () => world.MoveMany(new uint[] { 5 }, new Vec3[0]));
            Refused<ArgumentException>(
                "length of yields must be 32, not 0",
                () => world.Separate(new uint[0], 1, new Rows<Moved>()));
            Refused<ArgumentException>(
                "layer masks not symmetric", () => world.LayerMasks = Asymmetric());
            Refused<KeyNotFoundException>(
                "no layer \"sword\": they are body",
                () => new Layers("body").Meet("body", "sword"));
            Assert.AreEqual(hash, world.Hash());
        }

        private static uint[] Asymmetric()
        {
            var masks = new uint[32];
            masks[0] = 2;
            return masks;
        }

        private static readonly string[] Bodies =
            Array.FindAll(Enum.GetNames(typeof(ShapeKind)), name => name != "Sector");

        private static readonly string Pushed =
            "a " + string.Join(", ", Bodies, 0, Bodies.Length - 1) +
            $" or {Bodies[Bodies.Length - 1]}, " +
            "not Sector(radius=65536, halfAngle=4096, halfHeight=65536)";

        [Test]
        public void QuestionsAndMoves()
        {
            World world = Made();
            var hits = new Rows<CastHit>();
            var far = new Vec3(Native.FXS_SIZE_MAX + 1, 0, 0);
            OutOfRange(
                "motion: x must be -536870911..536870911, not 536870912",
                () => world.Cast(new Cast(Ball, default(Pose), far), hits));
            OutOfRange("motion: x must be", () => world.Sweep(1, far, hits));
            OutOfRange("motion: x must be", () => world.MoveAndSlide(1, far, hits));
            OutOfRange("motion: x must be", () => new Mover(1).Move(world, far, hits));
            OutOfRange(
                "passes must be 1..64, not 0", () => world.MoveAndSlide(1, Vec3.Zero, hits, 0, 0));
            OutOfRange(
                "passes must be 2..64, not 1",
                () => new Mover(1, passes: 1).Move(world, Vec3.Zero, hits));
            Refused<ArgumentException>(
                "oneWay must share no layer with mask, not 2 of mask 2",
                () => new Mover(1, mask: 2, oneWay: 6).Move(world, Vec3.Zero, hits));
            Refused<ArgumentException>(
                "oneWay must be 0 without a mask, not 6",
                () => new Mover(1, oneWay: 6).Move(world, Vec3.Zero, hits));
            Refused<ArgumentException>(
                "normal must not be (0, 0, 0): the two overlap at the start, so push out first",
                () => Fix.Slide(far, Vec3.Zero));
            var rows = new Rows<Carried>();
            Refused<KeyNotFoundException>(
                "id 5 is not in the world",
                () => world.Carry(new uint[] { 5 }, Vec3.Zero, new Mover[0], rows));
            Refused<ArgumentException>(
                "ids must ascend: ids[1] is 1",
                () => world.Carry(new uint[] { 2, 1 }, Vec3.Zero, new Mover[0], rows));
            Refused<ArgumentException>(
                "id 1 must not be both a platform and a mover",
                () => world.Carry(new uint[] { 1 }, Vec3.Zero, new[] { new Mover(1) }, rows));
            OutOfRange("hitWhen must be 0..2, not 3",
                () => world.Query(new Query(Ball, default(Pose), 1, 0, (Contact)3), new Rows<uint>()));
            OutOfRange("limit must be 0..", () => world.Nearest(default(Query), -1, new Rows<uint>()));
            Refused<ArgumentException>(
                "shape must be " + Pushed,
                () => world.Cast(new Cast(Wedge, default(Pose), Vec3.Zero), hits));
            Refused<ArgumentException>(
                "the shape of id 2 must be " + Pushed, () => world.Sweep(2, Vec3.Zero, hits));
            Refused<ArgumentException>(
                "the shape of b (2) must be " + Pushed, () => world.PushOut(1, 2));
            Refused<ArgumentException>(
                "the shape of a (2) must be " + Pushed, () => world.Lift(2, 1));
            Refused<ArgumentException>(
                "the shape of b (1) must be a Box, not Sphere(radius=65536)",
                () => world.Side(1, 1));
            Refused<ArgumentException>(
                "b must be " + Pushed, () => Ball.PushOut(default(Pose), Wedge, default(Pose)));
            Refused<ArgumentException>(
                "b must be a Box, not Sphere(radius=65536)",
                () => Ball.Side(default(Pose), Ball, default(Pose)));
            Refused<KeyNotFoundException>("b: id 5 is not in", () => world.Contact(1, 5));
            Refused<KeyNotFoundException>("a: id 5 is not in", () => world.Explain(5, 1));
            Refused<CommandException>(
                "casts[1]: motion: x must be",
                () => world.CastMany(
                    new[]
                    {
                        new Cast(Ball, default(Pose), Vec3.Zero),
                        new Cast(Ball, default(Pose), far),
                    },
                    new Rows<ulong>(), hits));
        }

        [Test]
        public void Arithmetic()
        {
            Fix most = new Fix(int.MaxValue), least = new Fix(int.MinValue);
            const string Range = ": an argument or a result out of range";
            Refused<OverflowException>($"{most} + 1{Range}", () => (most + Fix.FromUnits(1)).ToFloat());
            Refused<OverflowException>($"-32768 - 1{Range}", () => (least - Fix.FromUnits(1)).ToFloat());
            Refused<OverflowException>($"0 - -32768{Range}", () => (-least).ToFloat());
            Refused<OverflowException>("units must be -32768..32767, not 32768", () => Fix.Units(32768));
            Refused<OverflowException>(
                "(2147483647, 0, 0) + (1, 0, 0): each must be -2147483648..2147483647",
                () => (new Vec3(int.MaxValue, 0, 0) + new Vec3(1, 0, 0)).ToString());
        }

        [Test]
        public void Bytes()
        {
            World world = Made();
            Refused<InvalidDataException>(
                "data is not a level: it has no bytes, or is null", () => new Level(null));
            var junk = new byte[] { 1, 2, 3 };
            Refused<InvalidDataException>("data is not a state that this world can hold: byte 0",
                () => world.Load(junk));
            Refused<InvalidDataException>("data is not a level: byte 0",
                () => new Level(junk));
            Refused<InvalidDataException>("data is not a table of frame data: byte 0",
                () => new FrameData(junk));
            Refused<InvalidDataException>(
                "b is not a saved state: byte 0",
                () => States.Differences(world.Save(), junk, new Rows<Difference>()));
            Refused<InvalidDataException>(
                "about is not the canonical JSON of a first line: byte 1",
                () => new Recorder(world, "{x"));
            Refused<ArgumentException>(
                "length of buffer must be at least", () => world.Save(junk));
            OutOfRange("tickRate must be 1..", () => new Recorder(world, 0));
            Refused<ArgumentException>(
                "inputs of frame 0: a call that is not allowed at this point",
                () => new Recorder(world, 60).Inputs(new long[] { 1 }));
        }

        [Test]
        public void LevelsAndHitboxes()
        {
            Level level = Level.Of(new[] { Solid.Pillar(0, 0, 5, 0, 9, 3) });
            OutOfRange("index must be 0..0, not 1", () => level[1].ToString());
            OutOfRange("hitWhen must be 1..2, not 0",
                () => level.Query(new Query(Ball, default(Pose)), new Rows<uint>(), Contact.Apart));
            OutOfRange("high must be 1..2147483647, not 0", () => Solid.Pillar(0, 0, 5, 0, 0, 3));
            OutOfRange("layer must be 0..31, not 32", () => Solid.Pillar(0, 0, 5, 0, 9, 32));
            OutOfRange("radius must be 1..", () => Solid.Pillar(0, 0, 0, 0, 9, 3));
            OutOfRange(
                "number of vertices must be 3..32, not 0", () => Solid.Prism(new Vec3[0], 0, 9));
            const string Convex =
                "solids[1]: vertices must be strictly convex and counterclockwise";
            Refused<ArgumentException>(Convex, () => Level.Of(new[]
            {
                Solid.Pillar(0, 0, 5, 0, 9, 3),
                Solid.Prism(
                    new[] { Vec3.Zero, Fix.Units(1, 0, 0), Fix.Units(2, 0, 0) }, 0, 9, 3),
            }));
            Refused<ArgumentException>("solid of Sphere(radius=65536): not defined",
                () => Solid.Of(Ball, default(Pose)));
            OutOfRange("halfX must be 1..536870911, not 0", () => Hitbox.Circle(1, 1, 0, 1));
            OutOfRange("groundZ must be 1..", () => Hitbox.Rectangle(1, 1, 0, 1, 1));
            OutOfRange("layer must be 0..15, not 16", () => Hitbox.Circle(1, 1, 1, 1, layer: 16));
            OutOfRange("capacity must be 1..1073741824, not 0", () => new TwoPlanes(0));
            using (var planes = new TwoPlanes(8))
            {
                OutOfRange("id must be 0..7, not 8", () => planes[8].ToString());
                Refused<CommandException>("commands[0]: id 3 is not in the world",
                    () => planes.Apply(new[] { PlanesCommand.Remove(3) }));
            }
        }

        [Test]
        public void LogsAndStates()
        {
            World world = Made();
            var log = new Recorder(world, 60);
            Refused<ArgumentException>(
                "end of frame 0: ",
                () => log.Step(new[] { Event.OfGame(1, 2, 16, 5) }, null));
            Refused<ArgumentException>(
                "line of frame 0: a call that is not allowed at this point", () => log.Line("{}"));
            var rows = new Rows<Difference>();
            States.Differences(world.Save(), new World(8).Save(), rows);
            var names = new Dictionary<uint, string> { { 1, new string('x', 61) } };
            OutOfRange("bytes of a name must be 0..60, not 61", () => rows[0].ToText(names));
            OutOfRange($"index must be 0..{rows.Count - 1}, not -1", () => rows[-1].ToString());
        }

        [Test]
        public void LayoutsOfAnotherPlatform()
        {
            Native.Check();
            Refused<InvalidOperationException>(
                "Vertex has 16 bytes, not 20", () => Native.CheckSize(new[] { "Vertex", "20" }));
            Assert.IsTrue(Native.Layout.Length > 25);
            foreach (string line in Native.Layout)
            {
                string[] words = line.Split(' ');
                Type type = typeof(Native).Assembly.GetType($"Fixsync.{words[0]}");
                string found = $"{words[0]} {words[1]}";
                foreach (string field in words.Skip(2).Select(word => word.Split('=')[0]))
                    found += $" {field}={Marshal.OffsetOf(type, field)}";
                Assert.AreEqual(line, found);
            }
        }

        [Test]
        public void Numbers()
        {
            Refused<FormatException>("\"0.1\" is not a multiple of 1/65536: QNear", () => Fix.Q("0.1"));
            foreach (string text in new[] { "1e5", "1,5", "", "1.5.", " 1", "0x10", "\u0661" })
            {
                Refused<FormatException>(
                    $"text must be a decimal such as \"-1.5\", not \"{text}\"", () => Fix.Q(text));
                Assert.IsTrue(!Fix.TryParse(text, out Fix none) && none == default(Fix), text);
            }

            OutOfRange("99999 must be within", () => Fix.Q("99999"));
            Refused<OverflowException>("5 / 0", () => Fix.Div(5, 0));
            Refused<OverflowException>(
                "2147483647 * 2147483647", () => Fix.Mul(int.MaxValue, int.MaxValue));
            OutOfRange("fraction must be 0..65536, not -1", () => Fix.Lerp(0, 1, -1));
            OutOfRange("count must be 1..", () => new GameRandom(1).Below(0));
            OutOfRange("kind must be 16..", () => Event.OfGame(1, 2, 3, 4));
        }

        private static void Null(string name, Action act) =>
            Assert.AreEqual(name, Assert.Throws<ArgumentNullException>(act).ParamName);

        [Test]
        public void NullArgumentsNameThemselves()
        {
            World world = Made();
            ulong hash = world.Hash();
            Query query = default(Query);
            Vec3 zero = Vec3.Zero;
            Null("text", () => Fix.Q(null));
            Null("text", () => Fix.QNear(null));
            Null("text", () => Fix.Parse(null));
            Null("text", () => Yaw.Parse(null));
            Assert.IsTrue(!Fix.TryParse(null, out Fix none));
            Null("items", () => new GameRandom(1).Shuffle<int>(null));
            Null("names", () => new Layers(null));
            Null("names", () => new Layers("a").Mask(null));
            Null("a", () => new Layers("a").Meet(null, "a"));
            Null("b", () => new Layers("a").Meet("a", null));
            Null("value", () => world.LayerMasks = null);
            Null("ids", () => world.Ids(null));
            Null("colliders", () => world.Colliders(null));
            Null("events", () => world.Step(null));
            Null("hits", () => world.Hits(null));
            Null("moved", () => world.Separate(new uint[32], 1, null));
            Null("ids", () => world.Query(query, null));
            Null("ids", () => world.Nearest(query, 1, null));
            Null("ends", () => world.QueryMany(new Query[1], null, new Rows<uint>()));
            Null("ids", () => world.NearestMany(new Query[1], 1, new Rows<ulong>(), null));
            Null("hits", () => world.Cast(default(Cast), null));
            Null("ends", () => world.CastMany(new Cast[1], null, new Rows<CastHit>()));
            Null("hits", () => world.CastMany(new Cast[1], new Rows<ulong>(), null));
            Null("hits", () => world.Sweep(1, zero, null));
            Null("hits", () => world.SweepPairs(new Motion[1], null));
            Null("hits", () => world.MoveAndSlide(1, zero, null));
            Null("hits", () => new Mover(1).Move(world, zero, null));
            Null("world", () => new Mover(1).Move(null, zero, new Rows<CastHit>()));
            Null("rows", () => world.Carry(new uint[1], zero, new Mover[1], null));
            Null("rows", () => world.SeparateMovers(new uint[32], 1, new Mover[1], null));
            Null("other", () => world.CopyFrom(null));
            Null("solids", () => Level.Of(null));
            Null("solids", () => Level.BytesOf(null));
            Level level = Level.Of(new Solid[0]); // a level may be empty
            Assert.AreEqual(0, level.Count);
            Null("ids", () => level.Query(query, null));
            Null("hits", () => level.Cast(default(Cast), null));
            Null("vertices", () => Solid.Prism(null, 0, 1));
            Null("rows", () => States.Fields(world.Save(), null));
            Null("rows", () => States.Differences(world.Save(), world.Save(), null));
            Null("world", () => new Recorder(null, 60));
            Null("about", () => new Recorder(world, null, default(ReadOnlySpan<byte>)));
            Null("line", () => new Recorder(world, 60).Line(null));
            Null("name", () => Recorder.LogText(null));
            using (var planes = new TwoPlanes(4))
            {
                Null("events", () => planes.Step(null));
                Null("hits", () => planes.Hits(null));
                Null("ids", () => planes.Query(Hitbox.Circle(1, 5, 6, 7), null));
                Null("hits", () => planes.Cast(default(HitboxCast), null));
                Null("hits", () => planes.Sweep(1, zero, null));
            }

            Assert.AreEqual(hash, world.Hash());
            world.Step(new Rows<Event>()); // a refused call has let it go
        }
    }
}
