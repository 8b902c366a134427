using System;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;

namespace Fixsync
{
    /// <summary>Layers by name, and which of them meet: layer i has the i-th name.</summary>
    public sealed class Layers
    {
        private readonly string[] names;
        private readonly uint[] masks = new uint[Native.FXS_LAYER_COUNT];

        /// <summary>Up to 32 layers, none of which meet.</summary>
        public Layers(params string[] names)
        {
            Errors.NotNull(names, nameof(names));
            if (names.Length > masks.Length)
                throw Errors.Range("number of layers", names.Length, 0, masks.Length);
            this.names = (string[])names.Clone();
            for (int i = 0; i < names.Length; i++)
                if (string.IsNullOrEmpty(names[i]) || Array.IndexOf(names, names[i]) != i)
                    throw new ArgumentException(
                        $"name of layer {i} must be a new one, not \"{names[i]}\"", nameof(names));
        }

        /// <summary>Lets two layers meet, or one meet itself. Returns this.</summary>
        public Layers Meet(string a, string b)
        {
            Errors.NotNull(a, nameof(a));
            Errors.NotNull(b, nameof(b));
            masks[this[a]] |= 1u << this[b];
            masks[this[b]] |= 1u << this[a];
            return this;
        }

        /// <summary>The number of a layer.</summary>
        /// <exception cref="KeyNotFoundException">No layer has this name.</exception>
        public int this[string name]
        {
            get
            {
                int found = Array.IndexOf(names, name);
                return found >= 0 ? found : throw new KeyNotFoundException(
                    $"no layer \"{name}\": they are {string.Join(", ", names)}");
            }
        }

        /// <summary>The mask of some layers, for queries and movers.</summary>
        public uint Mask(params string[] names)
        {
            Errors.NotNull(names, nameof(names));
            uint mask = 0;
            foreach (string name in names)
                mask |= 1u << this[name];
            return mask;
        }

        /// <summary>Bit j of mask i: layer i meets layer j.</summary>
        public uint[] ToMasks() => (uint[])masks.Clone();
    }

    /// <summary>Colliders by id, and their hits. One thread may use a world at a time.</summary>
    public sealed unsafe class World : NativeObject
    {
        private ulong hitRoom;

        /// <summary>An empty world. capacity: ids are 0..capacity - 1. layers: null lets all 32
        /// meet. hitWhen: the least contact that is a hit. hitCapacity: hits of a step that there
        /// is room for to begin with; it grows.</summary>
        public World(
            uint capacity, [AllowNull] Layers layers = null,
            Contact hitWhen = Fixsync.Contact.Touching, uint hitCapacity = 64,
            [AllowNull] Level level = null)
        {
            var config = new RawConfig { capacity = capacity, hit_capacity = hitCapacity };
            config.hit_when = (uint)hitWhen;
            uint[] masks = layers?.ToMasks();
            for (int i = 0; i < Native.FXS_LAYER_COUNT; i++)
                config.layers[i] = masks == null ? uint.MaxValue : masks[i];
            Make(ref config, level);
        }

        private World(World other)
        {
            using (var use = other.Enter())
            {
                RawConfig config;
                Native.fxs_world_config(use.At, &config);
                Make(ref config, null);
                using (var own = Enter())
                    Must(Native.fxs_world_copy(own.At, use.At), "copy");
                Level = other.Level;
            }
        }

        private void Make(ref RawConfig config, Level level)
        {
            IntPtr memory = Memory(ref config, out ulong size);
            Replace(memory, size);
            Capacity = config.capacity;
            hitRoom = config.hit_capacity;
            if (level == null)
                return;
            Level = level;
            using (var use = Enter())
                Must(Native.fxs_world_attach(use.At, level.At), "level");
        }

        private static IntPtr Memory(ref RawConfig config, out ulong size)
        {
            RawConfig copy = config;
            size = Native.fxs_world_size(&copy);
            if (size == 0)
                throw Errors.Outside("capacity", copy.capacity, 1, Native.FXS_CAPACITY_MAX)
                    ?? Errors.Outside("hitWhen", copy.hit_when, 1, 2)
                    ?? Errors.Refused(Native.FXS_E_CONFIG, "config");
            IntPtr memory = Allocate(size);
            Must(Native.fxs_world_init(memory, &copy), "config");
            return memory;
        }

        /// <summary>More room for hits. The caller has entered.</summary>
        private void Grow(IntPtr from, ulong hits)
        {
            RawConfig config;
            Native.fxs_world_config(from, &config);
            hits = Math.Max(hits, 2 * hitRoom);
            if (hits > uint.MaxValue)
                throw new OutOfMemoryException($"no room for {hits} hits");
            config.hit_capacity = (uint)hits;
            IntPtr memory = Memory(ref config, out ulong size);
            Must(Native.fxs_world_copy(memory, from), "copy");
            Replace(memory, size);
            hitRoom = hits;
        }

        internal static void Must(int status, string what)
        {
            if (status < 0)
                throw Errors.Refused(status, what);
        }

        // ---- its state ----

        /// <summary>Ids are 0..Capacity - 1.</summary>
        public uint Capacity { get; private set; }

        /// <summary>Its level, or null.</summary>
        [MaybeNull]
        public Level Level { get; private set; }

        /// <summary>Steps taken, modulo 2^32.</summary>
        public uint Frame => Read(at => Native.fxs_world_frame(at));

        /// <summary>Number of colliders.</summary>
        public int Count => (int)Read(at => Native.fxs_world_count(at));

        /// <summary>The least contact that is a hit.</summary>
        public Contact HitWhen
        {
            get
            {
                RawConfig config;
                using (var use = Enter())
                    Native.fxs_world_config(use.At, &config);
                return (Contact)config.hit_when;
            }
        }

        /// <summary>The layer matrix: bit j of mask i lets layers i and j meet.</summary>
        /// <exception cref="ArgumentException">The masks given are not 32, or not symmetric.
        /// </exception>
        public uint[] LayerMasks
        {
            get
            {
                RawConfig config;
                using (var use = Enter())
                    Native.fxs_world_config(use.At, &config);
                var masks = new uint[Native.FXS_LAYER_COUNT];
                for (int i = 0; i < masks.Length; i++)
                    masks[i] = config.layers[i];
                return masks;
            }

            set
            {
                Errors.NotNull(value, nameof(value));
                if (value.Length != Native.FXS_LAYER_COUNT)
                    throw Errors.Length(nameof(value), value.Length, Native.FXS_LAYER_COUNT);
                fixed (uint* masks = value)
                using (var use = Enter())
                    Must(Native.fxs_world_set_layers(use.At, masks), "layer masks not symmetric");
            }
        }

        /// <summary>The collider of an id.</summary>
        public Collider this[uint id]
        {
            get
            {
                Collider found;
                int status;
                using (var use = Enter())
                    status = Native.fxs_world_get(use.At, id, &found);
                return status < 0 ? throw Refuse(status, id) : found;
            }
        }

        /// <summary>Whether a collider has this id.</summary>
        public bool Contains(uint id) => TryGet(id, out _);

        /// <summary>The collider of an id, if there is one.</summary>
        public bool TryGet(uint id, out Collider collider)
        {
            Collider found;
            int status;
            using (var use = Enter())
                status = Native.fxs_world_get(use.At, id, &found);
            collider = status == Native.FXS_OK ? found : default(Collider);
            return status == Native.FXS_OK;
        }

        /// <summary>The ids, ascending.</summary>
        public void Ids(Rows<uint> ids)
        {
            Errors.NotNull(ids, nameof(ids));
            using (var use = Enter())
            {
                uint count = Native.fxs_world_count(use.At);
                ids.Reserve(count);
                fixed (uint* to = ids.Room)
                    Native.fxs_world_ids(use.At, to);
                ids.Count = (int)count;
            }
        }

        /// <summary>All colliders, ascending by id.</summary>
        public void Colliders(Rows<Collider> colliders)
        {
            Errors.NotNull(colliders, nameof(colliders));
            using (var use = Enter())
            {
                uint count = Native.fxs_world_count(use.At);
                colliders.Reserve(count);
                fixed (Collider* to = colliders.Room)
                    Native.fxs_world_colliders(use.At, to);
                colliders.Count = (int)count;
            }
        }

        // ---- errors ----

        internal Exception Refuse(int status, uint id, string where = "")
        {
            switch (status)
            {
                case Native.FXS_E_ID:
                    return Errors.Range($"{where}id", id, 0, Capacity - 1);
                case Native.FXS_E_ABSENT:
                    return new KeyNotFoundException($"{where}id {id} is not in the world");
                case Native.FXS_E_TAKEN:
                    return new ArgumentException($"id {id} is taken: remove it first, or choose " +
                        $"another of 0..{Capacity - 1}");
                case Native.FXS_E_UNDEFINED:
                    return this[id].Shape.NotCast($"the shape of id {id}");
                default:
                    return Errors.Refused(status, $"{where}id {id}");
            }
        }

        /// <summary>The error of the last of some commands.</summary>
        private Exception RefuseLast(int status, ReadOnlySpan<Command> commands)
        {
            Collider last = commands[commands.Length - 1].Collider;
            if (status == Native.FXS_E_KIND || status == Native.FXS_E_SIZE
                || status == Native.FXS_E_HALF_ANGLE)
                return last.Shape.Fault();
            if (status != Native.FXS_E_CENTRE)
                return Refuse(status, last.Id);
            Collider before = Contains(last.Id) ? this[last.Id] : last;
            Vec3 position = before.Position, offset = before.Offset;
            int yaw = before.Yaw;
            foreach (Command command in commands)
            {
                Collider row = command.Collider;
                if (row.Id != last.Id)
                    continue;
                CommandType type = command.Type;
                bool isAdd = type == CommandType.Add, isPose = type == CommandType.Pose;
                position = isAdd || isPose || type == CommandType.Move ? row.Position : position;
                yaw = isAdd || isPose || type == CommandType.Turn ? row.Yaw : yaw;
                offset = isAdd || type == CommandType.Offset ? row.Offset : offset;
            }

            return new ArgumentException(
                $"id {last.Id}: the centre must be within {int.MinValue}..{int.MaxValue}: " +
                $"position {position} and offset {offset} turned by yaw {yaw} lead outside");
        }

        private Exception RefuseOne(int status, Command command) =>
            RefuseLast(status, new[] { command });

        private Exception RefusePair(int status, uint a, uint b)
        {
            if (status != Native.FXS_E_UNDEFINED)
                return IsThere(a) ? Refuse(status, b, "b: ") : Refuse(status, a, "a: ");
            return NotPushed("a", a) ?? NotPushed("b", b) ?? new ArgumentException(
                $"the shape of b ({b}) must be a Box, not {this[b].Shape}");
        }

        private Exception NotPushed(string name, uint id) =>
            Contains(id) ? this[id].Shape.NotPushed($"the shape of {name} ({id})") : null;

        private bool IsThere(uint id) =>
            Contains(id) || (Level != null && id - Native.FXS_LEVEL < (uint)Level.Count);

        // ---- changes ----

        /// <summary>Adds a collider under its id, which must be free.</summary>
        public void Add(Collider collider)
        {
            int status;
            using (var use = Enter())
                status = Native.fxs_world_add(use.At, &collider);
            if (status < 0)
                throw RefuseOne(status, Command.Add(collider));
        }

        /// <summary>Removes a collider; its hits end at the next step.</summary>
        public void Remove(uint id) => Change(id, Command.Remove(id));

        /// <summary>Changes a position; the yaw stays.</summary>
        public void Move(uint id, Vec3 position)
        {
            Use use = Enter(); // no `using`: outside of a try the compiler calls C directly
            int status = Native.fxs_world_move(use.At, id, position.X, position.Y, position.Z);
            use.Dispose();
            if (status < 0)
                throw RefuseOne(status, Command.Move(id, position));
        }

        /// <summary>Changes position and yaw.</summary>
        public void SetPose(uint id, Pose pose)
        {
            Use use = Enter();
            int status = Native.fxs_world_set_pose(use.At, id, &pose);
            use.Dispose();
            if (status < 0)
                throw RefuseOne(status, Command.SetPose(id, pose));
        }

        /// <summary>Changes a yaw, 0..65535, which also turns the offset.</summary>
        public void Turn(uint id, int yaw) => Change(id, Command.Turn(id, yaw));

        /// <summary>Changes a shape.</summary>
        public void SetShape(uint id, Shape shape) => Change(id, Command.SetShape(id, shape));

        /// <summary>Changes the offset of the centre from the position.</summary>
        public void SetOffset(uint id, Vec3 offset) => Change(id, Command.SetOffset(id, offset));

        /// <summary>Changes an owner; 0: no owner.</summary>
        public void SetOwner(uint id, uint owner) => Change(id, Command.SetOwner(id, owner));

        /// <summary>Changes a layer, 0..31.</summary>
        public void SetLayer(uint id, int layer) => Change(id, Command.SetLayer(id, layer));

        /// <summary>Makes a collider active or not; an inactive one neither hits nor is found.
        /// </summary>
        public void SetActive(uint id, bool active) => Change(id, Command.SetActive(id, active));

        private void Change(uint id, Command command)
        {
            int status;
            ulong bad;
            using (var use = Enter())
                status = Native.fxs_world_apply(use.At, &command, 1, &bad);
            if (status < 0)
                throw RefuseOne(status, command);
        }

        /// <summary>Adds all colliders, or none.</summary>
        /// <exception cref="CommandException">One is refused.</exception>
        public void AddMany(ReadOnlySpan<Collider> colliders)
        {
            int status;
            ulong bad = 0;
            fixed (Collider* rows = &Pin<Collider>.First(colliders))
            using (var use = Enter())
                status = Native.fxs_world_add_many(use.At, rows, (ulong)colliders.Length, &bad);
            if (status < 0)
                throw new CommandException(
                    nameof(colliders), bad, RefuseOne(status, Command.Add(colliders[(int)bad])));
        }

        /// <summary>Moves all of these colliders, or none.</summary>
        /// <exception cref="CommandException">One is refused.</exception>
        public void MoveMany(ReadOnlySpan<uint> ids, ReadOnlySpan<Vec3> positions)
        {
            if (positions.Length != ids.Length)
                throw Errors.Length(nameof(positions), positions.Length, ids.Length);
            int status;
            ulong bad = 0;
            fixed (uint* rows = &Pin<uint>.First(ids))
            fixed (Vec3* to = &Pin<Vec3>.First(positions))
            using (var use = Enter())
                status = Native.fxs_world_move_many(
                    use.At, rows, (int*)to, (ulong)ids.Length, &bad);
            if (status < 0)
                throw new CommandException(nameof(ids), bad, RefuseOne(
                    status, Command.Move(ids[(int)bad], positions[(int)bad])));
        }

        /// <summary>Moves and turns all of these colliders, or none.</summary>
        /// <exception cref="CommandException">One is refused.</exception>
        public void SetPoseMany(ReadOnlySpan<uint> ids, ReadOnlySpan<Pose> poses)
        {
            if (poses.Length != ids.Length)
                throw Errors.Length(nameof(poses), poses.Length, ids.Length);
            int status;
            ulong bad = 0;
            fixed (uint* rows = &Pin<uint>.First(ids))
            fixed (Pose* to = &Pin<Pose>.First(poses))
            using (var use = Enter())
                status = Native.fxs_world_set_pose_many(
                    use.At, rows, to, (ulong)ids.Length, &bad);
            if (status < 0)
                throw new CommandException(nameof(ids), bad, RefuseOne(
                    status, Command.SetPose(ids[(int)bad], poses[(int)bad])));
        }

        /// <summary>Makes all changes in order, or none: the commands of a frame in one call.
        /// </summary>
        /// <exception cref="CommandException">One is refused.</exception>
        public void Apply(ReadOnlySpan<Command> commands)
        {
            int status;
            ulong bad = 0;
            fixed (Command* rows = &Pin<Command>.First(commands))
            using (var use = Enter())
                status = Native.fxs_world_apply(use.At, rows, (ulong)commands.Length, &bad);
            if (status < 0)
                throw new CommandException(
                    nameof(commands), bad, RefuseLast(status, commands.Slice(0, (int)bad + 1)));
        }

        // ---- the step ----

        /// <summary>Finds the hits of this frame, and the events since the last step, by
        /// (a, b). Returns the number of hits.</summary>
        public long Step(Rows<Event> events)
        {
            Errors.NotNull(events, nameof(events));
            using (var use = Enter())
            {
                Counts counts;
                int status;
                while (true)
                {
                    fixed (Event* to = events.Room)
                        status = Native.fxs_world_step(
                            use.At, to, (ulong)events.Room.Length, &counts);
                    if (status == Native.FXS_E_ROOM && counts.Hits > hitRoom)
                        Grow(use.At, counts.Hits);
                    if (!events.Grows(status, counts.Events))
                        return (long)counts.Hits;
                }
            }
        }

        /// <summary>The hits of the last step, by (a, b).</summary>
        public void Hits(Rows<Hit> hits)
        {
            Errors.NotNull(hits, nameof(hits));
            using (var use = Enter())
            {
                ulong count = Native.fxs_world_hit_count(use.At);
                hits.Reserve(count);
                fixed (Hit* to = hits.Room)
                    Native.fxs_world_hits(use.At, to);
                hits.Count = (int)count;
            }
        }

        // ---- two colliders ----

        /// <summary>The contact of two colliders, or of a collider and a solid, as they are now;
        /// layers, owners and activity do not matter.</summary>
        public Contact Contact(uint a, uint b)
        {
            int answer;
            using (var use = Enter())
                answer = Native.fxs_world_contact(use.At, a, b);
            return answer < 0 ? throw RefusePair(answer, a, b) : (Contact)answer;
        }

        /// <summary>The planar translation of a that ends an overlap with b.</summary>
        public Vec3 PushOut(uint a, uint b)
        {
            int* xz = stackalloc int[2];
            int status;
            using (var use = Enter())
                status = Native.fxs_world_push_out(use.At, a, b, xz);
            return status < 0 ? throw RefusePair(status, a, b) : new Vec3(xz[0], 0, xz[1]);
        }

        /// <summary>The shortest dy of a that ends an overlap with b.</summary>
        public int Lift(uint a, uint b)
        {
            int status, y;
            using (var use = Enter())
                status = Native.fxs_world_lift(use.At, a, b, &y);
            return status < 0 ? throw RefusePair(status, a, b) : y;
        }

        /// <summary>The face of b that PushOut moves a out of: of a box a Side, of a prism 1 + its
        /// edge; 0 for no push.</summary>
        public int Side(uint a, uint b)
        {
            int answer;
            using (var use = Enter())
                answer = Native.fxs_world_side(use.At, a, b);
            return answer < 0 ? throw RefusePair(answer, a, b) : answer;
        }

        /// <summary>The outline of a collider or solid, for drawing. segments, 3..65536: pieces of
        /// a whole circle.</summary>
        public Outline Outline(uint id, int segments = Native.FXS_OUTLINE_SEGMENTS)
        {
            var vertices = new Rows<Vertex>(64);
            return new Outline(vertices, Outline(id, vertices, segments));
        }

        /// <summary>The same into a list: `Outer` vertices, then those of the hole.</summary>
        public Extent Outline(uint id, Rows<Vertex> vertices, int segments = Native.FXS_OUTLINE_SEGMENTS)
        {
            Fixsync.Outline.Check(vertices, segments);
            Extent extent;
            int status;
            do
            {
                fixed (Vertex* to = vertices.Room)
                using (var use = Enter())
                    status = Native.fxs_world_outline(
                        use.At, id, (uint)segments, to, (ulong)vertices.Room.Length, &extent);
            }
            while (vertices.Grows(status, (ulong)extent.Outer + extent.Hole));
            return status < 0 ? throw Refuse(status, id) : extent;
        }

        /// <summary>Why two colliders, or a collider and a solid, are not a hit, and by how much
        /// they miss.</summary>
        public Explanation Explain(uint a, uint b)
        {
            Explanation why;
            int status;
            using (var use = Enter())
                status = Native.fxs_world_explain(use.At, a, b, &why);
            return status < 0 ? throw RefusePair(status, a, b) : why;
        }

        /// <summary>Why a query does not meet a collider or a solid.</summary>
        public Explanation Explain(Query query, uint b)
        {
            Explanation why;
            int status;
            using (var use = Enter())
                status = Native.fxs_world_explain_query(use.At, &query, b, &why);
            if (status < 0)
                throw query.Fault() ?? Refuse(status, b);
            return why;
        }

        /// <summary>Pushes bodies that overlap apart, into walls and through them too. yields: 32
        /// masks; bit j of mask i lets a body of layer i give way to one of layer j. moved: those
        /// that were pushed, by id.</summary>
        public void Separate(ReadOnlySpan<uint> yields, int passes, Rows<Moved> moved)
        {
            Errors.NotNull(moved, nameof(moved));
            CheckSeparate(yields, passes);
            int status;
            ulong count;
            fixed (uint* masks = &Pin<uint>.First(yields))
            {
                do
                {
                    using (var use = Enter())
                    fixed (Moved* to = moved.Room)
                        status = Native.fxs_world_separate(
                            use.At, masks, (uint)passes, to, (ulong)moved.Room.Length, &count);
                }
                while (moved.Grows(status, count));
            }

            if (status < 0)
                throw Refuse(status, (uint)count);
        }

        private static void CheckSeparate(ReadOnlySpan<uint> yields, int passes)
        {
            if (yields.Length != Native.FXS_LAYER_COUNT)
                throw Errors.Length(nameof(yields), yields.Length, Native.FXS_LAYER_COUNT);
            if (passes < 0)
                throw Errors.Range(nameof(passes), passes, 0, int.MaxValue);
        }

        // ---- queries and casts ----

        /// <summary>The ids of active colliders and solids that a query meets, ascending.</summary>
        public void Query(Query query, Rows<uint> ids)
        {
            Errors.NotNull(ids, nameof(ids));
            int status;
            ulong count;
            do
            {
                using (var use = Enter())
                fixed (uint* to = ids.Room)
                    status = Native.fxs_world_query(
                        use.At, &query, to, (ulong)ids.Room.Length, &count);
            }
            while (ids.Grows(status, count));
            if (status < 0)
                throw query.Fault();
        }

        /// <summary>The ids of the colliders that a query meets, nearest first: the first `limit`
        /// (0: all). Solids are left out.</summary>
        public void Nearest(Query query, int limit, Rows<uint> ids)
        {
            Errors.NotNull(ids, nameof(ids));
            if (limit < 0)
                throw Errors.Range(nameof(limit), limit, 0, int.MaxValue);
            int status;
            ulong count;
            do
            {
                using (var use = Enter())
                fixed (uint* to = ids.Room)
                    status = Native.fxs_world_nearest(
                        use.At, &query, (ulong)limit, to, (ulong)ids.Room.Length, &count);
            }
            while (ids.Grows(status, count));
            if (status < 0)
                throw query.Fault();
        }

        /// <summary>Query of many. The answers stand one after another; ends[i] is the end of the
        /// i-th.</summary>
        public void QueryMany(ReadOnlySpan<Query> queries, Rows<ulong> ends, Rows<uint> ids) =>
            Many(queries, ends, ids, false, 0);

        /// <summary>Nearest of many, laid out as by QueryMany.</summary>
        public void NearestMany(
            ReadOnlySpan<Query> queries, int limit, Rows<ulong> ends, Rows<uint> ids)
        {
            Errors.NotNull(ends, nameof(ends));
            Errors.NotNull(ids, nameof(ids));
            if (limit < 0)
                throw Errors.Range(nameof(limit), limit, 0, int.MaxValue);
            Many(queries, ends, ids, true, (ulong)limit);
        }

        private void Many(
            ReadOnlySpan<Query> queries, Rows<ulong> ends, Rows<uint> ids, bool nearest,
            ulong limit)
        {
            Errors.NotNull(ends, nameof(ends));
            Errors.NotNull(ids, nameof(ids));
            int status;
            ulong n = (ulong)queries.Length, count;
            ends.Reserve(n);
            ends.Count = 0;
            fixed (Query* rows = &Pin<Query>.First(queries))
            fixed (ulong* last = ends.Room)
            {
                do
                {
                    using (var use = Enter())
                    fixed (uint* to = ids.Room)
                    {
                        ulong room = (ulong)ids.Room.Length;
                        status = nearest
                            ? Native.fxs_world_nearest_many(
                                use.At, rows, n, limit, last, to, room, &count)
                            : Native.fxs_world_query_many(
                                use.At, rows, n, last, to, room, &count);
                    }
                }
                while (ids.Grows(status, count));
            }

            if (status < 0)
                throw new CommandException("queries", count, queries[(int)count].Fault());
            ends.Count = queries.Length;
        }

        /// <summary>The hits of a cast, by (fraction, distance, id).</summary>
        public void Cast(Cast cast, Rows<CastHit> hits)
        {
            Errors.NotNull(hits, nameof(hits));
            int status;
            ulong count;
            do
            {
                using (var use = Enter())
                fixed (CastHit* to = hits.Room)
                    status = Native.fxs_world_cast(
                        use.At, &cast, to, (ulong)hits.Room.Length, &count);
            }
            while (hits.Grows(status, count));
            if (status < 0)
                throw cast.Fault(status);
        }

        /// <summary>Cast of many. The answers stand one after another; ends[i] is the end of the
        /// i-th.</summary>
        public void CastMany(ReadOnlySpan<Cast> casts, Rows<ulong> ends, Rows<CastHit> hits)
        {
            Errors.NotNull(ends, nameof(ends));
            Errors.NotNull(hits, nameof(hits));
            int status;
            ulong n = (ulong)casts.Length, count;
            ends.Reserve(n);
            ends.Count = 0;
            fixed (Cast* rows = &Pin<Cast>.First(casts))
            fixed (ulong* last = ends.Room)
            {
                do
                {
                    using (var use = Enter())
                    fixed (CastHit* to = hits.Room)
                        status = Native.fxs_world_cast_many(
                            use.At, rows, n, last, to, (ulong)hits.Room.Length, &count);
                }
                while (hits.Grows(status, count));
            }

            if (status < 0)
                throw new CommandException(nameof(casts), count, casts[(int)count].Fault(status));
            ends.Count = casts.Length;
        }

        /// <summary>A cast of a collider's own shape from where it is, at what layers and owners
        /// let it hit. limit 0: all. hitWhen: Apart stands for the world's.</summary>
        public void Sweep(
            uint id, Vec3 motion, Rows<CastHit> hits, uint limit = 0,
            Contact hitWhen = Fixsync.Contact.Apart)
        {
            Errors.NotNull(hits, nameof(hits));
            int status;
            ulong count;
            do
            {
                using (var use = Enter())
                fixed (CastHit* to = hits.Room)
                    status = Native.fxs_world_sweep(
                        use.At, id, &motion, limit, (uint)hitWhen, to, (ulong)hits.Room.Length,
                        &count);
            }
            while (hits.Grows(status, count));
            if (status == Native.FXS_E_HIT_WHEN)
                throw Errors.Range(nameof(hitWhen), (long)hitWhen, 0, 2);
            if (status < 0)
                throw Errors.Motion(motion) ?? Refuse(status, id);
        }

        /// <summary>The pairs that meet while colliders move at once, each along its own motion:
        /// by (fraction, distance, a, b). motions ascend by id; all others stand still. The world
        /// does not change. limit 0: all. hitWhen: Apart stands for the world's.</summary>
        public void SweepPairs(
            ReadOnlySpan<Motion> motions, Rows<PairHit> hits, uint limit = 0,
            Contact hitWhen = Fixsync.Contact.Apart)
        {
            Errors.NotNull(hits, nameof(hits));
            int status;
            ulong n = (ulong)motions.Length, count;
            fixed (Motion* rows = &Pin<Motion>.First(motions))
            {
                do
                {
                    using (var use = Enter())
                    fixed (PairHit* to = hits.Room)
                        status = Native.fxs_world_sweep_pairs(
                            use.At, rows, n, (uint)hitWhen, limit, to, (ulong)hits.Room.Length,
                            &count);
                }
                while (hits.Grows(status, count));
            }

            if (status == Native.FXS_E_HIT_WHEN)
                throw Errors.Range(nameof(hitWhen), (long)hitWhen, 0, 2);
            if (status < 0)
                throw new CommandException(
                    nameof(motions), count, MotionFault(status, motions[(int)count]));
        }

        private Exception MotionFault(int status, Motion motion)
        {
            if (status == Native.FXS_E_ORDER)
                return new ArgumentException($"ids must ascend: {motion.Id} does not");
            return status == Native.FXS_E_MOTION
                ? Errors.Motion(motion.By)
                : Refuse(status, motion.Id);
        }

        // ---- movers ----

        /// <summary>Moves a collider straight and slides it along obstacles: a dash. mask: layers
        /// that block it; 0: its row of the layer matrix. hits: its hits, in order.</summary>
        public void MoveAndSlide(
            uint id, Vec3 motion, Rows<CastHit> hits, uint mask = 0, int passes = 4)
        {
            Errors.NotNull(hits, nameof(hits));
            if (passes < 1 || passes > Native.FXS_PASSES_MAX)
                throw Errors.Range(nameof(passes), passes, 1, Native.FXS_PASSES_MAX);
            hits.Reserve((ulong)passes);
            int status;
            ulong count;
            using (var use = Enter())
            fixed (CastHit* to = hits.Room)
                status = Native.fxs_move_and_slide(
                    use.At, id, &motion, mask, (uint)passes, to, &count);
            hits.Grows(status, count);
            if (status < 0)
                throw Errors.Motion(motion) ?? Refuse(status, id);
        }

        internal MoverResult Walk(Mover mover, Vec3 motion, Rows<CastHit> hits)
        {
            Errors.NotNull(hits, nameof(hits));
            MoverResult result;
            hits.Reserve((ulong)Math.Min(mover.Passes, Native.FXS_PASSES_MAX) + 1);
            int status;
            using (var use = Enter())
            fixed (CastHit* to = hits.Room)
                status = Native.fxs_mover_move(use.At, &mover, &motion, &result, to);
            if (status < 0)
            {
                hits.Count = 0;
                throw mover.Fault() ?? Errors.Motion(motion) ?? Refuse(status, mover.Id);
            }

            hits.Count = (int)result.HitCount;
            return result;
        }

        /// <summary>Moves a platform, with the movers that ride on it, and pushes those in its way.
        /// ids: its colliders, a cabin's floor and walls together, ascending. movers: those that it
        /// may take along, by ascending ids. rows: the result of each, in order. A frame is
        /// carry, separate, moves, step.</summary>
        public void Carry(
            ReadOnlySpan<uint> ids, Vec3 motion, ReadOnlySpan<Mover> movers, Rows<Carried> rows)
        {
            Errors.NotNull(rows, nameof(rows));
            rows.Reserve((ulong)movers.Length);
            rows.Count = 0;
            int status;
            fixed (uint* platform = &Pin<uint>.First(ids))
            fixed (Mover* riders = &Pin<Mover>.First(movers))
            fixed (Carried* to = rows.Room)
            using (var use = Enter())
                status = Native.fxs_carry(
                    use.At, platform, (ulong)ids.Length, &motion, riders, (ulong)movers.Length,
                    to);
            if (status < 0)
                throw MoversFault(status, ids, motion, movers);
            rows.Count = movers.Length;
        }

        /// <summary>Separate for characters: none is pushed through a wall, or into one. movers: by
        /// ascending ids. rows: the colliders that are pushed to another place, by id. Walls belong
        /// in the masks of the movers, not in yields.</summary>
        public void SeparateMovers(
            ReadOnlySpan<uint> yields, int passes, ReadOnlySpan<Mover> movers, Rows<Separated> rows)
        {
            Errors.NotNull(rows, nameof(rows));
            CheckSeparate(yields, passes);
            int status;
            ulong count;
            fixed (uint* masks = &Pin<uint>.First(yields))
            fixed (Mover* listed = &Pin<Mover>.First(movers))
            {
                do
                {
                    using (var use = Enter())
                    fixed (Separated* to = rows.Room)
                        status = Native.fxs_movers_separate(
                            use.At, masks, (uint)passes, listed, (ulong)movers.Length, to,
                            (ulong)rows.Room.Length, &count);
                }
                while (rows.Grows(status, count));
            }

            if (status == Native.FXS_E_CENTRE)
                throw Refuse(status, (uint)count);
            if (status < 0)
                throw MoversFault(status, default, default, movers);
        }

        private Exception Absence(uint id) =>
            id >= Capacity ? Refuse(Native.FXS_E_ID, id)
            : Contains(id) ? null : Refuse(Native.FXS_E_ABSENT, id);

        private Exception MoversFault(
            int status, ReadOnlySpan<uint> ids, Vec3 motion, ReadOnlySpan<Mover> movers)
        {
            Exception fault = Errors.Motion(motion);
            for (int i = 0; fault == null && i < ids.Length; i++)
                fault = Absence(ids[i]) ?? (i > 0 && ids[i] <= ids[i - 1]
                    ? new ArgumentException($"ids must ascend: ids[{i}] is {ids[i]}", nameof(ids))
                    : null);
            for (int i = 0; fault == null && i < movers.Length; i++)
                fault = movers[i].Fault() ?? Absence(movers[i].Id)
                    ?? (i > 0 && movers[i].Id <= movers[i - 1].Id
                        ? new ArgumentException(
                            $"movers must ascend: movers[{i}] has id {movers[i].Id}", nameof(movers))
                        : null)
                    ?? (ids.IndexOf(movers[i].Id) < 0 ? null : new ArgumentException(
                        $"id {movers[i].Id} must not be both a platform and a mover"));
            return fault ?? Errors.Refused(status, "ids or movers");
        }

        // ---- state ----

        /// <summary>Bytes of the state as it is now.</summary>
        public long SaveSize => (long)Read(at => Native.fxs_world_save_size(at));

        /// <summary>The whole state, the same on every machine.</summary>
        public byte[] Save()
        {
            using (var use = Enter())
            {
                var bytes = new byte[Native.fxs_world_save_size(use.At)];
                fixed (byte* to = bytes)
                    Native.fxs_world_save(use.At, to);
                return bytes;
            }
        }

        /// <summary>Writes the whole state into a buffer. Returns the number of bytes.</summary>
        /// <exception cref="ArgumentException">The buffer is shorter than SaveSize.</exception>
        public int Save(Span<byte> buffer)
        {
            using (var use = Enter())
            {
                ulong size = Native.fxs_world_save_size(use.At);
                if ((ulong)buffer.Length < size)
                    throw new ArgumentException(
                        $"length of buffer must be at least {size}, not {buffer.Length}",
                        nameof(buffer));
                fixed (byte* to = &Pin<byte>.First(buffer))
                    Native.fxs_world_save(use.At, to);
                return (int)size;
            }
        }

        /// <summary>XXH64 of the saved state: peers compare it.</summary>
        public ulong Hash() => Read(at => Native.fxs_world_hash(at));

        /// <summary>Replaces everything but capacity and level by a saved state.</summary>
        /// <exception cref="System.IO.InvalidDataException">The bytes are not a state that this
        /// world can hold; it stays as it was.</exception>
        public void Load(ReadOnlySpan<byte> bytes)
        {
            int status;
            ulong at = 0;
            fixed (byte* from = &Pin<byte>.First(bytes))
            using (var use = Enter())
            {
                status = Native.fxs_world_load(use.At, from, (ulong)bytes.Length, &at);
                if (status == Native.FXS_E_ROOM)
                {
                    Grow(use.At, at);
                    status = Native.fxs_world_load(use.At, from, (ulong)bytes.Length, &at);
                }
            }

            if (status < 0)
                throw Errors.Bytes("data is not a state that this world can hold", at, bytes.Length);
        }

        /// <summary>Room for the hits of a state that the next call loads. The caller has entered.
        /// </summary>
        internal void Reserve(IntPtr at, ulong stateSize)
        {
            if (stateSize / 12 > hitRoom)
                Grow(at, stateSize / 12);
        }

        /// <summary>A world of its own with the same state and level.</summary>
        public World Copy() => new World(this);

        /// <summary>Takes over the state of a world of the same capacity, and its level.</summary>
        public void CopyFrom(World other)
        {
            Errors.NotNull(other, nameof(other));
            using (var use = Enter())
            using (var from = other.Enter())
            {
                ulong hits = Native.fxs_world_hit_count(from.At);
                if (hits > hitRoom)
                    Grow(use.At, hits);
                int status = Native.fxs_world_copy(use.At, from.At);
                if (status < 0)
                    throw Errors.Range("capacity of other", other.Capacity, Capacity, Capacity);
                Level = other.Level;
            }
        }

        /// <summary>The address of the world, for Burst, a job and Native: any thread, one at a
        /// time, and no call of the world meanwhile. It is valid until the world is disposed of or
        /// grows: take it again after a Step, Load or CopyFrom, and complete a job before.
        /// </summary>
        public WorldHandle Handle
        {
            get
            {
                using (var use = Enter())
                    return new WorldHandle(use.At);
            }
        }

        /// <summary>"World at frame 3, 12 colliders".</summary>
        public override string ToString() => $"World at frame {Frame}, {Count} colliders";
    }

    /// <summary>A world in code that takes no references, as in Unity's Burst. Nothing is checked.
    /// </summary>
    public readonly struct WorldHandle
    {
        /// <summary>For the functions of Native.</summary>
        public readonly IntPtr Pointer;

        internal WorldHandle(IntPtr pointer)
        {
            Pointer = pointer;
        }

        /// <summary>Moves a collider. Returns whether the kernel took it.</summary>
        public bool Move(uint id, Vec3 p) =>
            Native.fxs_world_move(Pointer, id, p.X, p.Y, p.Z) == Native.FXS_OK;

        /// <summary>Writes the ids that a query meets to `ids`, with room for `room`. Returns their
        /// number, or -1 if there is no room, or the query is out of range.</summary>
        public unsafe int Query(Query query, uint* ids, int room)
        {
            ulong count;
            int status = Native.fxs_world_query(Pointer, &query, ids, (ulong)room, &count);
            return status < 0 ? -1 : (int)count;
        }
    }
}
