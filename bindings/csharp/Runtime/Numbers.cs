using System;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.InteropServices;
using System.Text;

namespace Fixsync
{
    // Functions of raw numbers. A result is the exact one, rounded to nearest, halves away from
    // zero.
    public readonly unsafe partial struct Fix
    {
        /// <summary>One unit.</summary>
        public const int One = Native.FXS_ONE;

        /// <summary>Whole units as a number.</summary>
        /// <exception cref="OverflowException">Outside -32768..32767.</exception>
        public static int Units(int units) =>
            units >= -32768 && units <= 32767
                ? units * One : throw new OverflowException($"units must be -32768..32767, not {units}");

        /// <summary>Whole units as a vector.</summary>
        public static Vec3 Units(int x, int y, int z) => new Vec3(Units(x), Units(y), Units(z));

        /// <summary>The number that is exactly a decimal: "1.25". "0.1" is refused, as no multiple
        /// of 1/65536. It parses text: keep the result in a static readonly field.</summary>
        /// <exception cref="FormatException">Not a decimal, or not exact.</exception>
        /// <exception cref="ArgumentOutOfRangeException">Outside int32.</exception>
        public static int Q(string text) => Decimal(text, 0);

        /// <summary>The number nearest to a decimal, of two equally near ones the even one.
        /// </summary>
        public static int QNear(string text) => Decimal(text, 1);

        private static int Read(string text, uint nearest, out int value)
        {
            byte[] bytes = Encoding.UTF8.GetBytes(text);
            int number = 0, status;
            fixed (byte* from = &Pin<byte>.First(bytes))
                status = Native.fxs_parse_q(from, (ulong)bytes.Length, nearest, &number);
            value = number;
            return status;
        }

        private static int Decimal(string text, uint nearest)
        {
            if (text == null)
                throw new ArgumentNullException(nameof(text));
            int status = Read(text, nearest, out int value);
            if (status == Native.FXS_E_RANGE)
                throw new ArgumentOutOfRangeException(
                    nameof(text), text, $"{text} must be within -32768..32767.99998");
            if (status == Native.FXS_E_INEXACT)
                throw new FormatException(
                    $"\"{text}\" is not a multiple of 1/65536: QNear takes the nearest");
            if (status < 0)
                throw new FormatException(
                    $"text must be a decimal such as \"-1.5\", not \"{text}\"");
            return value;
        }

        /// <summary>A number as the exact decimal: "0.5".</summary>
        public static string Format(int value)
        {
            byte* text = stackalloc byte[24];
            return Encoding.ASCII.GetString(text, (int)Native.fxs_format_q(value, text));
        }

        /// <summary>Degrees as yaw steps, 0..65535, to the nearest: 90 is 16384.</summary>
        public static int Degrees(int degrees)
        {
            long steps = (((long)degrees % 360 + 360) % 360 * 65536 * 2 + 360) / 720;
            return (int)(steps & 65535);
        }

        // Its text is made after the check, for a frame of numbers to allocate nothing.
        private static Exception Overflow(int status, string what) =>
            new OverflowException($"{what}: {Native.Text(status)}");

        /// <summary>a * b.</summary>
        /// <exception cref="OverflowException">Outside int32; so in all functions below.
        /// </exception>
        public static int Mul(int a, int b)
        {
            int to;
            int status = Native.fxs_mul(a, b, &to);
            return status < 0 ? throw Overflow(status, $"{a} * {b}") : to;
        }

        /// <summary>a / b.</summary>
        public static int Div(int a, int b)
        {
            int to;
            int status = Native.fxs_div(a, b, &to);
            return status < 0 ? throw Overflow(status, $"{a} / {b}") : to;
        }

        /// <summary>a * b / c of plain integers, rounded once: 30 percent of a damage.</summary>
        public static int MulDiv(int a, int b, int c)
        {
            int to;
            int status = Native.fxs_mul_div(a, b, c, &to);
            return status < 0 ? throw Overflow(status, $"{a} * {b} / {c}") : to;
        }

        /// <summary>The square root of a.</summary>
        public static int Sqrt(int a)
        {
            int to;
            int status = Native.fxs_sqrt(a, &to);
            return status < 0 ? throw Overflow(status, $"square root of {a}") : to;
        }

        /// <summary>The number at a fraction, 0..65536, of the way from a to b.</summary>
        public static int Lerp(int a, int b, int fraction)
        {
            int to;
            if (Native.fxs_lerp(a, b, (uint)fraction, &to) < 0)
                throw Errors.Range(nameof(fraction), fraction, 0, One);
            return to;
        }

        /// <summary>The number of low..high that is nearest to v.</summary>
        public static int Clamp(int v, int low, int high)
        {
            int to;
            if (Native.fxs_clamp(v, low, high, &to) < 0)
                throw Errors.Range(nameof(low), low, int.MinValue, high);
            return to;
        }

        /// <summary>v moved towards a target by `most` at most.</summary>
        public static int Approach(int v, int target, int most)
        {
            int to;
            if (Native.fxs_approach(v, target, most, &to) < 0)
                throw Errors.Range(nameof(most), most, 0, int.MaxValue);
            return to;
        }

        /// <summary>A yaw turned towards another the shorter way, by `most`, 0..65536, steps.
        /// </summary>
        public static int TurnTowards(int yaw, int end, int most)
        {
            int answer = Native.fxs_turn_towards((uint)yaw, (uint)end, (uint)most);
            if (answer < 0)
                throw Errors.Outside(nameof(yaw), yaw, 0, Native.FXS_TURN - 1)
                    ?? Errors.Outside(nameof(end), end, 0, Native.FXS_TURN - 1)
                    ?? Errors.Range(nameof(most), most, 0, Native.FXS_TURN);
            return answer;
        }

        /// <summary>The length of a vector, rounded to nearest.</summary>
        public static int Hypot(Vec3 v)
        {
            int to;
            int status = Native.fxs_hypot(v.X, v.Y, v.Z, &to);
            return status < 0 ? throw Overflow(status, $"length of {v}") : to;
        }

        /// <summary>The dot product.</summary>
        public static int Dot(Vec3 a, Vec3 b)
        {
            int to;
            int status = Native.fxs_dot(&a, &b, &to);
            return status < 0 ? throw Overflow(status, $"dot product of {a} and {b}") : to;
        }

        /// <summary>A vector times a factor.</summary>
        public static Vec3 Scale(Vec3 v, int factor)
        {
            Vec3 to;
            int status = Native.fxs_scale(&v, factor, &to);
            return status < 0 ? throw Overflow(status, $"{v} * {factor}") : to;
        }

        /// <summary>A vector brought to a length: a speed in the direction of a target.</summary>
        public static Vec3 WithLength(Vec3 v, int length)
        {
            Vec3 to;
            int status = Native.fxs_with_length(&v, length, &to);
            return status < 0 ? throw Overflow(status, $"{v} with the length {length}") : to;
        }

        /// <summary>The vector of a length in the direction of a yaw.</summary>
        public static Vec3 Forward(int yaw, int length)
        {
            int x, z;
            int status = Native.fxs_forward((uint)yaw, length, &x, &z);
            return status < 0 ? throw Overflow(status, $"length {length}") : new Vec3(x, 0, z);
        }

        /// <summary>The direction of a yaw, 0..65535, in Q2.30.</summary>
        public static Vec3 Direction(int yaw)
        {
            if (yaw < 0 || yaw >= Native.FXS_TURN)
                throw Errors.Range(nameof(yaw), yaw, 0, Native.FXS_TURN - 1);
            int cos, sin;
            Native.fxs_direction((ushort)yaw, &cos, &sin);
            return new Vec3(cos, 0, sin);
        }

        private static Exception Distance(long value) =>
            Errors.Range("distance", value, -(long)uint.MaxValue, uint.MaxValue);

        /// <summary>The yaw from one position towards another; 0 for equal ones.</summary>
        public static int YawOf(Vec3 from, Vec3 to) =>
            Native.fxs_yaw_of((long)to.X - from.X, (long)to.Z - from.Z);

        /// <summary>The distance of two positions, rounded down.</summary>
        public static long Distance(Vec3 a, Vec3 b) =>
            Native.fxs_length((long)b.X - a.X, (long)b.Y - a.Y, (long)b.Z - a.Z);

        /// <summary>The shorter turn from one yaw to another: -32768..32767 steps.</summary>
        public static int YawBetween(int from, int to) =>
            Native.fxs_yaw_between((uint)from, (uint)to);

        /// <summary>Whether (dx, dz) lies within halfAngle (1..32768) steps of a yaw, borders
        /// included.</summary>
        public static bool Faces(int yaw, int halfAngle, long dx, long dz)
        {
            int answer = Native.fxs_faces((uint)yaw, (uint)halfAngle, dx, dz);
            if (answer < 0)
                throw Errors.Outside(nameof(yaw), yaw, 0, Native.FXS_TURN - 1)
                    ?? Errors.Outside(nameof(halfAngle), halfAngle, 1, Native.FXS_HALF_ANGLE_MAX)
                    ?? Distance(Math.Abs(dx) > Math.Abs(dz) ? dx : dz);
            return answer == 1;
        }

        /// <summary>XXH64 of bytes.</summary>
        public static ulong Hash64(ReadOnlySpan<byte> bytes, ulong seed = 0)
        {
            fixed (byte* from = &Pin<byte>.First(bytes))
                return Native.fxs_hash64(from, (ulong)bytes.Length, seed);
        }

        // ---- motion ----

        private static Exception NormalFault(Vec3 normal)
        {
            const int Most = Native.FXS_NORMAL_MAX;
            return Errors.Outside("normal: x", normal.X, -Most, Most)
                ?? Errors.Outside("normal: y", normal.Y, -Most, Most)
                ?? Errors.Outside("normal: z", normal.Z, -Most, Most);
        }

        private static Exception Refuse(
            int status, string share, int value, Vec3 motion, Vec3 normal) =>
            Errors.Outside(share, value, 0, One) ?? NormalFault(normal)
            ?? (status == Native.FXS_E_RANGE
                ? new OverflowException(
                    $"motion {motion} leads outside {int.MinValue}..{int.MaxValue}")
                : (Exception)new ArgumentException(
                    "normal must not be (0, 0, 0): the two overlap at the start, so push out first",
                    nameof(normal)));

        /// <summary>The part of a motion up to a cast's fraction, 0..65536. With the normal of the
        /// hit it ends outside of the obstacle.</summary>
        public static Vec3 Along(Vec3 motion, int fraction, Vec3? normal = null)
        {
            Vec3 to, n = normal ?? Vec3.Zero;
            int status = Native.fxs_along(
                &motion, (uint)fraction, normal.HasValue ? &n : null, &to);
            if (status < 0)
                throw Errors.Motion(motion) ?? Refuse(status, nameof(fraction), fraction, motion, n);
            return to;
        }

        /// <summary>A motion reflected at a surface. kept, 0..65536: share of its speed into it.
        /// </summary>
        public static Vec3 Bounce(Vec3 motion, Vec3 normal, int kept)
        {
            Vec3 to;
            int status = Native.fxs_bounce(&motion, &normal, (uint)kept, &to);
            if (status < 0)
                throw Refuse(status, nameof(kept), kept, motion, normal);
            return to;
        }

        /// <summary>A motion without its component into a surface.</summary>
        public static Vec3 Slide(Vec3 motion, Vec3 normal)
        {
            Vec3 to;
            int status = Native.fxs_slide(&motion, &normal, &to);
            if (status < 0)
                throw Refuse(status, "kept", 0, motion, normal);
            return to;
        }
    }

    /// <summary>Random numbers for a game: SplitMix64. Not for secrets. The state is one number:
    /// keep the structure in the game's state, in a field that is not readonly. A copy continues
    /// on its own with the same numbers.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct GameRandom : IEquatable<GameRandom>
    {
        private ulong state;

        /// <summary>A seed is a first state.</summary>
        public GameRandom(ulong seed)
        {
            state = seed;
        }

        /// <summary>The whole state.</summary>
        public ulong State
        {
            get => state;
            set => state = value;
        }

        /// <summary>Whether both continue with the same numbers.</summary>
        public static bool operator ==(GameRandom a, GameRandom b) => a.state == b.state;

        /// <summary>Whether they continue with others.</summary>
        public static bool operator !=(GameRandom a, GameRandom b) => a.state != b.state;

        /// <summary>Whether both continue with the same numbers.</summary>
        public bool Equals(GameRandom other) => state == other.state;

        /// <summary>Whether it is a generator that continues with the same numbers.</summary>
        public override bool Equals([AllowNull] object other) => other is GameRandom random && Equals(random);

        /// <summary>A hash of the state.</summary>
        public override int GetHashCode() => state.GetHashCode();

        /// <summary>A number of 0..2^64 - 1.</summary>
        public ulong Next()
        {
            fixed (ulong* at = &state)
                return Native.fxs_random_next(at);
        }

        /// <summary>A number of 0..count - 1.</summary>
        public long Below(long count)
        {
            if (count < 1)
                throw Errors.Range(nameof(count), count, 1, long.MaxValue);
            fixed (ulong* at = &state)
                return (long)Native.fxs_random_below(at, (ulong)count);
        }

        /// <summary>A number of low..high, both included.</summary>
        public long Between(long low, long high)
        {
            long to;
            int status;
            fixed (ulong* at = &state)
                status = Native.fxs_random_between(at, low, high, &to);
            return status < 0 ? throw Errors.Range(nameof(low), low, long.MinValue, high) : to;
        }

        /// <summary>Whether an event with a chance of numerator in denominator happens.</summary>
        public bool Chance(long numerator, long denominator)
        {
            if (numerator < 0)
                throw Errors.Range(nameof(numerator), numerator, 0, long.MaxValue);
            if (denominator < 1)
                throw Errors.Range(nameof(denominator), denominator, 1, long.MaxValue);
            fixed (ulong* at = &state)
                return Native.fxs_random_chance(at, (ulong)numerator, (ulong)denominator) == 1;
        }

        /// <summary>Puts a list into a random order; each is equally likely.</summary>
        public void Shuffle<T>(T[] items)
        {
            if (items == null)
                throw new ArgumentNullException(nameof(items));
            // As fxs_random_shuffle, which moves bytes: items of C# may be references.
            for (int last = items.Length - 1; last > 0; last--)
            {
                int other = (int)Below(last + 1);
                T item = items[last];
                items[last] = items[other];
                items[other] = item;
            }
        }
    }

    public readonly partial struct Mover
    {
        /// <summary>A character that walks. mask: bit i lets layer i block it; 0: its row of the
        /// layer matrix. passes, 2..64: slides in one move. stepHeight: the highest step that it
        /// climbs. snap: how far down it reaches for a floor. floorY: least y of the normal of a
        /// floor in Q2.30; 759250125 is 45 degrees. oneWay: bit i lets it jump through layer i from
        /// below, and stand on it.</summary>
        public Mover(
            uint id, uint mask = 0, uint passes = 4, int stepHeight = 0, int snap = 0,
            int floorY = 759250125, uint oneWay = 0)
        {
            this.id = id;
            this.mask = mask;
            this.passes = passes;
            this.stepHeight = stepHeight;
            this.snap = snap;
            floorYQ30 = floorY;
            this.oneWay = oneWay;
        }

        /// <summary>Moves it in its world: along walls, up steps, down to the floor. hits: walls and
        /// ceilings in order, then the floor.</summary>
        public MoverResult Move(World world, Vec3 motion, Rows<CastHit> hits)
        {
            Errors.NotNull(world, nameof(world));
            return world.Walk(this, motion, hits);
        }

        internal Exception Fault() =>
            Errors.Outside("passes", passes, 2, Native.FXS_PASSES_MAX)
            ?? Errors.Outside("stepHeight", stepHeight, 0, Native.FXS_SIZE_MAX)
            ?? Errors.Outside("snap", snap, 0, Native.FXS_SIZE_MAX)
            ?? Errors.Outside("floorY", floorYQ30, 1, 1 << 30)
            ?? (oneWay != 0 && mask == 0
                ? new ArgumentException($"oneWay must be 0 without a mask, not {oneWay}")
                : (oneWay & mask) != 0
                ? new ArgumentException(
                    $"oneWay must share no layer with mask, not {oneWay & mask} of mask {mask}")
                : null);
    }
}
