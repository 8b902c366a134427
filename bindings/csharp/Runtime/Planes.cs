using System;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;

namespace Fixsync
{
    public readonly partial struct Hitbox
    {
        private Hitbox(
            uint id, int kind, int ground0, int ground1, int halfX, int halfY, Vec3 position,
            int layer, uint owner, bool active)
            : this(
                id, (ShapeKind)kind, (byte)layer, (byte)(active ? 1 : 0), 0, owner, position,
                ground0, ground1, halfX, halfY)
        {
            Exception fault = Fault() ?? Errors.Outside(
                nameof(layer), layer, 0, Native.FXS_PLANES_LAYERS - 1);
            if (fault != null)
                throw fault;
        }

        /// <summary>A circle seen from above, and a rectangle of sizes halfX, halfY seen from the
        /// side. layer: 0..15.</summary>
        public static Hitbox Circle(
            uint id, int radius, int halfX, int halfY, Vec3 position = default(Vec3),
            int layer = 0, uint owner = 0, bool active = true) =>
            new Hitbox(
                id, Native.FXS_CYLINDER, radius, 0, halfX, halfY, position, layer, owner, active);

        /// <summary>A rectangle of sizes groundX, groundZ seen from above, and one of halfX, halfY
        /// seen from the side. layer: 0..15.</summary>
        public static Hitbox Rectangle(
            uint id, int groundX, int groundZ, int halfX, int halfY,
            Vec3 position = default(Vec3), int layer = 0, uint owner = 0, bool active = true) =>
            new Hitbox(
                id, Native.FXS_BOX, groundX, groundZ, halfX, halfY, position, layer, owner,
                active);

        /// <summary>Whether it hits and is found.</summary>
        public bool IsActive => active == 1;

        internal Exception Fault() =>
            Errors.Outside(
                kind == Native.FXS_CYLINDER ? "radius" : "groundX", ground0, 1,
                Native.FXS_SIZE_MAX)
            ?? (kind == Native.FXS_CYLINDER
                ? null : Errors.Outside("groundZ", ground1, 1, Native.FXS_SIZE_MAX))
            ?? Errors.Outside("halfX", side0, 1, Native.FXS_SIZE_MAX)
            ?? Errors.Outside("halfY", side1, 1, Native.FXS_SIZE_MAX);

        private static Exception Refuse(int status, in Hitbox a, in Hitbox b) =>
            a.Fault() ?? b.Fault() ?? Errors.Refused(status, "hitboxes");

        /// <summary>The contact with another hitbox, exact.</summary>
        public unsafe Contact Contact(Hitbox b)
        {
            Hitbox a = this;
            int answer = Native.fxs_hitbox_contact(&a, &b);
            return answer < 0 ? throw Refuse(answer, a, b) : (Contact)answer;
        }

        /// <summary>The planar translation of this hitbox that ends an overlap with b.</summary>
        public unsafe Vec3 PushOut(Hitbox b)
        {
            Hitbox a = this;
            int* xz = stackalloc int[2];
            int status = Native.fxs_hitbox_push_out(&a, &b, xz);
            return status < 0 ? throw Refuse(status, a, b) : new Vec3(xz[0], 0, xz[1]);
        }

        /// <summary>The shortest dy of this hitbox that ends an overlap with b.</summary>
        public unsafe int Lift(Hitbox b)
        {
            Hitbox a = this;
            int y;
            int status = Native.fxs_hitbox_lift(&a, &b, &y);
            return status < 0 ? throw Refuse(status, a, b) : y;
        }

        /// <summary>When two moving hitboxes first meet: false if they do not.</summary>
        public unsafe bool Cast(
            Vec3 motion, Hitbox b, Vec3 motionB, out int fraction, out Vec3 normal,
            Contact hitWhen = Fixsync.Contact.Touching)
        {
            Hitbox a = this;
            int f = 0;
            Vec3 n = default(Vec3);
            int answer = Native.fxs_hitbox_cast_pair(
                &a, &motion, &b, &motionB, (uint)hitWhen, &f, &n);
            fraction = f;
            normal = n;
            if (answer < 0)
                throw Errors.Motion(motion) ?? Errors.Motion(motionB)
                    ?? Errors.Outside(nameof(hitWhen), (long)hitWhen, 1, 2)
                    ?? Refuse(answer, a, b);
            return answer == 1;
        }
    }

    public readonly partial struct PlanesCommand
    {
        private static PlanesCommand Of(
            CommandType type, uint id, Vec3 position = default(Vec3), uint owner = 0,
            int layer = 0, bool active = false, uint mask = 0)
        {
            if (layer < 0 || layer >= Native.FXS_PLANES_LAYERS)
                throw Errors.Range(nameof(layer), layer, 0, Native.FXS_PLANES_LAYERS - 1);
            var row = new Hitbox(
                id, ShapeKind.Sphere, (byte)layer, (byte)(active ? 1 : 0), 0, owner, position, 0,
                0, 0, 0);
            return new PlanesCommand(type, mask, row);
        }

        /// <summary>Adds a hitbox.</summary>
        public static PlanesCommand Add(Hitbox hitbox) =>
            new PlanesCommand(CommandType.Add, 0, hitbox);

        /// <summary>Removes a hitbox.</summary>
        public static PlanesCommand Remove(uint id) => Of(CommandType.Remove, id);

        /// <summary>Changes a position.</summary>
        public static PlanesCommand Move(uint id, Vec3 position) =>
            Of(CommandType.Move, id, position);

        /// <summary>Changes both views to those of a hitbox of the same id.</summary>
        public static PlanesCommand SetHitbox(Hitbox hitbox) =>
            new PlanesCommand(CommandType.Shape, 0, hitbox);

        /// <summary>Changes an owner; 0: no owner.</summary>
        public static PlanesCommand SetOwner(uint id, uint owner) =>
            Of(CommandType.Owner, id, owner: owner);

        /// <summary>Changes a layer, 0..15.</summary>
        public static PlanesCommand SetLayer(uint id, int layer) =>
            Of(CommandType.Layer, id, layer: layer);

        /// <summary>Makes a hitbox active or not.</summary>
        public static PlanesCommand SetActive(uint id, bool active) =>
            Of(CommandType.Active, id, active: active);

        /// <summary>Makes a layer meet exactly the layers of a mask of 16 bits.</summary>
        public static PlanesCommand SetLayers(int layer, ushort mask) =>
            Of(CommandType.Layers, 0, layer: layer, mask: mask);
    }

    public readonly partial struct HitboxCast
    {
        /// <summary>A cast of a hitbox, at the layers of a mask of 16 bits; the rest is as of Cast.
        /// </summary>
        public HitboxCast(
            Hitbox hitbox, Vec3 motion, ushort mask = ushort.MaxValue, uint excludeOwner = 0,
            uint limit = 0, Contact hitWhen = Fixsync.Contact.Apart)
        {
            this.hitbox = hitbox;
            this.motion = motion;
            this.mask = mask;
            this.excludeOwner = excludeOwner;
            this.limit = limit;
            this.hitWhen = (uint)hitWhen;
        }
    }

    /// <summary>A world of hitboxes of two views, as beat-'em-ups have them. Save, load, hash and
    /// record its World; change hitboxes only here.</summary>
    public sealed unsafe class TwoPlanes : IDisposable
    {
        private readonly Rows<Event> stepped = new Rows<Event>();

        /// <summary>The world, with two colliders a hitbox: to save, hash and record.</summary>
        public World World { get; }

        /// <summary>The commands of the last Apply, as the world took them, for a recorder.
        /// </summary>
        public Rows<Command> Commands { get; } = new Rows<Command>();

        /// <summary>An empty world; ids are 0..capacity - 1. layers: up to 16; null lets all meet.
        /// </summary>
        public TwoPlanes(
            uint capacity, [AllowNull] Layers layers = null, Contact hitWhen = Fixsync.Contact.Touching,
            uint hitCapacity = 64)
        {
            var config = new RawConfig { capacity = capacity, hit_capacity = hitCapacity };
            config.hit_when = (uint)hitWhen;
            uint[] masks = layers?.ToMasks();
            for (int i = 0; i < Native.FXS_PLANES_LAYERS; i++)
                config.layers[i] = masks == null ? ushort.MaxValue : masks[i];
            if (masks != null && masks[Native.FXS_PLANES_LAYERS] != 0)
                throw Errors.Range("number of layers", 17, 0, Native.FXS_PLANES_LAYERS);
            RawConfig twice;
            if (Native.fxs_planes_config(&config, &twice) < 0)
                throw Errors.Outside(nameof(capacity), capacity, 1, 1 << 30)
                    ?? Errors.Refused(Native.FXS_E_CONFIG, "layers");
            var both = new uint[Native.FXS_LAYER_COUNT];
            for (int i = 0; i < both.Length; i++)
                both[i] = twice.layers[i];
            World = new World(twice.capacity, null, hitWhen, hitCapacity) { LayerMasks = both };
        }

        /// <summary>Frees the memory.</summary>
        public void Dispose() => World.Dispose();

        private Exception Refuse(int status, uint id) =>
            status == Native.FXS_E_ID
                ? Errors.Range("id", id, 0, World.Capacity / 2 - 1) : World.Refuse(status, id);

        /// <summary>Makes all changes in order, or none.</summary>
        /// <exception cref="CommandException">One is refused.</exception>
        public void Apply(ReadOnlySpan<PlanesCommand> commands)
        {
            Commands.Reserve(2 * (ulong)commands.Length);
            Commands.Count = 0;
            int status;
            ulong bad = 0;
            fixed (PlanesCommand* rows = &Pin<PlanesCommand>.First(commands))
            fixed (Command* to = Commands.Room)
            using (var use = World.Enter())
                status = Native.fxs_planes_apply(
                    use.At, rows, (ulong)commands.Length, to, &bad);
            if (status < 0)
                throw new CommandException(
                    nameof(commands), bad, Refuse(status, commands[(int)bad].Hitbox.Id));
            Commands.Count = 2 * commands.Length;
        }

        /// <summary>The hitbox of an id.</summary>
        public Hitbox this[uint id]
        {
            get
            {
                Hitbox found;
                int status;
                using (var use = World.Enter())
                    status = Native.fxs_planes_get(use.At, id, &found);
                return status < 0 ? throw Refuse(status, id) : found;
            }
        }

        /// <summary>Finds the hits of this frame; events are those of the hitboxes, by (a, b).
        /// </summary>
        public void Step(Rows<Event> events)
        {
            Errors.NotNull(events, nameof(events));
            World.Step(stepped);
            events.Reserve((ulong)stepped.Count);
            int status;
            ulong count;
            fixed (Event* from = stepped.Room, to = events.Room)
            using (var use = World.Enter())
                status = Native.fxs_planes_events(
                    use.At, from, (ulong)stepped.Count, to, &count);
            World.Must(status, "events");
            events.Count = (int)count;
        }

        /// <summary>The hits of the last step, by (a, b).</summary>
        public void Hits(Rows<Hit> hits)
        {
            Errors.NotNull(hits, nameof(hits));
            using (var use = World.Enter())
            {
                hits.Reserve(Native.fxs_world_hit_count(use.At));
                fixed (Hit* to = hits.Room)
                    hits.Count = (int)Native.fxs_planes_hits(use.At, to);
            }
        }

        /// <summary>The ids of the hitboxes that a query meets, ascending. mask: bit i (0..15)
        /// looks at layer i. hitWhen: the least contact; Apart is the world's.</summary>
        public void Query(
            Hitbox hitbox, Rows<uint> ids, ushort mask = ushort.MaxValue, uint excludeOwner = 0,
            Contact hitWhen = Fixsync.Contact.Apart)
        {
            Errors.NotNull(ids, nameof(ids));
            int status;
            ulong count;
            do
            {
                using (var use = World.Enter())
                fixed (uint* to = ids.Room)
                    status = Native.fxs_planes_query(
                        use.At, &hitbox, mask, excludeOwner, (uint)hitWhen, to,
                        (ulong)ids.Room.Length, &count);
            }
            while (ids.Grows(status, count));
            if (status < 0)
                throw hitbox.Fault() ?? Errors.Range(nameof(hitWhen), (long)hitWhen, 0, 2);
        }

        /// <summary>The hits of a cast, by (fraction, distance, id).</summary>
        public void Cast(HitboxCast cast, Rows<CastHit> hits)
        {
            Errors.NotNull(hits, nameof(hits));
            int status;
            ulong count;
            do
            {
                using (var use = World.Enter())
                fixed (CastHit* to = hits.Room)
                    status = Native.fxs_planes_cast(
                        use.At, &cast, to, (ulong)hits.Room.Length, &count);
            }
            while (hits.Grows(status, count));
            if (status < 0)
                throw cast.Hitbox.Fault() ?? Errors.Motion(cast.Motion)
                    ?? Errors.Range("hitWhen", (long)cast.HitWhen, 0, 2);
        }

        /// <summary>A cast of a hitbox of the world from where it is, at what layers and owners let
        /// it hit.</summary>
        public void Sweep(
            uint id, Vec3 motion, Rows<CastHit> hits, uint limit = 0,
            Contact hitWhen = Fixsync.Contact.Apart)
        {
            Errors.NotNull(hits, nameof(hits));
            int status;
            ulong count;
            do
            {
                using (var use = World.Enter())
                fixed (CastHit* to = hits.Room)
                    status = Native.fxs_planes_sweep(
                        use.At, id, &motion, limit, (uint)hitWhen, to, (ulong)hits.Room.Length,
                        &count);
            }
            while (hits.Grows(status, count));
            if (status < 0)
                throw Errors.Motion(motion) ?? Errors.Outside("hitWhen", (long)hitWhen, 0, 2)
                    ?? Refuse(status, id);
        }
    }
}
