// FIXSYNC_INTERNAL: the C source is compiled into the program. Builds for other consoles define it.
#if (UNITY_IOS || UNITY_TVOS || UNITY_VISIONOS || UNITY_WEBGL || UNITY_SWITCH) && !UNITY_EDITOR
#define FIXSYNC_INTERNAL
#endif

using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Text;
using System.Threading;

[assembly: InternalsVisibleTo("Fixsync.Tests")]
[assembly: InternalsVisibleTo("Fixsync.Unity")]

namespace Fixsync
{
    public static unsafe partial class Native
    {
#if FIXSYNC_INTERNAL
        private const string Library = "__Internal";
#else
        private const string Library = "fixsync";
#endif
        private static bool isChecked;

        /// <summary>Compares the version of the native library with these sources, and the sizes of
        /// structures with C's; without reflection, which may be stripped. Every object does so
        /// when the first one is made.</summary>
        /// <exception cref="InvalidOperationException">They differ.</exception>
        public static void Check()
        {
            if (isChecked)
                return;
            uint must = FXS_VERSION_MAJOR << 16 | FXS_VERSION_MINOR << 8;
            uint found = fxs_version();
            if (found >> 8 != must >> 8 || fxs_semantics() != FXS_SEMANTICS)
                throw new InvalidOperationException(
                    $"the native library is fixsync {found >> 16}.{found >> 8 & 255} with " +
                    $"semantics {fxs_semantics()}; these sources need " +
                    $"{FXS_VERSION_MAJOR}.{FXS_VERSION_MINOR} with semantics {FXS_SEMANTICS}");
            foreach (string line in Layout)
                CheckSize(line.Split(' '));
            isChecked = true;
        }

        internal static void CheckSize(string[] words)
        {
            if (SizeOf(words[0]).ToString() != words[1])
                throw new InvalidOperationException($"{words[0]} has {SizeOf(words[0])} bytes, " +
                    $"not {words[1]}: this platform lays out structures in another way");
        }

        /// <summary>The words of the headers for a status: "a layer outside 0..31".</summary>
        public static string Text(int status) => Text(fxs_status_text(status));

        internal static string Text(byte* text)
        {
            int size = 0;
            while (text[size] != 0)
                size++;
            return Encoding.UTF8.GetString(text, size);
        }
    }

    /// <summary>The exceptions of statuses, in the words of fixsync.</summary>
    internal static class Errors
    {
        internal static Exception Range(
            string name, long value, long least, long most, string rest = "") =>
            new ArgumentOutOfRangeException(
                name, value, $"{name} must be {least}..{most}{rest}, not {value}");

        /// <summary>Null for a value in its range.</summary>
        internal static Exception Outside(
            string name, long value, long least, long most, string rest = "") =>
            value >= least && value <= most ? null : Range(name, value, least, most, rest);

        internal static void NotNull(object value, string name)
        {
            if (value == null)
                throw new ArgumentNullException(name);
        }

        internal static Exception Refused(int status, string what) =>
            new ArgumentException($"{what}: {Native.Text(status)}");

        internal static Exception Bytes(string fault, ulong at, int size) =>
            new System.IO.InvalidDataException(
                size == 0 ? $"{fault}: it has no bytes, or is null" : $"{fault}: byte {at}");

        internal static Exception Length(string name, long length, long must) =>
            new ArgumentException($"length of {name} must be {must}, not {length}", name);

        /// <summary>Null for a motion whose components are in range.</summary>
        internal static Exception Motion(Vec3 motion) =>
            Outside("motion: x", motion.X, -Native.FXS_SIZE_MAX, Native.FXS_SIZE_MAX)
            ?? Outside("motion: y", motion.Y, -Native.FXS_SIZE_MAX, Native.FXS_SIZE_MAX)
            ?? Outside("motion: z", motion.Z, -Native.FXS_SIZE_MAX, Native.FXS_SIZE_MAX);
    }

    /// <summary>A command of several that a world refused. None of them was applied.</summary>
    public sealed class CommandException : ArgumentException
    {
        /// <summary>Its index.</summary>
        public int Index { get; }

        internal CommandException(string name, ulong index, Exception reason)
            : base($"{name}[{index}]: {reason.Message}", reason)
        {
            Index = (int)index;
        }
    }

    internal static class Hashes
    {
        internal static int Of(params int[] parts)
        {
            int hash = 17;
            foreach (int part in parts)
                hash = unchecked(hash * 31 + part);
            return hash;
        }
    }

    /// <summary>The rows of an answer. A call replaces them; the memory grows and is kept, so a
    /// list that is used again allocates nothing.</summary>
    public sealed class Rows<T>
        where T : struct
    {
        internal T[] Room;

        /// <summary>Number of rows.</summary>
        public int Count { get; internal set; }

        /// <summary>An empty list with room for `capacity` rows; it grows.</summary>
        public Rows(int capacity = 16)
        {
            if (capacity < 0)
                throw Errors.Range(nameof(capacity), capacity, 0, int.MaxValue);
            Room = new T[Math.Max(1, capacity)];
        }

        /// <summary>A row, 0..Count - 1.</summary>
        public ref readonly T this[int index]
        {
            get
            {
                if ((uint)index >= (uint)Count)
                    throw Errors.Range(nameof(index), index, 0, Count - 1);
                return ref Room[index];
            }
        }

        /// <summary>The rows, until the next call that replaces them.</summary>
        public ReadOnlySpan<T> Span => new ReadOnlySpan<T>(Room, 0, Count);

        /// <summary>The rows as a new array.</summary>
        public T[] ToArray() => Span.ToArray();

        /// <summary>For foreach.</summary>
        public ReadOnlySpan<T>.Enumerator GetEnumerator() => Span.GetEnumerator();

        /// <summary>Adds a row: commands of a frame, events of a game.</summary>
        public void Add(in T row)
        {
            if (Count == Room.Length)
                Reserve((ulong)Count + 1);
            Room[Count++] = row;
        }

        /// <summary>Removes all rows.</summary>
        public void Clear() => Count = 0;

        internal void Reserve(ulong count)
        {
            if (count <= (ulong)Room.Length)
                return;
            if (count > int.MaxValue)
                throw new OutOfMemoryException($"no room for {count} rows");
            Array.Resize(ref Room, (int)Math.Min(int.MaxValue, Math.Max(count, 2 * (ulong)Count)));
        }

        /// <summary>After a call: with FXS_E_ROOM makes the room that it needs, and says that it
        /// must be called again. Otherwise takes over the number of rows.</summary>
        internal bool Grows(int status, ulong count)
        {
            if (status == Native.FXS_E_ROOM)
            {
                Count = 0;
                Reserve(count);
                return true;
            }
            Count = status == Native.FXS_OK ? (int)count : 0;
            return false;
        }
    }

    internal static class Pin<T>
        where T : struct
    {
        private static T nothing;

        /// <summary>The first row, for `fixed`; of no rows a place that nothing reads: C takes no
        /// null.</summary>
        internal static ref T First(ReadOnlySpan<T> rows)
        {
            if (rows.Length == 0)
                return ref nothing;
            return ref MemoryMarshal.GetReference(rows);
        }
    }

    /// <summary>An object in the memory of C. One thread may use it at a time; Dispose frees the
    /// memory, and so does the garbage collector.</summary>
    public abstract class NativeObject : IDisposable
    {
        private const int Free = 0, Used = 1, Disposed = 2;

        private int state = Disposed;
        private IntPtr memory;
        private long size;

        internal NativeObject()
        {
            Native.Check();
        }

        /// <summary>Frees the memory when the garbage collector finds that nobody did.</summary>
        ~NativeObject()
        {
            Release();
        }

        /// <summary>Gives the object memory in place of what it has. The caller has entered.
        /// </summary>
        internal void Replace(IntPtr memory, ulong size)
        {
            Release();
            this.memory = memory;
            this.size = (long)size;
            GC.AddMemoryPressure(this.size);
            if (state == Disposed)
                state = Free;
        }

        /// <summary>Takes the memory of another object, which ends. The caller has entered.</summary>
        internal void TakeFrom(NativeObject other)
        {
            Replace(other.memory, (ulong)other.size);
            GC.RemoveMemoryPressure(other.size);
            other.memory = IntPtr.Zero;
            other.Dispose();
        }

        internal static IntPtr Allocate(ulong size)
        {
            if (size > long.MaxValue || (IntPtr.Size == 4 && size > int.MaxValue))
                throw new OutOfMemoryException($"no memory of {size} bytes");
            return Marshal.AllocHGlobal(new IntPtr((long)size));
        }

        private void Release()
        {
            if (memory == IntPtr.Zero)
                return;
            Marshal.FreeHGlobal(memory);
            memory = IntPtr.Zero;
            GC.RemoveMemoryPressure(size);
        }

        /// <summary>Takes the object for a call: `using (var use = Enter())`.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        internal Use Enter()
        {
            int before = Interlocked.CompareExchange(ref state, Used, Free);
            return before == Free ? new Use(this) : throw Taken(before);
        }

        private Exception Taken(int before) => before == Used
            ? new InvalidOperationException(
                $"this {GetType().Name} is in use by another thread, or by the call that a " +
                "callback interrupted")
            : new ObjectDisposedException(GetType().Name);

        /// <summary>A number that C reads from the object: a call without captured variables, so
        /// that it allocates nothing.</summary>
        internal T Read<T>(Func<IntPtr, T> call)
        {
            using (var use = Enter())
                return call(use.At);
        }

        /// <summary>Frees the memory. The object cannot be used any more.</summary>
        /// <exception cref="InvalidOperationException">Another thread uses it.</exception>
        public void Dispose()
        {
            int before = Interlocked.CompareExchange(ref state, Disposed, Free);
            if (before == Used)
                throw new InvalidOperationException(
                    $"this {GetType().Name} is in use by another thread");
            if (before == Free)
                Release();
            GC.SuppressFinalize(this);
        }

        internal bool IsDisposed => Volatile.Read(ref state) == Disposed;

        internal readonly struct Use : IDisposable
        {
            private readonly NativeObject owner;

            internal Use(NativeObject owner)
            {
                this.owner = owner;
            }

            internal IntPtr At => owner.memory;

            public void Dispose() => Volatile.Write(ref owner.state, Free);
        }
    }
}
