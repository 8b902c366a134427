using System;

namespace Fixsync
{
    /// <summary>Numbers of engines. To draw, fixsync's numbers become floats; back they go only in
    /// an editor, where a designer places things: floats never reach a frame of a match.
    ///
    /// Positions are the same in Unity, in Godot and here: X, Y up, Z. Yaw 0 faces +X, and grows
    /// towards +Z. Unity and Godot count the angle about Y the other way, and their models face +Z
    /// and -Z. Unity is left-handed and Godot right-handed, so one map is the mirror image of the
    /// other on the screen; Mirror flips Z for one of them.</summary>
    public static class Coordinates
    {
        /// <summary>A number as units. Exact below 256 units, and to 24 bits beyond.</summary>
        public static float ToFloat(int value) => value / 65536f;

        /// <summary>Units as the nearest number, halves away from zero. For editors only.</summary>
        /// <exception cref="ArgumentOutOfRangeException">Not a number, or outside int32.
        /// </exception>
        public static int FromFloat(double units)
        {
            double raw = Math.Round(units * 65536, MidpointRounding.AwayFromZero);
            if (!(raw >= int.MinValue && raw <= int.MaxValue))
                throw new ArgumentOutOfRangeException(
                    nameof(units), units, $"units must be -32768..32767.99998, not {units}");
            return (int)raw;
        }

        /// <summary>The angle about Y, in degrees, of a model that faces +X at yaw 0. The same in
        /// Unity and Godot.</summary>
        public static float ToDegrees(int yaw) => yaw == 0 ? 0 : -yaw * (360f / 65536);

        /// <summary>The angle about Y of a Unity model, which faces +Z.</summary>
        public static float ToUnityDegrees(int yaw) => 90 - yaw * (360f / 65536);

        /// <summary>The angle about Y of a Godot model, which faces -Z.</summary>
        public static float ToGodotDegrees(int yaw) => -90 - yaw * (360f / 65536);

        /// <summary>The yaw, 0..65535, of an angle about Y as ToDegrees gives it, to the nearest
        /// step. For editors only.</summary>
        public static int FromDegrees(double degrees)
        {
            if (double.IsNaN(degrees) || double.IsInfinity(degrees))
                throw new ArgumentOutOfRangeException(
                    nameof(degrees), degrees, $"degrees must be a number, not {degrees}");
            double steps = Math.Round(
                -(degrees % 360) * 65536 / 360, MidpointRounding.AwayFromZero);
            return (int)steps & 65535;
        }

        /// <summary>A position seen in a mirror: Z changes its sign.</summary>
        /// <exception cref="OverflowException">Z is -2^31.</exception>
        public static Vec3 Mirror(Vec3 v) => new Vec3(v.X, v.Y, 0) - new Vec3(0, 0, v.Z);

        /// <summary>A yaw seen in that mirror.</summary>
        public static int Mirror(int yaw) => -yaw & 65535;

#if UNITY_5_3_OR_NEWER
        /// <summary>A position for a transform.</summary>
        public static UnityEngine.Vector3 ToUnity(this Vec3 v) =>
            new UnityEngine.Vector3(ToFloat(v.X), ToFloat(v.Y), ToFloat(v.Z));

        /// <summary>The rotation of a model that faces +Z.</summary>
        public static UnityEngine.Quaternion ToUnity(int yaw) =>
            UnityEngine.Quaternion.Euler(0, ToUnityDegrees(yaw), 0);

        /// <summary>A transform's position, in an editor.</summary>
        public static Vec3 FromUnity(UnityEngine.Vector3 v) =>
            new Vec3(FromFloat(v.x), FromFloat(v.y), FromFloat(v.z));

        /// <summary>A transform's facing as a yaw, in an editor.</summary>
        public static int YawFromUnity(UnityEngine.Quaternion rotation) =>
            FromDegrees(rotation.eulerAngles.y - 90);
#endif
    }
}
