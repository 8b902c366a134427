using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Reflection;
using NUnit.Framework;

namespace Fixsync.Tests
{
    /// <summary>A call that returns no new object allocates nothing. Each public method is called,
    /// or is named here with a reason.</summary>
    public class AllocationTests
    {
        private const int Count = 1000;

        private static readonly string[] LeftOut =
        {
            "Recorder", // its text grows
            "Rows`1", // its memory grows
            "CommandException",
            "Native", // functions of C
            "FrameData", "Layers", // made once
            "IGame", "Desync", "OwnState", // the game's own; one in a match
        };

        private static readonly string[] MethodsLeftOut =
        {
            "Equals", "GetHashCode", "ToString", "Dispose",
            "Q", "QNear", "Parse", "TryParse", // they read a text
            "LayerMasks", // a new array
            "ToUnity", "FromUnity", "YawFromUnity", // types of the engine
        };

        private static readonly Shape Ball = Shape.Sphere(Fix.One);
        private static readonly Shape Cube = Shape.Box(Fix.One, Fix.One, Fix.One);

        private readonly Dictionary<string, Action> calls = new Dictionary<string, Action>();

        private void Free(string names, Action call) => calls.Add(names, call);

        private static void Use<T>(T value)
            where T : struct
        {
        }

        private void Numbers()
        {
            int a = Fix.Q("1.5");
            var v = new Vec3(a, -a, 2 * a);
            var up = new Vec3(0, 1 << 30, 0);
            var bytes = new byte[64];
            Free("Fix.Units", () => Use(Fix.Units(2) + Fix.Units(1, 2, 3).X));
            Free("Fix.Degrees Yaw.FromDegrees", () => Use(Fix.Degrees(7) + Yaw.FromDegrees(7).Steps));
            Free("Fix.Mul Fix.Div Fix.MulDiv", () => Use(
                Fix.Mul(a, a) + Fix.Div(a, 2 * Fix.One) + Fix.MulDiv(a, 3, 9)));
            Free("Fix.Sqrt Fix.Lerp Fix.Clamp", () => Use(
                Fix.Sqrt(a) + Fix.Lerp(a, 0, 9) + Fix.Clamp(a, 0, 9)));
            Free("Fix.Approach Fix.TurnTowards Fix.Hypot Fix.Dot", () => Use(
                Fix.Approach(a, 0, 9) + Fix.TurnTowards(9, 5, 2) + Fix.Hypot(v) + Fix.Dot(v, v)));
            Free("Fix.Scale Fix.WithLength", () => Use(Fix.Scale(v, a).X + Fix.WithLength(v, a).X));
            Free("Fix.Forward Fix.Direction", () => Use(Fix.Forward(9, a).X + Fix.Direction(9).X));
            Free("Fix.YawOf Fix.Distance Fix.YawBetween Fix.Faces", () => Use(
                Fix.YawOf(v, up) + Fix.Distance(v, up) + Fix.YawBetween(1, 2)
                + (Fix.Faces(1, 2, 3, 4) ? 1 : 0)));
            Free("Fix.Hash64", () => Use(Fix.Hash64(bytes)));
            Free("Fix.Along Fix.Bounce Fix.Slide", () => Use(
                Fix.Along(v, 9).X + Fix.Along(v, 9, up).X + Fix.Bounce(v, up, 9).X
                + Fix.Slide(v, up).X));
            Fix f = Fix.FromUnits(3);
            Free("Fix.FromUnits Fix.FromFloat_UNSAFE Fix.ToFloat Fix.CompareTo", () => Use(
                (Fix.FromUnits(2) + Fix.FromFloat_UNSAFE(f.ToFloat())) * f / -f - f
                > f == f.CompareTo(f) > 0));
            Yaw yaw = Yaw.FromDegrees(30);
            Free("Yaw.FromDegrees_UNSAFE Yaw.ToDegrees", () => Use(
                (Yaw.FromDegrees_UNSAFE(yaw.ToDegrees()) + 9 == -yaw - 5) ? 1 : 0));
            Free("Coordinates.ToFloat Coordinates.FromFloat", () => Use(
                Coordinates.ToFloat(a) + Coordinates.FromFloat(1.5)));
            Free("Coordinates.ToDegrees Coordinates.ToUnityDegrees Coordinates.ToGodotDegrees", () =>
                Use(Coordinates.ToDegrees(9) + Coordinates.ToUnityDegrees(9)
                    + Coordinates.ToGodotDegrees(9)));
            Free("Coordinates.FromDegrees Coordinates.Mirror", () => Use(
                Coordinates.FromDegrees(90) + Coordinates.Mirror(9) + Coordinates.Mirror(v).X));
            var random = new GameRandom(9);
            int[] deck = { 1, 2, 3 };
            Free("GameRandom.State GameRandom.Next GameRandom.Below GameRandom.Between", () =>
            {
                random.State ^= random.Next();
                Use(random.Below(6) + random.Between(1, 6));
            });
            Free("GameRandom.Chance GameRandom.Shuffle", () =>
            {
                Use(random.Chance(1, 2));
                random.Shuffle(deck);
            });
        }

        private void Shapes()
        {
            var pose = new Pose(Fix.Units(1, 0, 0));
            Shape sector = Shape.Sector(9, 8, 7, 6);
            Free("Shape.Sphere Shape.Capsule Shape.Cylinder Shape.Box Shape.Sector", () =>
            {
                Use(Shape.Sphere(9).Radius + Shape.Capsule(9, 8).HalfHeight);
                Use(Shape.Cylinder(9, 8).Radius + Shape.Box(9, 8, 7).HalfX);
                Use(Shape.Sector(9, 8, 7, 6).HalfAngle);
            });
            Free("Shape.Overlap Shape.PushOut Shape.Lift Shape.Side", () =>
            {
                Use(Ball.Overlap(pose, Cube, default(Pose)));
                Use(Ball.PushOut(pose, Cube, default(Pose)).X + Ball.Lift(pose, Cube, pose));
                Use(Ball.Side(pose, Cube, default(Pose)));
            });
            Free("Shape.Cast Shape.Explain", () =>
            {
                Use(Ball.Cast(
                    pose, Fix.Units(9, 0, 0), Cube, pose, Vec3.Zero, out int fraction, out Vec3 n));
                Use(Ball.Explain(pose, sector, pose));
            });
            Shape[] two = { Ball, Cube };
            Pose[] at = { pose, pose };
            var contacts = new byte[2];
            Free("Shape.OverlapMany", () => Shape.OverlapMany(two, at, two, at, contacts));
            Hitbox man = Hitbox.Circle(1, 5, 6, 7), crate = Hitbox.Rectangle(2, 5, 6, 7, 8);
            Free("Hitbox.Circle Hitbox.Rectangle", () => Use(
                Hitbox.Circle(1, 5, 6, 7).Id + Hitbox.Rectangle(2, 5, 6, 7, 8).Id));
            Free("Hitbox.Contact Hitbox.PushOut Hitbox.Lift Hitbox.Cast", () =>
            {
                Use(man.Contact(crate));
                Use(man.PushOut(crate).X + man.Lift(crate));
                Use(man.Cast(Vec3.Zero, crate, Vec3.Zero, out int fraction, out Vec3 normal));
            });
            Free("Event.OfGame", () => Use(Event.OfGame(1, 2, 16, 3).Value));
            Free("Command.Add Command.Remove Command.Move Command.Turn Command.SetPose", () =>
            {
                Use(Command.Add(new Collider(1, Ball, pose)));
                Use(Command.Remove(1));
                Use(Command.Move(1, Vec3.Zero));
                Use(Command.Turn(1, 5));
                Use(Command.SetPose(1, pose));
            });
            Free("Command.SetShape Command.SetOffset Command.SetOwner Command.SetLayer "
                + "Command.SetActive Command.SetLayers", () =>
            {
                Use(Command.SetShape(1, Ball));
                Use(Command.SetOffset(1, Vec3.Zero));
                Use(Command.SetOwner(1, 2));
                Use(Command.SetLayer(1, 2));
                Use(Command.SetActive(1, true));
                Use(Command.SetLayers(1, 2));
            });
            Free("PlanesCommand.Add PlanesCommand.Remove PlanesCommand.Move PlanesCommand.SetHitbox "
                + "PlanesCommand.SetOwner PlanesCommand.SetLayer PlanesCommand.SetActive "
                + "PlanesCommand.SetLayers", () =>
            {
                Use(PlanesCommand.Add(man));
                Use(PlanesCommand.Remove(1));
                Use(PlanesCommand.Move(1, Vec3.Zero));
                Use(PlanesCommand.SetHitbox(man));
                Use(PlanesCommand.SetOwner(1, 2));
                Use(PlanesCommand.SetLayer(1, 2));
                Use(PlanesCommand.SetActive(1, true));
                Use(PlanesCommand.SetLayers(1, 2));
            });
        }

        private void Worlds()
        {
            Solid pillar = Solid.Pillar(5, 5, 2, 0, 9);
            Outline ring = Ball.Outline(default(Pose), 8);
            Free("Solid.IsPrism Solid.Layer Solid.Low Solid.High Solid.Radius", () => Use(
                pillar.Layer + pillar.Low + pillar.High + (pillar.IsPrism ? 0 : pillar.Radius)));
            var corners = new Rows<Vertex>();
            Free("Shape.Outline", () => Use(Ball.Outline(default(Pose), corners, 8)));
            Free("Outline.Low Outline.High", () => Use(ring.Low + ring.High));
            var level = Level.Of(new[] { Solid.Of(Cube, new Pose(Fix.Units(0, -3, 0)), 0) });
            var world = new World(16, null, Contact.Touching, 64, level);
            var other = new World(16, null, Contact.Touching, 64, level);
            for (uint id = 0; id < 8; id++)
                world.Add(new Collider(id, Ball, new Pose(Fix.Units((int)id, 0, 0))));
            var pose = new Pose(Fix.Units(1, 0, 0));
            Vec3 motion = Fix.Units(4, 0, 0);
            var query = new Query(Ball, pose);
            var cast = new Cast(Ball, pose, motion);
            Query[] queries = { query, query };
            Cast[] casts = { cast, cast };
            var ids = new Rows<uint>();
            var ends = new Rows<ulong>();
            var hits = new Rows<CastHit>();
            Free("World.Capacity World.Level World.Frame World.Count World.HitWhen", () =>
            {
                Use(world.Capacity + world.Frame + (uint)world.Count);
                Use(world.HitWhen == (world.Level == null ? Contact.Apart : Contact.Touching));
            });
            Free("World.Item World.Contains World.TryGet", () => Use(
                world.Contains(1) && world[1].IsActive && world.TryGet(1, out _)));
            Free("World.Outline", () => Use(world.Outline(1, corners, 8)));
            Free("World.Ids", () => world.Ids(ids));
            var rows = new Rows<Collider>();
            Free("World.Colliders", () => world.Colliders(rows));
            Free("World.Add World.Remove", () =>
            {
                world.Add(new Collider(9, Ball));
                world.Remove(9);
            });
            Free("World.Move World.SetPose World.Turn World.SetShape World.SetOffset", () =>
            {
                world.Move(1, motion);
                world.SetPose(1, pose);
                world.Turn(1, 9);
                world.SetShape(1, Ball);
                world.SetOffset(1, Vec3.Zero);
            });
            Free("World.SetOwner World.SetLayer World.SetActive", () =>
            {
                world.SetOwner(1, 0);
                world.SetLayer(1, 0);
                world.SetActive(1, true);
            });
            Collider[] twin = { new Collider(10, Ball), new Collider(11, Ball) };
            Command[] removes = { Command.Remove(10), Command.Remove(11) };
            Free("World.AddMany World.Apply", () =>
            {
                world.AddMany(twin);
                world.Apply(removes);
            });
            uint[] few = { 1, 2 };
            Vec3[] places = { motion, motion };
            Pose[] poses = { pose, pose };
            Free("World.MoveMany World.SetPoseMany", () =>
            {
                world.MoveMany(few, places);
                world.SetPoseMany(few, poses);
            });
            var events = new Rows<Event>();
            var pairs = new Rows<Hit>();
            Free("World.Step", () => world.Step(events));
            Free("World.Hits", () => world.Hits(pairs));
            world.SetShape(7, Cube);
            Free("World.Contact World.PushOut World.Lift World.Side", () =>
            {
                Use(world.Contact(1, 2));
                Use(world.PushOut(1, 2).X + world.Lift(1, 2) + world.Side(1, 7));
            });
            Free("World.Explain", () => Use(
                world.Explain(1, 2).Gap + world.Explain(query, Level.FirstId).Gap));
            var yields = new uint[32];
            var moved = new Rows<Moved>();
            Free("World.Separate", () => world.Separate(yields, 2, moved));
            Free("World.Query World.Nearest", () =>
            {
                world.Query(query, ids);
                world.Nearest(query, 2, ids);
            });
            Free("World.QueryMany World.NearestMany", () =>
            {
                world.QueryMany(queries, ends, ids);
                world.NearestMany(queries, 2, ends, ids);
            });
            Free("World.Cast World.CastMany World.Sweep", () =>
            {
                world.Cast(cast, hits);
                world.CastMany(casts, ends, hits);
                world.Sweep(1, motion, hits);
            });
            Motion[] motions = { new Motion(1, motion), new Motion(2, -motion) };
            var met = new Rows<PairHit>();
            Free("World.SweepPairs", () => world.SweepPairs(motions, met));
            Free("World.MoveAndSlide", () => world.MoveAndSlide(1, Vec3.Zero, hits));
            var mover = new Mover(3);
            Mover[] movers = { mover };
            uint[] plate = { 4 };
            var carried = new Rows<Carried>();
            Free("Mover.Move", () => Use(mover.Move(world, Vec3.Zero, hits)));
            Free("World.Carry", () => world.Carry(plate, Vec3.Zero, movers, carried));
            var separated = new Rows<Separated>();
            Free("World.SeparateMovers", () =>
                world.SeparateMovers(yields, 2, movers, separated));
            var state = new byte[8192];
            Free("World.SaveSize World.Save World.Hash", () => Use(
                world.SaveSize + world.Save(state) + (long)world.Hash()));
            byte[] saved = world.Save();
            Free("World.Load World.CopyFrom", () =>
            {
                world.Load(saved);
                other.CopyFrom(world);
            });
            Free("World.Handle", () => Use(world.Handle));
            Handles(world.Handle, query);
            Free("Level.Count Level.Hash Level.Contact", () =>
            {
                Use((ulong)level.Count + level.Hash());
                Use(level.Contact(0, Ball, pose));
            });
            Free("Level.Query Level.Cast", () =>
            {
                level.Query(query, ids);
                level.Cast(cast, hits);
            });
            var differences = new Rows<Difference>();
            Free("States.Differences States.Fields States.End", () =>
            {
                States.Differences(saved, saved, differences);
                States.Fields(saved, differences);
                Use(States.End(saved));
            });
        }

        private unsafe void Handles(WorldHandle handle, Query query) =>
            Free("WorldHandle.Move WorldHandle.Query", () =>
            {
                uint* room = stackalloc uint[16];
                Use(handle.Move(1, Vec3.Zero));
                Use(handle.Query(query, room, 16));
            });

        private void TwoPlanes()
        {
            var planes = new TwoPlanes(8);
            Hitbox man = Hitbox.Circle(1, 5, 6, 7), crate = Hitbox.Rectangle(2, 5, 6, 7, 8);
            planes.Apply(new[] { PlanesCommand.Add(man), PlanesCommand.Add(crate) });
            PlanesCommand[] moves = { PlanesCommand.Move(1, Vec3.Zero) };
            var events = new Rows<Event>();
            var pairs = new Rows<Hit>();
            var ids = new Rows<uint>();
            var hits = new Rows<CastHit>();
            Free("TwoPlanes.Apply TwoPlanes.Item", () =>
            {
                planes.Apply(moves);
                Use(planes[1]);
            });
            Free("TwoPlanes.Step TwoPlanes.Hits", () =>
            {
                planes.Step(events);
                planes.Hits(pairs);
            });
            Free("TwoPlanes.Query TwoPlanes.Cast TwoPlanes.Sweep", () =>
            {
                planes.Query(man, ids);
                planes.Cast(new HitboxCast(man, Vec3.Zero), hits);
                planes.Sweep(1, Vec3.Zero, hits);
            });
        }

        private void Bodies()
        {
            string table = Path.Combine(
                Environment.GetEnvironmentVariable("FIXSYNC_TRACES") ?? "", "fighter.table");
            if (!File.Exists(table))
                return; // in Unity
            var world = new World(64);
            FrameData data = FrameData.FromJson(
                File.ReadAllBytes(Path.ChangeExtension(table, ".json")));
            uint[] ids = Enumerable.Range(0, data.Parts).Select(i => (uint)i).ToArray();
            var body = new Body(world, data, ids, 1, default(Pose));
            byte[] saved = body.Save();
            var differences = new Rows<Difference>();
            Free("Body.Pose Body.SetPose Body.Mirror Body.Id", () =>
            {
                body.SetPose(world, body.Pose(world));
                body.Mirror(world, body.Id(0) == 1);
            });
            Free("Body.CanStart Body.Start Body.Tick Body.Cancel Body.Strike", () =>
            {
                if (body.CanStart("slash"))
                    body.Start(world, body.PartOf(1)); // the part and the attack have one name
                body.Tick(world);
                Use(body.Strike(7));
                body.Cancel(world);
            });
            Body[] bodies = { body };
            Rows<Event> events = new Rows<Event>();
            Rows<Strike> strikes = new Rows<Strike>();
            Free("Body.Strikes", () =>
            {
                world.Step(events);
                Body.Strikes(world, events.Span, bodies, 1, strikes);
            });
            Free("Strike.Attacker Strike.Victim Strike.Part Strike.Owner", () =>
            {
                Strike none = default(Strike);
                Use(none.Attacker + none.Victim + none.Part + none.Owner);
            });
            Free("Body.Attack Body.AttackFrame Body.HasHit Body.IsMirrored Body.Phase Body.Hit", () =>
            {
                Use(body.Attack + body.AttackFrame + body.Hit + (int)body.Phase);
                Use(body.HasHit || body.IsMirrored);
            });
            Free("Body.AttackName Body.FrameData", () =>
            {
                if (body.AttackName != null || body.FrameData != data)
                    throw new InvalidOperationException();
            });
            var room = new byte[Body.SaveSizeMax];
            Free("Body.Save Body.SaveSize", () => Use(body.Save(room) - body.SaveSize));
            Free("Body.Hash Body.Load States.BodyDifferences", () =>
            {
                body.Load(saved);
                Use(body.Hash());
                States.BodyDifferences(saved, saved, differences);
            });
            Free("Body.Remove", () =>
            {
                if (world.Count > 0)
                    body.Remove(world);
            });
        }

        private static Action Peers()
        {
            var game = new RollbackTests.Oracle();
            var life = new byte[16];
            var other = new byte[16];
            other[0] = 1;
            var peer = new Rollback(game, new byte[] { 0, 1 }, life);
            var far = new Rollback(new RollbackTests.Game(), new byte[] { 1, 0 }, other);
            peer.Predicted += row => Use(row);
            peer.TakenBack += row => Use(row);
            peer.Confirmed += (frame, values) =>
                Use(frame.Frame + frame.Hash + frame.WorldHash + frame.State);
            far.Predicted += row => Use(row);
            var differences = new Rows<Difference>();
            var packet = new byte[Native.FXS_PACKET_SIZE];
            var pressed = new long[1];
            int now = 0;
            return () =>
            {
                now++;
                Use(peer.Player(1).Late);
                peer.Differences(packet, differences);
                pressed[0] = now / 7 % 3;
                Use(peer.Tick(pressed) && peer.Pace.Ahead > 9 && peer.Refusal(1).Status > 9);
                pressed[0] = now / 5 % 3;
                far.Tick(pressed);
                peer.SetDelay(0);
                far.Receive(1, new ReadOnlySpan<byte>(packet, 0, peer.Packet(1, packet)));
                if (now % 4 == 0) // the others are lost: it steps again
                    peer.Receive(1, new ReadOnlySpan<byte>(packet, 0, far.Packet(1, packet)));
            };
        }

        private void Match()
        {
            Action first = Peers();
            for (int i = 0; i < 120; i++)
                first(); // the colliders meet: the runtime prepares each call once
            Free(
                "Rollback.Tick Rollback.Packet Rollback.Receive Rollback.Pace Rollback.Refusal "
                + "Rollback.SetDelay Rollback.add_Predicted Rollback.remove_Predicted "
                + "Rollback.add_TakenBack Rollback.remove_TakenBack Rollback.add_Confirmed "
                + "Rollback.remove_Confirmed PlayedFrame.Reactions PlayedFrame.Hash "
                + "PlayedFrame.Shown Rollback.Player Rollback.Differences ConfirmedFrame.State "
                + "ConfirmedFrame.Frame ConfirmedFrame.Hash ConfirmedFrame.WorldHash "
                + "IGuessingGame.Guess",
                Peers());
        }

        private void All()
        {
            Match();
            Numbers();
            Shapes();
            Worlds();
            TwoPlanes();
            Bodies();
        }

        private static long Garbage(Action call)
        {
            for (int i = 0; i < 20; i++)
                call(); // compiled, and the lists have grown
            long before = GC.GetAllocatedBytesForCurrentThread();
            for (int i = 0; i < Count; i++)
                call();
            return GC.GetAllocatedBytesForCurrentThread() - before;
        }

        [Test]
        public void NoCallAllocates()
        {
            All();
            var found = new List<string>();
            foreach (KeyValuePair<string, Action> call in calls)
            {
                long garbage = Garbage(call.Value);
                if (garbage != 0)
                    found.Add($"{call.Key}: {garbage} bytes in {Count} calls");
            }

            Assert.AreEqual(new string[0], found.ToArray());
            long planted = Garbage(() => new object().GetHashCode());
            Assert.IsTrue(planted >= 8 * Count, $"an allocation is counted: {planted}");
        }

        [Test]
        public void EachPublicMethodIsCalledByTheTestAbove()
        {
            All();
            var named = new HashSet<string>(calls.Keys.SelectMany(names => names.Split(' ')));
            var missing = new List<string>();
            const BindingFlags Own = BindingFlags.Public | BindingFlags.Static
                | BindingFlags.Instance | BindingFlags.DeclaredOnly;
            Type[] types = typeof(World).Assembly.GetExportedTypes();
            foreach (Type type in types.Where(t => t.Namespace == "Fixsync" && !t.IsEnum))
            {
                foreach (MethodInfo method in type.GetMethods(Own))
                {
                    // Of a structure these read a field, or compare fields.
                    bool isField = method.IsSpecialName && type.IsValueType;
                    string of = method.Name.Replace("get_", "").Replace("set_", "");
                    bool isNew = !method.ReturnType.IsValueType && method.ReturnType != typeof(void);
                    if (!isField && !isNew && !LeftOut.Contains(type.Name)
                        && !MethodsLeftOut.Contains(of) && !named.Contains($"{type.Name}.{of}"))
                        missing.Add($"{type.Name}.{of}");
                }
            }

            Assert.AreEqual("", string.Join(" ", missing.Distinct()), "not called:");
        }
    }
}
