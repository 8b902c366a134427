using System;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.InteropServices;

namespace Fixsync
{
    /// <summary>A number in Q16.16, 65536 is one unit, with operators that throw outside int32
    /// where those of an int wrap; and functions of such numbers. Worlds and shapes take the int,
    /// Raw.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public readonly partial struct Fix : IEquatable<Fix>, IComparable<Fix>
    {
        /// <summary>The number itself, in 1/65536 of a unit.</summary>
        public readonly int Raw;

        /// <summary>A raw number: Fix.One is 1, in units.</summary>
        public Fix(int raw)
        {
            Raw = raw;
        }

        /// <summary>Whole units.</summary>
        /// <exception cref="OverflowException">Outside -32768..32767.</exception>
        public static Fix FromUnits(int units) => new Fix(Units(units));

        /// <summary>A float as the nearest number, halves away from zero. UNSAFE: a float that was
        /// computed may differ between machines, and then the match does. For editors, and for
        /// values that all peers load from one file.</summary>
        /// <exception cref="ArgumentOutOfRangeException">Not a number, or outside int32.
        /// </exception>
        public static Fix FromFloat_UNSAFE(double units) => new Fix(Coordinates.FromFloat(units));

        /// <summary>The nearest float, for drawing: 24 of the 32 bits fit into it.</summary>
        public float ToFloat() => Coordinates.ToFloat(Raw);

        /// <summary>The number that is exactly a decimal: "1.25"; see Q.</summary>
        /// <exception cref="FormatException">Not a decimal, or not exact.</exception>
        /// <exception cref="ArgumentOutOfRangeException">Outside int32.</exception>
        public static Fix Parse(string text) => new Fix(Q(text));

        /// <summary>Whether a text is exactly a number, and the number.</summary>
        public static bool TryParse(string text, out Fix number)
        {
            int raw = 0;
            int status = text == null ? Native.FXS_E_TEXT : Read(text, 0, out raw);
            number = new Fix(raw);
            return status == Native.FXS_OK;
        }

        private static int Fitting(long raw, Fix a, char sign, Fix b) =>
            raw >= int.MinValue && raw <= int.MaxValue
                ? (int)raw : throw Overflow(Native.FXS_E_RANGE, $"{a} {sign} {b}");

        /// <summary>The sum.</summary>
        /// <exception cref="OverflowException">Outside int32; so of all operators.</exception>
        public static Fix operator +(Fix a, Fix b) => new Fix(Fitting((long)a.Raw + b.Raw, a, '+', b));

        /// <summary>The difference.</summary>
        public static Fix operator -(Fix a, Fix b) => new Fix(Fitting((long)a.Raw - b.Raw, a, '-', b));

        /// <summary>The product, rounded as Mul rounds it.</summary>
        public static Fix operator *(Fix a, Fix b) => new Fix(Mul(a.Raw, b.Raw));

        /// <summary>The quotient, rounded as Div rounds it.</summary>
        public static Fix operator /(Fix a, Fix b) => new Fix(Div(a.Raw, b.Raw));

        /// <summary>The number with the other sign.</summary>
        public static Fix operator -(Fix a) => new Fix(Fitting(-(long)a.Raw, default(Fix), '-', a));

        /// <summary>Whether a is less.</summary>
        public static bool operator <(Fix a, Fix b) => a.Raw < b.Raw;

        /// <summary>Whether a is greater.</summary>
        public static bool operator >(Fix a, Fix b) => a.Raw > b.Raw;

        /// <summary>Whether a is not greater.</summary>
        public static bool operator <=(Fix a, Fix b) => a.Raw <= b.Raw;

        /// <summary>Whether a is not less.</summary>
        public static bool operator >=(Fix a, Fix b) => a.Raw >= b.Raw;

        /// <summary>Whether they are equal.</summary>
        public static bool operator ==(Fix a, Fix b) => a.Raw == b.Raw;

        /// <summary>Whether they differ.</summary>
        public static bool operator !=(Fix a, Fix b) => a.Raw != b.Raw;

        /// <summary>Below 0 if this is less, above 0 if it is greater.</summary>
        public int CompareTo(Fix other) => Raw.CompareTo(other.Raw);

        /// <summary>Whether they are equal.</summary>
        public bool Equals(Fix other) => Raw == other.Raw;

        /// <summary>Whether it is an equal number.</summary>
        public override bool Equals([AllowNull] object other) => other is Fix number && Equals(number);

        /// <summary>The raw number.</summary>
        public override int GetHashCode() => Raw;

        /// <summary>The exact decimal: "-1.5".</summary>
        public override string ToString() => Format(Raw);
    }
}
