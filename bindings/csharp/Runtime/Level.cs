using System;
using System.Collections.Generic;
using System.IO;
using System.Runtime.InteropServices;

namespace Fixsync
{
    /// <summary>A part of a level, upright from Low to High: a prism of 3..32 vertices, strictly
    /// convex and counterclockwise from +X to +Z, or a cylinder.</summary>
    public sealed unsafe class Solid
    {
        internal RawSolid Raw;

        /// <summary>A prism. vertices: x and z of each; Y is not read.</summary>
        public static Solid Prism(IReadOnlyList<Vec3> vertices, int low, int high, int layer = 0)
        {
            Errors.NotNull(vertices, nameof(vertices));
            if (vertices.Count < 3 || vertices.Count > Native.FXS_VERTICES_MAX)
                throw Errors.Range(
                    "number of vertices", vertices.Count, 3, Native.FXS_VERTICES_MAX);
            Solid made = Upright(Native.FXS_PRISM, low, high, layer);
            made.Raw.vertex_count = (ushort)vertices.Count;
            fixed (int* numbers = made.Raw.numbers)
            {
                for (int i = 0; i < vertices.Count; i++)
                {
                    numbers[2 * i] = vertices[i].X;
                    numbers[2 * i + 1] = vertices[i].Z;
                }
            }

            return made;
        }

        /// <summary>An upright cylinder.</summary>
        public static Solid Pillar(int x, int z, int radius, int low, int high, int layer = 0)
        {
            if (radius < 1 || radius > Native.FXS_SIZE_MAX)
                throw Errors.Range(nameof(radius), radius, 1, Native.FXS_SIZE_MAX);
            Solid made = Upright(Native.FXS_CYLINDER, low, high, layer);
            fixed (int* numbers = made.Raw.numbers)
            {
                numbers[0] = x;
                numbers[1] = z;
                numbers[2] = radius;
            }

            return made;
        }

        private static Solid Upright(int code, int low, int high, int layer)
        {
            if (layer < 0 || layer >= Native.FXS_LAYER_COUNT)
                throw Errors.Range(nameof(layer), layer, 0, Native.FXS_LAYER_COUNT - 1);
            if (high <= low)
                throw Errors.Range(nameof(high), high, low + 1L, int.MaxValue);
            var made = new Solid();
            made.Raw.code = (byte)code;
            made.Raw.layer = (byte)layer;
            made.Raw.y_low = low;
            made.Raw.y_high = high;
            return made;
        }

        /// <summary>The solid of a box or a cylinder at a pose.</summary>
        public static Solid Of(Shape shape, Pose pose, int layer = 0)
        {
            var made = new Solid();
            int status;
            fixed (RawSolid* to = &made.Raw)
                status = Native.fxs_solid_of(&shape, &pose, (uint)layer, to);
            if (status == Native.FXS_E_LAYER)
                throw Errors.Range(nameof(layer), layer, 0, Native.FXS_LAYER_COUNT - 1);
            if (status < 0)
                throw shape.Fault() ?? pose.Fault()
                    ?? Errors.Refused(status, $"solid of {shape}");
            return made;
        }

        /// <summary>Whether it is a prism, not a cylinder.</summary>
        public bool IsPrism => Raw.code == Native.FXS_PRISM;

        /// <summary>0..31.</summary>
        public int Layer => Raw.layer;

        /// <summary>The lowest y.</summary>
        public int Low => Raw.y_low;

        /// <summary>The highest y.</summary>
        public int High => Raw.y_high;

        /// <summary>Of a cylinder; 0 of a prism.</summary>
        public int Radius
        {
            get
            {
                fixed (int* numbers = Raw.numbers)
                    return IsPrism ? 0 : numbers[2];
            }
        }

        /// <summary>The vertices of a prism at its lowest y; of a cylinder its centre.</summary>
        public Vec3[] Vertices
        {
            get
            {
                var found = new Vec3[IsPrism ? Raw.vertex_count : 1];
                fixed (int* numbers = Raw.numbers)
                {
                    for (int i = 0; i < found.Length; i++)
                        found[i] = new Vec3(numbers[2 * i], Low, numbers[2 * i + 1]);
                }

                return found;
            }
        }
    }

    /// <summary>The static geometry of a map. It never changes: any number of worlds, on any
    /// threads, may share one. The solids' ids are Level.FirstId + index.</summary>
    public sealed unsafe class Level
    {
        /// <summary>The id of the first solid.</summary>
        public const uint FirstId = Native.FXS_LEVEL;

        internal IntPtr At { get; }

        private readonly long size;

        /// <summary>The level of its bytes, such as `fixsync level` writes them.</summary>
        /// <exception cref="InvalidDataException">They are not a level.</exception>
        public Level(ReadOnlySpan<byte> bytes)
        {
            Native.Check();
            int status;
            ulong at = 0;
            fixed (byte* from = &Pin<byte>.First(bytes))
            {
                ulong need = Native.fxs_level_size(from, (ulong)bytes.Length);
                At = NativeObject.Allocate(need);
                size = (long)need;
                GC.AddMemoryPressure(size);
                status = Native.fxs_level_init(At, from, (ulong)bytes.Length, &at);
            }

            if (status < 0)
                throw Errors.Bytes("data is not a level", at, bytes.Length);
        }

        /// <summary>Frees the memory; worlds keep their level until then.</summary>
        ~Level()
        {
            if (At == IntPtr.Zero)
                return;
            Marshal.FreeHGlobal(At);
            GC.RemoveMemoryPressure(size);
        }

        /// <summary>A level of solids.</summary>
        /// <exception cref="ArgumentException">A prism is not strictly convex and counterclockwise.
        /// </exception>
        public static Level Of(IReadOnlyList<Solid> solids)
        {
            Errors.NotNull(solids, nameof(solids));
            try
            {
                return new Level(BytesOf(solids));
            }
            catch (InvalidDataException error)
            {
                for (int i = 0; i < solids.Count; i++)
                    if (!IsLevel(BytesOf(new[] { solids[i] })))
                        throw new ArgumentException(
                            $"solids[{i}]: vertices must be strictly convex and counterclockwise",
                            nameof(solids), error);
                throw;
            }
        }

        private static bool IsLevel(byte[] bytes)
        {
            try
            {
                return new Level(bytes).Count == 1;
            }
            catch (InvalidDataException)
            {
                return false;
            }
        }

        /// <summary>The bytes of a level of solids, for a file.</summary>
        public static byte[] BytesOf(IReadOnlyList<Solid> solids)
        {
            Errors.NotNull(solids, nameof(solids));
            var rows = new RawSolid[Math.Max(1, solids.Count)];
            for (int i = 0; i < solids.Count; i++)
                rows[i] = solids[i].Raw;
            var bytes = new Rows<byte>(4096);
            int status;
            ulong count;
            fixed (RawSolid* from = rows)
            {
                do
                {
                    fixed (byte* to = bytes.Room)
                        status = Native.fxs_level_write(
                            from, (ulong)solids.Count, to, (ulong)bytes.Room.Length, &count);
                }
                while (bytes.Grows(status, count));
            }

            return status < 0 ? throw Errors.Refused(status, $"solids[{count}]") : bytes.ToArray();
        }

        /// <summary>Number of solids.</summary>
        public int Count
        {
            get
            {
                int count = (int)Native.fxs_level_count(At);
                GC.KeepAlive(this);
                return count;
            }
        }

        /// <summary>XXH64 of the bytes.</summary>
        public ulong Hash()
        {
            ulong hash = Native.fxs_level_hash(At);
            GC.KeepAlive(this);
            return hash;
        }

        /// <summary>The bytes that it was made from.</summary>
        public byte[] ToBytes()
        {
            var bytes = new byte[Native.fxs_level_save_size(At)];
            fixed (byte* to = bytes)
                Native.fxs_level_save(At, to);
            GC.KeepAlive(this);
            return bytes;
        }

        private Exception Refuse(int status, int index) =>
            Errors.Outside(nameof(index), index, 0, Count - 1)
            ?? Errors.Refused(status, $"solid {index}");

        /// <summary>A solid by its index.</summary>
        public Solid this[int index]
        {
            get
            {
                var found = new Solid();
                int status;
                fixed (RawSolid* to = &found.Raw)
                    status = Native.fxs_level_solid(At, (uint)index, to);
                GC.KeepAlive(this);
                return status < 0 ? throw Refuse(status, index) : found;
            }
        }

        /// <summary>The outline of a solid, for drawing.</summary>
        public Outline Outline(int index, int segments = Native.FXS_OUTLINE_SEGMENTS)
        {
            var vertices = new Rows<Vertex>(64);
            Fixsync.Outline.Check(vertices, segments);
            Extent extent;
            int status;
            do
            {
                fixed (Vertex* to = vertices.Room)
                    status = Native.fxs_level_outline(
                        At, (uint)index, (uint)segments, to, (ulong)vertices.Room.Length, &extent);
                GC.KeepAlive(this);
            }
            while (vertices.Grows(status, (ulong)extent.Outer + extent.Hole));
            return status < 0 ? throw Refuse(status, index) : new Outline(vertices, extent);
        }

        /// <summary>The contact of a shape with a solid.</summary>
        public Contact Contact(int index, Shape shape, Pose pose)
        {
            int answer = Native.fxs_level_contact(At, (uint)index, &shape, &pose);
            GC.KeepAlive(this);
            if (answer < 0)
                throw shape.Fault() ?? pose.Fault() ?? Refuse(answer, index);
            return (Contact)answer;
        }

        /// <summary>The ids of the solids that a query meets, ascending.</summary>
        public void Query(Query query, Rows<uint> ids, Contact hitWhen = Fixsync.Contact.Touching)
        {
            Errors.NotNull(ids, nameof(ids));
            int status;
            ulong count;
            do
            {
                fixed (uint* to = ids.Room)
                    status = Native.fxs_level_query(
                        At, &query, (uint)hitWhen, to, (ulong)ids.Room.Length, &count);
            }
            while (ids.Grows(status, count));
            GC.KeepAlive(this);
            if (status < 0)
                throw query.Fault() ?? Errors.Range(nameof(hitWhen), (long)hitWhen, 1, 2);
        }

        /// <summary>The solids that a cast hits, by (fraction, distance, id).</summary>
        public void Cast(Cast cast, Rows<CastHit> hits)
        {
            Errors.NotNull(hits, nameof(hits));
            int status;
            ulong count;
            do
            {
                fixed (CastHit* to = hits.Room)
                    status = Native.fxs_level_cast(
                        At, &cast, to, (ulong)hits.Room.Length, &count);
            }
            while (hits.Grows(status, count));
            GC.KeepAlive(this);
            if (status < 0)
                throw cast.Fault(status);
        }
    }
}
