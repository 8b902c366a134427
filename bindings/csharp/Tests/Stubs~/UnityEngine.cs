// The parts of Unity that the package and its sample call, so that they compile where it is not.
using System;
using System.Collections.Generic;

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

    /// <summary>Object.Destroy: "Unity's null checks treat the object as null".</summary>
    public class Object
    {
        public string name = "object";
        private bool isDestroyed;

        public static void Destroy(Object of) => of.isDestroyed = true;

        public static bool operator ==(Object a, Object b) =>
            ReferenceEquals(a, b)
            || (ReferenceEquals(a, null) ? b.isDestroyed : ReferenceEquals(b, null) && a.isDestroyed);

        public static bool operator !=(Object a, Object b) => !(a == b);

        public override bool Equals(object other) => this == (other as Object);

        public override int GetHashCode() => 0;
    }

    public class GameObject : Object
    {
        public bool activeSelf = true;
        public Component Of;

        public T[] GetComponentsInChildren<T>(bool includeInactive)
            where T : Component => Of.GetComponentsInChildren<T>(includeInactive);

        public void SetActive(bool value) => activeSelf = value;
    }

    public class Component : Object
    {
        public readonly GameObject gameObject = new GameObject();

        public Component()
        {
            transform = new Transform(this);
        }

        protected Component(int isTransform)
        {
        }

        public Transform transform { get; protected set; }

        public T[] GetComponentsInChildren<T>(bool includeInactive)
            where T : Component
        {
            var found = new List<T>();
            transform.Collect(found);
            return found.ToArray();
        }

        public T GetComponentInParent<T>()
            where T : Component
        {
            Transform at = transform;
            while (at != null && !(at.Of is T))
                at = at.parent;
            return (T)at?.Of;
        }
    }

    public class MonoBehaviour : Component
    {
    }

    public class PropertyAttribute : Attribute
    {
    }

    [AttributeUsage(AttributeTargets.Field)]
    public sealed class TooltipAttribute : Attribute
    {
        public TooltipAttribute(string text)
        {
        }
    }

    public struct Color
    {
        public static Color green, grey, white;
    }

    public struct Rect
    {
    }

    public class GUIContent
    {
        public string text = "radius";
    }

    public static class GUILayout
    {
        public static bool Button(string text) => false;
    }

    public static class Gizmos
    {
        public static Color color;
        public static int Lines;

        public static void DrawLine(Vector3 from, Vector3 to) => Lines++;
    }

    public static class Application
    {
        public static bool isPlaying;
    }

    [AttributeUsage(AttributeTargets.Field)]
    public sealed class MinAttribute : Attribute
    {
        public MinAttribute(float least)
        {
        }
    }

    [AttributeUsage(AttributeTargets.Field)]
    public sealed class SerializeField : Attribute
    {
    }

    public class ScriptableObject : Object
    {
        public static T CreateInstance<T>()
            where T : ScriptableObject, new() => new T();
    }

    public class MeshFilter
    {
        public readonly Mesh mesh = new Mesh();
    }

    public class Mesh
    {
        public void SetVertices(List<Vector3> vertices)
        {
        }

        public void SetIndices(int[] indices, MeshTopology topology, int submesh)
        {
        }
    }

    public enum MeshTopology
    {
        Lines,
    }

    public static class Time
    {
        public static float fixedDeltaTime;
    }

    [AttributeUsage(AttributeTargets.Field)]
    public sealed class HideInInspector : Attribute
    {
    }

    public class Transform : Component
    {
        public readonly Component Of;
        public Vector3 position;
        public Quaternion rotation;
        public bool hasChanged;
        public Transform parent;
        private readonly List<Transform> children = new List<Transform>();

        public Transform(Component of)
            : base(0)
        {
            Of = of;
            transform = this;
        }

        public void SetParent(Transform to)
        {
            parent = to;
            to.children.Add(this);
        }

        public void SetPositionAndRotation(Vector3 at, Quaternion facing)
        {
            position = at;
            rotation = facing;
            hasChanged = true;
        }

        internal void Collect<T>(List<T> found)
            where T : Component
        {
            if (Of is T own)
                found.Add(own);
            foreach (Transform child in children)
                child.Collect(found);
        }
    }

    public static class Debug
    {
        public static string Warned = "";
        public static bool isDebugBuild;

        public static void Log(object message)
        {
        }

        public static void LogWarning(object message) => Warned = message.ToString();
    }

    public static class Input
    {
        public static bool GetKey(KeyCode key) => false;
    }

    public enum KeyCode
    {
        W, S, A, D, Space, LeftShift, UpArrow, DownArrow, LeftArrow, RightArrow, Period, Slash,
    }
}

namespace UnityEngine.SceneManagement
{
    public struct Scene
    {
        public static GameObject[] Roots = new GameObject[0];

        public GameObject[] GetRootGameObjects() => Roots;
    }

    public static class SceneManager
    {
        public static int sceneCount => 1;

        public static Scene GetSceneAt(int index) => default(Scene);
    }
}

namespace UnityEngine.InputSystem.Controls
{
    public class KeyControl
    {
        public bool isPressed;
    }
}

namespace UnityEngine.InputSystem
{
    public class Keyboard
    {
        public static Keyboard current;

        public Controls.KeyControl this[Key key] => new Controls.KeyControl();
    }

    public enum Key
    {
        W, S, A, D, Space, LeftShift, UpArrow, DownArrow, LeftArrow, RightArrow, Period, Slash,
    }
}
