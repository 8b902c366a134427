// Calls the kernel's shared library from C# with P/Invoke: for Unity, Godot, .NET or Mono.
//
//     cmake -S csrc -B build/shared -DBUILD_SHARED_LIBS=ON && cmake --build build/shared
//     mcs -unsafe examples/ffi/Fixsync.cs -out:fixsync.exe
//     LD_LIBRARY_PATH=build/shared mono fixsync.exe
//
// In Unity, put the library into Assets/Plugins, turn on "Allow 'unsafe' code", and leave out
// Example. The argument `layout` prints the layout of the structures, to compare it with a C
// compiler's.

using System;
using System.Runtime.InteropServices;

namespace Fixsync
{
    // The structures of the header. They hold no references, so their pointers can be passed to C.

    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct Shape
    {
        public uint kind, half_angle;
        public fixed int size[3];
    }

    [StructLayout(LayoutKind.Sequential)]
    public struct Pose
    {
        public int x, y, z;
        public uint yaw;
    }

    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct Collider
    {
        public uint id;
        public byte kind, layer, active, zero;
        public ushort yaw, half_angle;
        public uint owner;
        public int x, y, z;
        public int ox, oy, oz;
        public fixed int size[3];
    }

    [StructLayout(LayoutKind.Sequential)]
    public struct Event
    {
        public uint a, b, kind, contact;
    }

    [StructLayout(LayoutKind.Sequential)]
    public struct Query
    {
        public Shape shape;
        public Pose pose;
        public uint mask, exclude_owner;
    }

    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct Config
    {
        public uint capacity, hit_capacity, hit_when;
        public fixed uint layers[32];
    }

    [StructLayout(LayoutKind.Sequential)]
    public struct Counts
    {
        public ulong hits, events;
    }

    internal static unsafe class Native
    {
        // "__Internal" if it is linked statically, as on iOS.
        private const string Library = "fixsync";
        private const CallingConvention C = CallingConvention.Cdecl;

        [DllImport(Library, CallingConvention = C)]
        internal static extern uint fxs_version();

        [DllImport(Library, CallingConvention = C)]
        internal static extern ulong fxs_world_size(Config* config);

        [DllImport(Library, CallingConvention = C)]
        internal static extern int fxs_world_init(WorldMemory world, Config* config);

        [DllImport(Library, CallingConvention = C)]
        internal static extern int fxs_world_add(WorldMemory world, Collider* collider);

        [DllImport(Library, CallingConvention = C)]
        internal static extern int fxs_world_move(WorldMemory world, uint id, int x, int y, int z);

        [DllImport(Library, CallingConvention = C)]
        internal static extern int fxs_world_step(
            WorldMemory world, Event* events, ulong room, Counts* counts);

        [DllImport(Library, CallingConvention = C)]
        internal static extern int fxs_world_query(
            WorldMemory world, Query* query, uint* ids, ulong room, ulong* count);

        [DllImport(Library, CallingConvention = C)]
        internal static extern ulong fxs_world_save_size(WorldMemory world);

        [DllImport(Library, CallingConvention = C)]
        internal static extern void fxs_world_save(WorldMemory world, byte* bytes);

        [DllImport(Library, CallingConvention = C)]
        internal static extern int fxs_world_load(
            WorldMemory world, byte* bytes, ulong size, ulong* at);

        [DllImport(Library, CallingConvention = C)]
        internal static extern ulong fxs_world_hash(WorldMemory world);
    }

    public sealed class FixsyncException : Exception
    {
        public readonly int Status;

        public FixsyncException(int status) : base("fixsync: status " + status)
        {
            Status = status;
        }
    }

    // Memory that the collector does not move, and that is not freed while a call uses it.
    internal sealed class WorldMemory : SafeHandle
    {
        internal WorldMemory(ulong size) : base(IntPtr.Zero, true)
        {
            SetHandle(Marshal.AllocHGlobal(new IntPtr(checked((long)size)))); // 8-byte aligned
        }

        public override bool IsInvalid
        {
            get { return handle == IntPtr.Zero; }
        }

        protected override bool ReleaseHandle()
        {
            Marshal.FreeHGlobal(handle);
            return true;
        }
    }

    // A world. One thread at a time may use it.
    public sealed unsafe class World : IDisposable
    {
        private const int Room = -11; // FXS_E_ROOM
        private readonly WorldMemory memory;
        private Event[] events = new Event[64];
        private uint[] ids = new uint[64];

        public World(uint capacity, uint hitCapacity)
        {
            if (Native.fxs_version() >> 8 != 3)
            {
                throw new DllNotFoundException("the library is not fixsync 0.3");
            }
            Config config;
            config.capacity = capacity;
            config.hit_capacity = hitCapacity;
            config.hit_when = 1;
            for (int i = 0; i < 32; i++)
            {
                config.layers[i] = uint.MaxValue;
            }
            ulong size = Native.fxs_world_size(&config);
            if (size == 0)
            {
                throw new ArgumentOutOfRangeException("capacity");
            }
            memory = new WorldMemory(size);
            Check(Native.fxs_world_init(memory, &config));
        }

        public void Dispose()
        {
            memory.Dispose();
        }

        public ulong Hash
        {
            get { return Native.fxs_world_hash(memory); }
        }

        public void Add(Collider collider)
        {
            Check(Native.fxs_world_add(memory, &collider));
        }

        public void Move(uint id, int x, int y, int z)
        {
            Check(Native.fxs_world_move(memory, id, x, y, z));
        }

        // The events by (a, b). They are good until the next step.
        public ArraySegment<Event> Step()
        {
            Counts counts;
            int status;
            while (true)
            {
                fixed (Event* room = events)
                {
                    status = Native.fxs_world_step(memory, room, (ulong)events.Length, &counts);
                }
                if (status != Room || counts.events <= (ulong)events.Length)
                {
                    break; // done, or more hits than hitCapacity
                }
                events = new Event[checked((int)counts.events)];
            }
            Check(status);
            return new ArraySegment<Event>(events, 0, (int)counts.events);
        }

        // The ids that a shape meets, ascending. Valid until the next query.
        public ArraySegment<uint> Query(Query query)
        {
            ulong count;
            int status;
            while (true)
            {
                fixed (uint* room = ids)
                {
                    status = Native.fxs_world_query(memory, &query, room, (ulong)ids.Length,
                                                    &count);
                }
                if (status != Room)
                {
                    break;
                }
                ids = new uint[checked((int)count)];
            }
            Check(status);
            return new ArraySegment<uint>(ids, 0, (int)count);
        }

        public byte[] Save()
        {
            byte[] state = new byte[checked((int)Native.fxs_world_save_size(memory))];
            fixed (byte* bytes = state)
            {
                Native.fxs_world_save(memory, bytes);
            }
            return state;
        }

        public void Load(byte[] state)
        {
            ulong at;
            fixed (byte* bytes = state)
            {
                Check(Native.fxs_world_load(memory, bytes, (ulong)state.Length, &at));
            }
        }

        private static void Check(int status)
        {
            if (status < 0)
            {
                throw new FixsyncException(status);
            }
        }
    }

    internal static unsafe class Example
    {
        private const int One = 65536;
        private const byte Sphere = 0, Capsule = 1;
        private static readonly string[] Kinds = { "", "ENTER", "STAY", "EXIT" };

        private static void ShowLayout(string name, Type type)
        {
            Console.Write("{0} {1}", name, Marshal.SizeOf(type));
            foreach (var field in type.GetFields())
            {
                Console.Write(" {0}:{1}", field.Name, Marshal.OffsetOf(type, field.Name));
            }
            Console.WriteLine();
        }

        // A ball flies through a body; after a rollback it does so again.
        private static void Play()
        {
            using (var world = new World(4, 8))
            {
                var body = new Collider { id = 1, kind = Capsule, active = 1, owner = 1 };
                body.size[0] = One / 2;
                body.size[1] = One;
                var ball = new Collider { id = 2, kind = Sphere, active = 1, owner = 2 };
                ball.x = -2 * One;
                ball.size[0] = One / 4;
                world.Add(body);
                world.Add(ball);

                byte[] saved = world.Save();
                var hashes = new ulong[2];
                for (int round = 0; round < 2; round++)
                {
                    world.Load(saved);
                    for (int frame = 1; frame < 9; frame++)
                    {
                        world.Move(2, (frame - 4) * One / 2, 0, 0);
                        foreach (Event e in world.Step())
                        {
                            Console.WriteLine("{0} {1} {2} {3} {4}", frame, e.a, e.b,
                                              Kinds[e.kind], e.contact);
                        }
                    }
                    hashes[round] = world.Hash;
                }
                if (hashes[0] != hashes[1])
                {
                    throw new InvalidOperationException("the frames differ after a rollback");
                }

                var query = new Query { mask = uint.MaxValue };
                query.shape.kind = Sphere;
                query.shape.size[0] = One;
                Console.WriteLine("query: " + string.Join(" ", world.Query(query)));
                Console.WriteLine("hash {0:x16}", hashes[0]);
            }
        }

        private static void Main(string[] arguments)
        {
            if (arguments.Length == 1 && arguments[0] == "layout")
            {
                ShowLayout("fxs_shape", typeof(Shape));
                ShowLayout("fxs_pose", typeof(Pose));
                ShowLayout("fxs_collider", typeof(Collider));
                ShowLayout("fxs_event", typeof(Event));
                ShowLayout("fxs_query", typeof(Query));
                ShowLayout("fxs_config", typeof(Config));
                ShowLayout("fxs_counts", typeof(Counts));
            }
            else
            {
                Play();
            }
        }
    }
}
