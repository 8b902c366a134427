// The parts of Unity's editor that the package calls, so that they compile where it is not.
using System;
using UnityEngine;

namespace UnityEditor
{
    [AttributeUsage(AttributeTargets.Class)]
    public sealed class CustomPropertyDrawer : Attribute
    {
        public CustomPropertyDrawer(Type type)
        {
        }
    }

    [AttributeUsage(AttributeTargets.Class)]
    public sealed class CustomEditor : Attribute
    {
        public CustomEditor(Type type, bool editorForChildClasses)
        {
        }
    }

    [AttributeUsage(AttributeTargets.Class)]
    public sealed class CanEditMultipleObjects : Attribute
    {
    }

    public class PropertyDrawer
    {
        public virtual void OnGUI(Rect position, SerializedProperty property, GUIContent label)
        {
        }
    }

    public class Editor
    {
        public Component target;

        public virtual void OnInspectorGUI()
        {
        }

        public void DrawDefaultInspector()
        {
        }
    }

    public class SerializedProperty
    {
        public int intValue;
    }

    public class SerializedObject
    {
        public SerializedObject(Component of)
        {
        }

        public SerializedProperty FindProperty(string name) => new SerializedProperty();

        public void ApplyModifiedProperties()
        {
        }
    }

    public static class EditorGUI
    {
        public static string Typed;

        public static string DelayedTextField(Rect position, GUIContent label, string text) => Typed;
    }

    public enum MessageType
    {
        Warning,
        Error,
    }

    public static class EditorGUILayout
    {
        public static string Helped;

        public static void HelpBox(string text, MessageType type) => Helped = text;
    }

    public static class Undo
    {
        public static void RecordObject(Component of, string what)
        {
        }
    }

    public static class EditorUtility
    {
        public static void SetDirty(Component of)
        {
        }
    }
}
