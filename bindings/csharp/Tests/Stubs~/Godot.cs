// The parts of Godot that the package calls.
namespace Godot
{
    public struct Vector3
    {
        public float X, Y, Z;

        public Vector3(float x, float y, float z)
        {
            X = x;
            Y = y;
            Z = z;
        }
    }

    public static class Mathf
    {
        public static float DegToRad(float degrees) => (float)(degrees * System.Math.PI / 180);

        public static float RadToDeg(float radians) => (float)(radians * 180 / System.Math.PI);
    }
}
