using System;
using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Runtime.InteropServices;

namespace Fixsync
{
    /// <summary>A direction: 65536 steps are one turn, from +X towards +Z. Sums are modulo one
    /// turn. It goes as it is to all that take a yaw as int.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public readonly struct Yaw : IEquatable<Yaw>
    {
        private readonly ushort steps;

        private Yaw(ushort steps)
        {
            this.steps = steps;
        }

        /// <summary>A number of steps, 0..65535.</summary>
        /// <exception cref="ArgumentOutOfRangeException">Another number.</exception>
        public Yaw(int steps)
        {
            if (steps < 0 || steps >= Native.FXS_TURN)
                throw Errors.Range(nameof(steps), steps, 0, Native.FXS_TURN - 1);
            this.steps = (ushort)steps;
        }

        /// <summary>0..65535.</summary>
        public int Steps => steps;

        /// <summary>Any whole degrees, to the nearest step.</summary>
        public static Yaw FromDegrees(int degrees) => new Yaw(Fix.Degrees(degrees));

        /// <summary>Degrees to the nearest step, halves away from zero. UNSAFE: a float that was
        /// computed may differ between machines, and then the match does. For editors, and for
        /// values that all peers load from one file.</summary>
        /// <exception cref="ArgumentOutOfRangeException">Not a number.</exception>
        public static Yaw FromDegrees_UNSAFE(double degrees)
        {
            // The angle of an engine has the other sign.
            return new Yaw(Coordinates.Mirror(Coordinates.FromDegrees(degrees)));
        }

        /// <summary>The nearest float in 0..360, for drawing. An engine's angle about Y has the
        /// other sign: Coordinates gives those.</summary>
        public float ToDegrees() => steps * (360f / 65536);

        /// <summary>The steps of a text: "16384".</summary>
        /// <exception cref="FormatException">Not a whole number.</exception>
        /// <exception cref="ArgumentOutOfRangeException">Outside 0..65535.</exception>
        public static Yaw Parse(string text)
        {
            if (text == null)
                throw new ArgumentNullException(nameof(text));
            if (!int.TryParse(
                text, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out int steps))
                throw new FormatException($"text must be a whole number, not \"{text}\"");
            return new Yaw(steps);
        }

        /// <summary>The yaw so many steps further; any number.</summary>
        public static Yaw operator +(Yaw a, int steps) => new Yaw(unchecked((ushort)(a.steps + steps)));

        /// <summary>The yaw so many steps back; any number.</summary>
        public static Yaw operator -(Yaw a, int steps) => new Yaw(unchecked((ushort)(a.steps - steps)));

        /// <summary>The yaw in the mirror of Z.</summary>
        public static Yaw operator -(Yaw a) => new Yaw(unchecked((ushort)-a.steps));

        /// <summary>Its steps, for all that take a yaw.</summary>
        public static implicit operator int(Yaw yaw) => yaw.steps;

        /// <summary>Whether they are equal.</summary>
        public static bool operator ==(Yaw a, Yaw b) => a.steps == b.steps;

        /// <summary>Whether they differ.</summary>
        public static bool operator !=(Yaw a, Yaw b) => a.steps != b.steps;

        /// <summary>Whether they are equal.</summary>
        public bool Equals(Yaw other) => steps == other.steps;

        /// <summary>Whether it is an equal yaw.</summary>
        public override bool Equals([AllowNull] object other) => other is Yaw yaw && Equals(yaw);

        /// <summary>The steps.</summary>
        public override int GetHashCode() => steps;

        /// <summary>Its steps: "16384".</summary>
        public override string ToString() => steps.ToString(CultureInfo.InvariantCulture);
    }
}
