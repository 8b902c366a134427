#if GODOT
namespace Fixsync
{
    /// <summary>Coordinates in Godot's types. The NuGet package compiles this file in your project,
    /// where Godot's SDK defines GODOT.</summary>
    internal static class GodotCoordinates
    {
        /// <summary>A position for a node.</summary>
        public static Godot.Vector3 ToGodot(this Vec3 v) => new Godot.Vector3(
            Coordinates.ToFloat(v.X), Coordinates.ToFloat(v.Y), Coordinates.ToFloat(v.Z));

        /// <summary>The rotation about Y, in radians, of a node that faces -Z.</summary>
        public static float ToGodotRadians(int yaw) =>
            Godot.Mathf.DegToRad(Coordinates.ToGodotDegrees(yaw));

        /// <summary>A node's position, in an editor.</summary>
        public static Vec3 FromGodot(Godot.Vector3 v) => new Vec3(
            Coordinates.FromFloat(v.X), Coordinates.FromFloat(v.Y), Coordinates.FromFloat(v.Z));

        /// <summary>A node's rotation about Y, in radians, as a yaw, in an editor.</summary>
        public static int YawFromGodot(float radians) =>
            Coordinates.FromDegrees(Godot.Mathf.RadToDeg(radians) + 90);
    }
}
#endif
