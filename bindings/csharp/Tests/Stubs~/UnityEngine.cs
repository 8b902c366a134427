// The parts of Unity that the package and its sample call, so that they compile where it is not.
using System;

namespace UnityEngine
{
    public struct Vector3
    {
        public float x, y, z;

        public Vector3(float x, float y, float z)
        {
            this.x = x;
            this.y = y;
            this.z = z;
        }
    }

    /// <summary>A rotation about Y alone.</summary>
    public struct Quaternion
    {
        public Vector3 eulerAngles;

        public static Quaternion Euler(float x, float y, float z) =>
            new Quaternion { eulerAngles = new Vector3(x, y, z) };
    }

    public struct Pose
    {
    }

    public class MonoBehaviour
    {
    }

    [AttributeUsage(AttributeTargets.Field)]
    public sealed class SerializeField : Attribute
    {
    }

    public class TextAsset
    {
        public byte[] bytes;
    }

    public class Transform
    {
        public void SetPositionAndRotation(Vector3 position, Quaternion rotation)
        {
        }
    }

    public class ParticleSystem
    {
        public void Play()
        {
        }

        public void Stop()
        {
        }
    }

    public static class Debug
    {
        public static void Log(object message)
        {
        }
    }

    public static class Input
    {
        public static float GetAxisRaw(string name) => 0;

        public static bool GetButton(string name) => false;
    }
}
