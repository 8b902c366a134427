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

        public UnityEngine.Object[] targets => new UnityEngine.Object[] { target };

        public virtual void OnInspectorGUI()
        {
        }

        public Action Typed = () => { };

        public void DrawDefaultInspector() => Typed();
    }

    public class SerializedProperty
    {
        public int intValue;
        public bool hasMultipleDifferentValues;
    }

    public static class EditorGUI
    {
        public static string Typed; // null: the user changes nothing
        public static bool showMixedValue, wasMixed;
        public static int Open, Begun;

        public static GUIContent BeginProperty(Rect at, GUIContent label, SerializedProperty of)
        {
            Open++;
            Begun++;
            return label;
        }

        public static void EndProperty() => Open--;

        public static void BeginChangeCheck()
        {
        }

        public static bool EndChangeCheck() => Typed != null;

        public static string DelayedTextField(Rect position, GUIContent label, string text)
        {
            wasMixed = showMixedValue;
            return Typed ?? text;
        }
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
        public static string Recorded = "";

        public static void RecordObject(UnityEngine.Object of, string what) => Recorded += of.name;
    }

    /// <summary>PrefabUtility.RecordPrefabInstancePropertyModifications: "Causes modifications made
    /// to the Prefab instance to be recorded", after Undo.RecordObject and the change.</summary>
    public static class PrefabUtility
    {
        public static string Recorded = "";

        public static void RecordPrefabInstancePropertyModifications(UnityEngine.Object of) =>
            Recorded += of.name;
    }

    [AttributeUsage(AttributeTargets.Class)]
    public sealed class InitializeOnLoad : Attribute
    {
    }

    public enum PlayModeStateChange
    {
        ExitingEditMode,
    }

    public static class EditorApplication
    {
        public static event Action<PlayModeStateChange> playModeStateChanged;

        public static void Play() => playModeStateChanged?.Invoke(default(PlayModeStateChange));
    }
}

namespace UnityEditor.AssetImporters
{
    /// <summary>AssetImporters.ScriptedImporter: "[ScriptedImporter(1, "cube")]".</summary>
    [AttributeUsage(AttributeTargets.Class)]
    public sealed class ScriptedImporterAttribute : Attribute
    {
        public ScriptedImporterAttribute(int version, string ext)
        {
        }
    }

    public abstract class ScriptedImporter
    {
        public abstract void OnImportAsset(AssetImportContext ctx);
    }

    public class AssetImportContext
    {
        public string assetPath, Identifier, Logged;
        public UnityEngine.Object Main;

        public void AddObjectToAsset(string identifier, UnityEngine.Object obj) =>
            Identifier = identifier;

        public void SetMainObject(UnityEngine.Object obj) => Main = obj;

        public void LogImportError(string message) => Logged = message;
    }
}

namespace UnityEditor.SceneManagement
{
    public static class EditorSceneManager
    {
        public static event Action<UnityEngine.SceneManagement.Scene, string> sceneSaving;

        public static void Save() =>
            sceneSaving?.Invoke(UnityEngine.SceneManagement.SceneManager.GetSceneAt(0), "");
    }
}
