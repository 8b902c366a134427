using System;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.InteropServices;
using System.Text;

namespace Fixsync
{
    /// <summary>A position, motion or size: three numbers in Q16.16; a normal in Q2.30.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public readonly struct Vec3 : IEquatable<Vec3>
    {
        /// <summary>To the right in Unity and Godot; yaw 0 faces +X.</summary>
        public readonly int X;

        /// <summary>Up.</summary>
        public readonly int Y;

        /// <summary>Ahead in Unity; yaw 16384, a quarter turn, faces +Z.</summary>
        public readonly int Z;

        /// <summary>(0, 0, 0).</summary>
        public static readonly Vec3 Zero = default(Vec3);

        /// <summary>A vector of raw numbers; Fix.Units makes them of whole units.</summary>
        public Vec3(int x, int y, int z)
        {
            X = x;
            Y = y;
            Z = z;
        }

        /// <summary>A vector of numbers.</summary>
        public Vec3(Fix x, Fix y, Fix z)
            : this(x.Raw, y.Raw, z.Raw)
        {
        }

        private static Vec3 Of(long x, long y, long z, Vec3 a, char sign, Vec3 b) =>
            x == (int)x && y == (int)y && z == (int)z
                ? new Vec3((int)x, (int)y, (int)z)
                : throw new OverflowException(
                    $"{a} {sign} {b}: each must be {int.MinValue}..{int.MaxValue}");

        /// <summary>The sum.</summary>
        /// <exception cref="OverflowException">A component leaves int32.</exception>
        public static Vec3 operator +(Vec3 a, Vec3 b) =>
            Of((long)a.X + b.X, (long)a.Y + b.Y, (long)a.Z + b.Z, a, '+', b);

        /// <summary>The difference.</summary>
        /// <exception cref="OverflowException">A component leaves int32.</exception>
        public static Vec3 operator -(Vec3 a, Vec3 b) =>
            Of((long)a.X - b.X, (long)a.Y - b.Y, (long)a.Z - b.Z, a, '-', b);

        /// <summary>The negative.</summary>
        /// <exception cref="OverflowException">A component leaves int32.</exception>
        public static Vec3 operator -(Vec3 v) => Zero - v;

        /// <summary>Whether all components are equal.</summary>
        public static bool operator ==(Vec3 a, Vec3 b) => a.Equals(b);

        /// <summary>Whether a component differs.</summary>
        public static bool operator !=(Vec3 a, Vec3 b) => !a.Equals(b);

        /// <summary>Whether all components are equal.</summary>
        public bool Equals(Vec3 other) => X == other.X && Y == other.Y && Z == other.Z;

        /// <summary>Whether it is an equal vector.</summary>
        public override bool Equals([AllowNull] object other) => other is Vec3 vector && Equals(vector);

        /// <summary>A hash of the components.</summary>
        public override int GetHashCode() => unchecked((X * 31 + Y) * 31 + Z);

        /// <summary>"(65536, 0, 0)".</summary>
        public override string ToString() => $"({X}, {Y}, {Z})";
    }

    public readonly partial struct Shape
    {
        private Shape Checked()
        {
            Exception fault = Fault();
            return fault == null ? this : throw fault;
        }

        private Exception Without(string size) =>
            new InvalidOperationException($"a {Kind} has no {size}");

        // ---- two shapes ----

        private static Exception Refuse(
            int status, in Shape a, in Pose poseA, in Shape b, in Pose poseB) =>
            a.Fault() ?? b.Fault() ?? poseA.Fault() ?? poseB.Fault()
            ?? a.NotPushed("this shape") ?? b.NotPushed(nameof(b))
            ?? (status == Native.FXS_E_UNDEFINED
                ? new ArgumentException($"b must be a Box, not {b}", nameof(b))
                : Errors.Refused(status, $"{a} and {b}"));

        /// <summary>The contact with another shape, exact.</summary>
        public unsafe Contact Overlap(Pose pose, Shape b, Pose poseB)
        {
            Shape a = this;
            int answer = Native.fxs_overlap(&a, &pose, &b, &poseB);
            return answer < 0 ? throw Refuse(answer, a, pose, b, poseB) : (Contact)answer;
        }

        /// <summary>The planar translation of this shape that ends an overlap with b; (0, 0, 0)
        /// without one. A sector cannot be pushed.</summary>
        public unsafe Vec3 PushOut(Pose pose, Shape b, Pose poseB)
        {
            Shape a = this;
            int* xz = stackalloc int[2];
            int status = Native.fxs_push_out(&a, &pose, &b, &poseB, xz);
            return status < 0 ? throw Refuse(status, a, pose, b, poseB) : new Vec3(xz[0], 0, xz[1]);
        }

        /// <summary>The shortest dy of this shape that ends an overlap with b.</summary>
        public unsafe int Lift(Pose pose, Shape b, Pose poseB)
        {
            Shape a = this;
            int y;
            int status = Native.fxs_lift(&a, &pose, &b, &poseB, &y);
            return status < 0 ? throw Refuse(status, a, pose, b, poseB) : y;
        }

        /// <summary>The face of the box b that PushOut moves this shape out of.</summary>
        public unsafe Side Side(Pose pose, Shape b, Pose poseB)
        {
            Shape a = this;
            int answer = Native.fxs_side(&a, &pose, &b, &poseB);
            return answer < 0 ? throw Refuse(answer, a, pose, b, poseB) : (Side)answer;
        }

        /// <summary>When two moving shapes first meet: false if they do not. The fraction is
        /// 0..65536 of both motions; the normal, in Q2.30, points from b towards this one, and is
        /// (0, 0, 0) if they overlap at the start.</summary>
        public unsafe bool Cast(
            Pose pose, Vec3 motion, Shape b, Pose poseB, Vec3 motionB, out int fraction,
            out Vec3 normal, Contact hitWhen = Contact.Touching)
        {
            Shape a = this;
            int f = 0;
            Vec3 n = default(Vec3);
            int answer = Native.fxs_cast_pair(
                &a, &pose, &motion, &b, &poseB, &motionB, (uint)hitWhen, &f, &n);
            fraction = f;
            normal = n;
            if (answer == Native.FXS_E_MOTION)
                throw Errors.Motion(motion) ?? Errors.Motion(motionB);
            if (answer == Native.FXS_E_HIT_WHEN)
                throw Errors.Range(nameof(hitWhen), (long)hitWhen, 1, 2);
            return answer < 0 ? throw Refuse(answer, a, pose, b, poseB) : answer == 1;
        }

        /// <summary>The outline at a pose, for drawing. Segments, 3..65536: pieces of a whole
        /// circle.</summary>
        public Outline Outline(Pose pose, int segments = Native.FXS_OUTLINE_SEGMENTS)
        {
            var vertices = new Rows<Vertex>(64);
            return new Outline(vertices, Outline(pose, vertices, segments));
        }

        /// <summary>The same into a list: `Outer` vertices, then those of the hole.</summary>
        public unsafe Extent Outline(Pose pose, Rows<Vertex> vertices, int segments = Native.FXS_OUTLINE_SEGMENTS)
        {
            Fixsync.Outline.Check(vertices, segments);
            Shape shape = this;
            Extent extent;
            int status;
            do
            {
                fixed (Vertex* to = vertices.Room)
                    status = Native.fxs_outline(
                        &shape, &pose, (uint)segments, to, (ulong)vertices.Room.Length, &extent);
            }
            while (vertices.Grows(status, (ulong)extent.Outer + extent.Hole));
            if (status < 0)
                throw Fault() ?? pose.Fault() ?? Errors.Refused(status, "outline");
            return extent;
        }

        /// <summary>Why the contact of two shapes is less than hitWhen, and by how much.</summary>
        public unsafe Explanation Explain(
            Pose pose, Shape b, Pose poseB, Contact hitWhen = Contact.Touching)
        {
            Shape a = this;
            Explanation why;
            int status = Native.fxs_explain_shapes(&a, &pose, &b, &poseB, (uint)hitWhen, &why);
            if (status == Native.FXS_E_HIT_WHEN)
                throw Errors.Range(nameof(hitWhen), (long)hitWhen, 1, 2);
            return status < 0 ? throw Refuse(status, a, pose, b, poseB) : why;
        }

        /// <summary>The contacts of n pairs: row i of each list.</summary>
        /// <exception cref="CommandException">A row is out of range.</exception>
        public static unsafe void OverlapMany(
            ReadOnlySpan<Shape> a, ReadOnlySpan<Pose> posesA, ReadOnlySpan<Shape> b,
            ReadOnlySpan<Pose> posesB, Span<byte> contacts)
        {
            int n = a.Length;
            if (posesA.Length != n)
                throw Errors.Length(nameof(posesA), posesA.Length, n);
            if (b.Length != n)
                throw Errors.Length(nameof(b), b.Length, n);
            if (posesB.Length != n)
                throw Errors.Length(nameof(posesB), posesB.Length, n);
            if (contacts.Length < n)
                throw Errors.Length(nameof(contacts), contacts.Length, n);
            ulong bad = 0;
            fixed (Shape* shapesA = &Pin<Shape>.First(a), shapesB = &Pin<Shape>.First(b))
            fixed (Pose* atA = &Pin<Pose>.First(posesA), atB = &Pin<Pose>.First(posesB))
            fixed (byte* to = &Pin<byte>.First(contacts))
            {
                int status = Native.fxs_overlap_many(
                    shapesA, atA, shapesB, atB, (ulong)n, to, &bad);
                if (status < 0)
                    throw new CommandException("pairs", bad, Refuse(
                        status, a[(int)bad], posesA[(int)bad], b[(int)bad], posesB[(int)bad]));
            }
        }
    }

    public readonly partial struct Pose
    {
        /// <summary>A position, and a yaw of 0..65535; 65536 steps are one turn from +X to +Z.
        /// </summary>
        public Pose(Vec3 position, int yaw = 0)
        {
            this.position = position;
            this.yaw = (uint)yaw;
            Exception fault = Fault();
            if (fault != null)
                throw fault;
        }

        internal Exception Fault() => Errors.Outside("yaw", (int)yaw, 0, Native.FXS_TURN - 1);

        /// <summary>"(0, 0, 0) yaw 16384".</summary>
        public override string ToString() => $"{position} yaw {yaw}";
    }

    public readonly partial struct Collider
    {
        /// <summary>A collider; its id is below the capacity of its world, its layer 0..31.
        /// Colliders of one owner do not hit each other; 0: no owner.</summary>
        public Collider(
            uint id, Shape shape, Pose pose = default(Pose), Vec3 offset = default(Vec3),
            int layer = 0, uint owner = 0, bool active = true)
            : this(
                id, (byte)shape.Kind, (byte)layer, (byte)(active ? 1 : 0), 0, (ushort)pose.Yaw,
                (ushort)shape.HalfAngle, owner, pose.Position, offset, shape.Size)
        {
            if (layer < 0 || layer >= Native.FXS_LAYER_COUNT)
                throw Errors.Range(nameof(layer), layer, 0, Native.FXS_LAYER_COUNT - 1);
        }

        /// <summary>Its shape.</summary>
        public Shape Shape => new Shape((ShapeKind)kind, halfAngle, size);

        /// <summary>Position and yaw.</summary>
        public Pose Pose => new Pose(position, yaw);

        /// <summary>Whether it hits and is found.</summary>
        public bool IsActive => active == 1;

        /// <summary>"collider 7, Sphere(radius=65536) at (0, 0, 0) yaw 0".</summary>
        public override string ToString() => $"collider {id}, {Shape} at {Pose}";
    }

    public readonly partial struct Shape
    {
        internal Vec3 Size => size;
    }

    public readonly partial struct Event
    {
        /// <summary>An event of the game's own, such as a KO: its kind is 16 or above, a and b are
        /// the game's, and value is any number.</summary>
        public static Event OfGame(uint a, uint b, int kind, int value)
        {
            if (kind < Native.FXS_GAME_EVENT)
                throw Errors.Range(nameof(kind), kind, Native.FXS_GAME_EVENT, int.MaxValue);
            return new Event(a, b, (EventKind)kind, unchecked((uint)value));
        }

        /// <summary>Whether it is an event of the game's own.</summary>
        public bool IsOfGame => kind >= Native.FXS_GAME_EVENT;

        /// <summary>The contact now; Apart for an Exit and for events of the game.</summary>
        public Contact Contact => IsOfGame ? Contact.Apart : (Contact)contact;

        /// <summary>The value of an event of the game.</summary>
        public int Value => unchecked((int)contact);

        /// <summary>"Enter 1 2 Overlapping".</summary>
        public override string ToString() =>
            $"{Kind} {a} {b} " + (IsOfGame ? Value.ToString() : Contact.ToString());
    }

    public readonly partial struct Command
    {
        private static Command Of(
            CommandType type, uint id, Shape shape = default(Shape), Vec3 position = default(Vec3),
            int yaw = 0, Vec3 offset = default(Vec3), uint owner = 0, int layer = 0,
            bool active = false, uint mask = 0) =>
            new Command(type, mask, new Collider(
                id, shape, new Pose(position, yaw), offset, layer, owner, active));

        /// <summary>Adds a collider.</summary>
        public static Command Add(Collider collider) => new Command(CommandType.Add, 0, collider);

        /// <summary>Removes a collider.</summary>
        public static Command Remove(uint id) => Of(CommandType.Remove, id);

        /// <summary>Changes a position; the yaw stays.</summary>
        public static Command Move(uint id, Vec3 position) =>
            Of(CommandType.Move, id, position: position);

        /// <summary>Changes a yaw.</summary>
        public static Command Turn(uint id, int yaw) => Of(CommandType.Turn, id, yaw: yaw);

        /// <summary>Changes position and yaw.</summary>
        public static Command SetPose(uint id, Pose pose) =>
            Of(CommandType.Pose, id, position: pose.Position, yaw: pose.Yaw);

        /// <summary>Changes a shape.</summary>
        public static Command SetShape(uint id, Shape shape) => Of(CommandType.Shape, id, shape);

        /// <summary>Changes an offset.</summary>
        public static Command SetOffset(uint id, Vec3 offset) =>
            Of(CommandType.Offset, id, offset: offset);

        /// <summary>Changes an owner; 0: no owner.</summary>
        public static Command SetOwner(uint id, uint owner) =>
            Of(CommandType.Owner, id, owner: owner);

        /// <summary>Changes a layer.</summary>
        public static Command SetLayer(uint id, int layer) =>
            Of(CommandType.Layer, id, layer: layer);

        /// <summary>Makes a collider active or not.</summary>
        public static Command SetActive(uint id, bool active) =>
            Of(CommandType.Active, id, active: active);

        /// <summary>Makes a layer meet exactly the layers of a mask.</summary>
        public static Command SetLayers(int layer, uint mask) =>
            Of(CommandType.Layers, 0, layer: layer, mask: mask);
    }

    public readonly partial struct Query
    {
        /// <summary>A query of the layers of a mask (bit i: layer i), without the colliders of an
        /// owner; 0 leaves out none. hitWhen: the least contact; Apart stands for the
        /// world's.</summary>
        public Query(
            Shape shape, Pose pose, uint mask = uint.MaxValue, uint excludeOwner = 0,
            Contact hitWhen = Contact.Apart)
        {
            this.shape = shape;
            this.pose = pose;
            this.mask = mask;
            this.excludeOwner = excludeOwner;
            this.hitWhen = (uint)hitWhen;
        }

        internal Exception Fault() =>
            shape.Fault() ?? pose.Fault() ?? Errors.Outside("hitWhen", hitWhen, 0, 2);
    }

    public readonly partial struct Cast
    {
        /// <summary>A cast by a motion, each component within -536870911..536870911, at the layers
        /// of a mask (bit i: layer i), without the colliders of an owner; 0 leaves out none. limit:
        /// keeps the first so many hits; 0: all. hitWhen: Apart stands for the world's.</summary>
        public Cast(
            Shape shape, Pose pose, Vec3 motion, uint mask = uint.MaxValue, uint excludeOwner = 0,
            uint limit = 0, Contact hitWhen = Contact.Apart)
        {
            this.shape = shape;
            this.pose = pose;
            this.motion = motion;
            this.mask = mask;
            this.excludeOwner = excludeOwner;
            this.limit = limit;
            this.hitWhen = (uint)hitWhen;
        }

        internal Exception Fault(int status)
        {
            Exception fault = shape.Fault() ?? pose.Fault();
            if (fault != null)
                return fault;
            return Errors.Motion(motion)
                ?? Errors.Outside("hitWhen", hitWhen, 0, 2)
                ?? shape.NotCast(nameof(shape)) ?? Errors.Refused(status, "cast");
        }
    }

    public readonly partial struct Motion
    {
        /// <summary>How the collider of an id moves, each component within
        /// -536870911..536870911.</summary>
        public Motion(uint id, Vec3 by)
        {
            this.id = id;
            motion = by;
        }

        /// <summary>The way of the frame.</summary>
        public Vec3 By => motion;
    }

    public readonly partial struct Explanation
    {
        /// <summary>Whether Planar and Gap are growths of b, not of a.</summary>
        public bool GrowsB => grows == 1;

        /// <summary>A growth or a turn that does not help: none makes them meet.</summary>
        public const long Never = Native.FXS_NEVER;

        /// <summary>"beside: they would meet if a were 0.25 units thicker".</summary>
        public override string ToString() => ToText(null, null);

        /// <summary>The same with names of a and b, of at most 60 bytes each; null: "a", "b".
        /// </summary>
        public unsafe string ToText([AllowNull] string a, [AllowNull] string b)
        {
            RawName nameA = Names.Row(0, a), nameB = Names.Row(0, b);
            Explanation explanation = this;
            byte* text = stackalloc byte[1024];
            ulong size;
            int status = Native.fxs_explanation_text(
                &explanation, string.IsNullOrEmpty(a) ? null : &nameA,
                string.IsNullOrEmpty(b) ? null : &nameB, text, 1024, &size);
            return status < 0
                ? throw Errors.Refused(status, "explanation")
                : Encoding.UTF8.GetString(text, (int)size);
        }
    }

    /// <summary>An outline, for drawing: vertices seen from above, and heights.</summary>
    public sealed class Outline
    {
        /// <summary>The outer polygon, counterclockwise as yaw turns, from +X to +Z.</summary>
        public Vertex[] Outer { get; }

        /// <summary>The hole; empty without one.</summary>
        public Vertex[] Hole { get; }

        /// <summary>The lowest and the highest y.</summary>
        public long Low { get; }

        /// <summary>The highest y.</summary>
        public long High { get; }

        internal Outline(Rows<Vertex> vertices, Extent extent)
        {
            Outer = vertices.Span.Slice(0, (int)extent.Outer).ToArray();
            Hole = vertices.Span.Slice((int)extent.Outer).ToArray();
            Low = extent.YLow;
            High = extent.YHigh;
        }

        internal static void Check(Rows<Vertex> vertices, int segments)
        {
            Errors.NotNull(vertices, nameof(vertices));
            if (segments < 3 || segments > Native.FXS_TURN)
                throw Errors.Range(nameof(segments), segments, 3, Native.FXS_TURN);
        }
    }
}
