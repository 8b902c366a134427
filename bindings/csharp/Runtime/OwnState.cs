using System;
using System.Collections.Generic;
using System.Reflection;
using System.Runtime.InteropServices;

namespace Fixsync
{
    /// <summary>The own state of a game: all that the next frame depends on and that is not in the
    /// world. IGame.State names each value with Field, always the same ones in the same order. So
    /// Rollback saves, loads and compares them.</summary>
    public sealed class OwnState
    {
        private const int LengthBytes = 4; // before a body: how many bytes it has
        private const int StateLengthBytes = 8; // before a state with a list: how many bytes it has

        private readonly IGame game;
        private readonly List<string> found = new List<string>();
        private byte[] bytes, others; // to save into or to load from; to be compared
        private int at, otherAt;
        private int unused; // bytes of the room of lists
        private bool isMeasured;

        /// <summary>Whether the length stands before the state.</summary>
        internal bool HasLength { get; private set; }

        /// <summary>Whether values are loaded now: compute anew, after the last Field, what follows
        /// from them.</summary>
        public bool IsLoading { get; private set; }

        internal OwnState(IGame game)
        {
            this.game = game;
            game.State(this);
            bytes = new byte[Start + at];
            isMeasured = true;
        }

        private int Start => HasLength ? StateLengthBytes : 0;

        internal byte[] Bytes => bytes;

        internal void Save()
        {
            Walk(false, Start);
            long length = at - Start;
            if (HasLength)
                MemoryMarshal.Write(bytes, ref length);
        }

        internal void Load() => Walk(true, Start);

        /// <summary>What differs in two saved states without a length: "health[1]: 20 and 30". The
        /// game is not changed.</summary>
        internal List<string> Compare(ReadOnlySpan<byte> first, ReadOnlySpan<byte> second)
        {
            byte[] kept = bytes;
            int room = kept.Length - Start;
            if (second.Length > room || (second.Length < room && !HasLength))
                throw Errors.Length("own", second.Length, room);
            bytes = new byte[room];
            others = new byte[room];
            first.CopyTo(bytes);
            second.CopyTo(others);
            found.Clear();
            try
            {
                Walk(false, 0);
                return new List<string>(found);
            }
            finally
            {
                bytes = kept;
                others = null;
            }
        }

        private void Walk(bool isLoading, int start)
        {
            at = otherAt = start;
            unused = 0;
            IsLoading = isLoading;
            try
            {
                game.State(this);
            }
            finally
            {
                IsLoading = false;
            }

            if (at + unused != bytes.Length)
                throw Changed();
        }

        private Exception Changed() => new InvalidOperationException(
            $"State must name as many bytes as at the start: {bytes.Length}, not {at + unused}");

        /// <summary>A value of the own state: an integer, a bool, an enum, Fix, Yaw, Vec3, Pose,
        /// GameRandom, or a structure of these.</summary>
        /// <exception cref="ArgumentException">A float or a reference in it; padding.</exception>
        public void Field<T>(string name, ref T value)
            where T : struct => Take(name, MemoryMarshal.CreateSpan(ref value, 1), false);

        /// <summary>The values of an array, always as many.</summary>
        public void Field<T>(string name, T[] values)
            where T : struct
        {
            Errors.NotNull(values, name);
            Take(name, values.AsSpan(), true);
        }

        /// <summary>The values of a list of at most so many: saved as their number, an int, and
        /// they.</summary>
        public void Field<T>(string name, List<T> values, int most)
            where T : struct
        {
            Errors.NotNull(values, name);
            int count = values.Count;
            if (count > most)
                throw Errors.Range(name + ".Count", count, 0, most);
            if (others != null)
            {
                Differ<T>(name, most);
                return;
            }

            Field(name, ref count);
            if (!isMeasured)
            {
                HasLength = true;
                Take(name, new T[most].AsSpan(), true);
                return;
            }

            T one = default(T);
            if (IsLoading)
                values.Clear();
            for (int i = 0; i < count; i++)
            {
                one = IsLoading ? one : values[i];
                Field(name, ref one);
                if (IsLoading)
                    values.Add(one);
            }

            int size = MemoryMarshal.AsBytes(MemoryMarshal.CreateSpan(ref one, 1)).Length;
            unused += (most - count) * size;
        }

        private void Differ<T>(string name, int most)
            where T : struct
        {
            int size = SizeOf(name, typeof(T));
            int first = MemoryMarshal.Read<int>(Next(sizeof(int)));
            int second = MemoryMarshal.Read<int>(Other(sizeof(int)));
            if (second < 0 || second > most)
                throw Errors.Range(name + ".Count", second, 0, most);
            Differ(name + ".Count", first, second);
            Span<byte> here = Next(first * size), there = Other(second * size);
            for (int i = 0; i < Math.Min(first, second); i++)
                Differ(
                    $"{name}[{i}]", MemoryMarshal.Read<T>(here.Slice(i * size)),
                    MemoryMarshal.Read<T>(there.Slice(i * size)));
            unused += (most - first) * size;
        }

        /// <summary>The bodies of an array, always as many.</summary>
        public void Field(string name, Body[] bodies)
        {
            Errors.NotNull(bodies, name);
            for (int i = 0; i < bodies.Length; i++)
                Take(name, i, bodies[i]);
        }

        private void Take<T>(string name, Span<T> values, bool isArray)
            where T : struct
        {
            if (!isMeasured)
            {
                int size = SizeOf(name, typeof(T)) * values.Length;
                at += size;
                if (size != MemoryMarshal.AsBytes(values).Length)
                    throw new ArgumentException(
                        $"{name}: {typeof(T).Name} has padding or a fixed buffer: order its " +
                        "fields from the largest to the smallest, and name an array on its own");
                return;
            }

            Span<byte> here = MemoryMarshal.AsBytes(values), kept = Next(here.Length);
            if (IsLoading)
                kept.CopyTo(here);
            else if (others == null)
                here.CopyTo(kept);
            else
                Differ<T>(name, MemoryMarshal.Cast<byte, T>(kept), isArray);
        }

        private void Differ<T>(string name, Span<T> first, bool isArray)
            where T : struct
        {
            Span<T> second = MemoryMarshal.Cast<byte, T>(Other(MemoryMarshal.AsBytes(first).Length));
            for (int i = 0; i < first.Length; i++)
                Differ(isArray ? $"{name}[{i}]" : name, first[i], second[i]);
        }

        private void Differ(string name, object first, object second)
        {
            Type type = first.GetType();
            if (first.Equals(second))
                return;
            if (type.GetMethod("ToString", Type.EmptyTypes).DeclaringType == type || type.IsEnum)
                found.Add($"{name}: {first} and {second}");
            else
                foreach (FieldInfo field in FieldsOf(type))
                    Differ($"{name}.{field.Name}", field.GetValue(first), field.GetValue(second));
        }

        private void Take(string name, int index, Body body)
        {
            int room = LengthBytes + Body.SaveSizeMax;
            if (!isMeasured)
            {
                at += room;
                return;
            }

            Span<byte> kept = Next(room);
            if (IsLoading)
            {
                body.Load(Saved(kept));
            }
            else if (others == null)
            {
                int size = body.Save(kept.Slice(LengthBytes));
                MemoryMarshal.Write(kept, ref size);
                kept.Slice(LengthBytes + size).Clear();
            }
            else
            {
                var rows = new Rows<Difference>();
                States.BodyDifferences(Saved(kept), Saved(Other(room)), rows);
                foreach (Difference row in rows)
                    found.Add($"{name}[{index}], {row}");
            }
        }

        private static ReadOnlySpan<byte> Saved(Span<byte> kept) =>
            kept.Slice(LengthBytes, MemoryMarshal.Read<int>(kept));

        private Span<byte> Other(int size)
        {
            otherAt += size;
            return others.AsSpan(otherAt - size, size);
        }

        private Span<byte> Next(int size)
        {
            at += size;
            return at <= bytes.Length ? bytes.AsSpan(at - size, size) : throw Changed();
        }

        private static FieldInfo[] FieldsOf(Type type) => type.GetFields(
            BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic);

        /// <summary>Bytes of the values of a type.</summary>
        private static int SizeOf(string name, Type type)
        {
            if (type.IsEnum)
                type = Enum.GetUnderlyingType(type);
            if (type == typeof(float) || type == typeof(double) || type == typeof(decimal))
                throw new ArgumentException(
                    $"{name} is a {type.Name}, which differs between machines: use a Fix");
            if (!type.IsValueType || type == typeof(IntPtr) || type == typeof(UIntPtr))
                throw new ArgumentException(
                    $"{name} is a {type.Name}: a state has values, no references");
            switch (Type.GetTypeCode(type))
            {
                case TypeCode.Boolean:
                case TypeCode.SByte:
                case TypeCode.Byte:
                    return 1;
                case TypeCode.Char:
                case TypeCode.Int16:
                case TypeCode.UInt16:
                    return 2;
                case TypeCode.Int32:
                case TypeCode.UInt32:
                    return 4;
                case TypeCode.Int64:
                case TypeCode.UInt64:
                    return 8;
            }

            int size = 0;
            foreach (FieldInfo field in FieldsOf(type))
                size += SizeOf($"{name}.{field.Name}", field.FieldType);
            return size;
        }
    }
}
