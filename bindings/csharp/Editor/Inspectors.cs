#if UNITY_EDITOR
using System;
using System.Globalization;
using Fixsync.Unity;
using UnityEditor;
using UnityEditor.SceneManagement;
using UnityEngine;
using UnityEngine.SceneManagement;
using Pose = Fixsync.Pose;

namespace Fixsync.Editor
{
    /// <summary>A field for an int that is shown and read as a text. BeginProperty and EndProperty
    /// make overrides of prefabs, Revert, and several selected objects work; a value is assigned
    /// only where the user changed it.</summary>
    public abstract class NumberDrawer : PropertyDrawer
    {
        /// <inheritdoc/>
        public override void OnGUI(Rect at, SerializedProperty property, GUIContent label)
        {
            label = EditorGUI.BeginProperty(at, label, property);
            EditorGUI.showMixedValue = property.hasMultipleDifferentValues;
            EditorGUI.BeginChangeCheck();
            string typed = EditorGUI.DelayedTextField(at, label, Show(property.intValue));
            bool isChanged = EditorGUI.EndChangeCheck();
            EditorGUI.showMixedValue = false;
            if (isChanged && Read(typed, out int value))
                property.intValue = value;
            else if (isChanged)
                Debug.LogWarning($"{label.text} must be {Allowed}, not \"{typed}\"");
            EditorGUI.EndProperty();
        }

        /// <summary>The values, in words.</summary>
        protected abstract string Allowed { get; }

        /// <summary>The text of a value.</summary>
        protected abstract string Show(int value);

        /// <summary>Whether a text is a value, and the value.</summary>
        protected abstract bool Read(string text, out int value);
    }

    /// <summary>Shows a Q16.16 number as an exact decimal, and reads one.</summary>
    [CustomPropertyDrawer(typeof(FixedAttribute))]
    public sealed class FixedDrawer : NumberDrawer
    {
        /// <inheritdoc/>
        protected override string Allowed => "a decimal that is a multiple of 1/65536";

        /// <inheritdoc/>
        protected override string Show(int value) => Fix.Format(value);

        /// <inheritdoc/>
        protected override bool Read(string text, out int value)
        {
            bool isNumber = Fix.TryParse(text, out Fix number);
            value = number.Raw;
            return isNumber;
        }
    }

    /// <summary>Shows the steps of a yaw, and reads them or whole degrees: "60°".</summary>
    [CustomPropertyDrawer(typeof(YawAttribute))]
    public sealed class YawDrawer : NumberDrawer
    {
        /// <inheritdoc/>
        protected override string Allowed => "0..65535, or whole degrees such as 60°";

        /// <inheritdoc/>
        protected override string Show(int value) => value.ToString();

        /// <inheritdoc/>
        protected override bool Read(string text, out int value) =>
            TryRead(text, out value);

        /// <summary>Whether a text is a yaw, and the yaw.</summary>
        public static bool TryRead(string text, out int steps)
        {
            bool isDegrees = text.EndsWith("°", StringComparison.Ordinal);
            string digits = isDegrees ? text.Substring(0, text.Length - 1) : text;
            if (!int.TryParse(
                digits, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out steps))
                return false;
            steps = isDegrees ? Fix.Degrees(steps) : steps;
            return steps >= 0 && steps < 65536;
        }
    }

    /// <summary>Gives a new collider an id, and takes the place of a transform that was moved.
    /// </summary>
    [CustomEditor(typeof(FixsyncCollider), true)]
    [CanEditMultipleObjects]
    public sealed class ColliderEditor : UnityEditor.Editor
    {
        /// <inheritdoc/>
        public override void OnInspectorGUI()
        {
            var before = new Pose[targets.Length];
            for (int i = 0; i < targets.Length; i++)
                before[i] = ((FixsyncCollider)targets[i]).StartPose;
            DrawDefaultInspector(); // first: a bad number must not hide the field that has it
            for (int i = 0; i < targets.Length; i++)
            {
                var collider = (FixsyncCollider)targets[i];
                if (!Application.isPlaying && collider.StartPose != before[i])
                    Places.Change(
                        collider.transform, () => collider.Show(collider.StartPose), "Place");
                string fault = collider.Fault();
                if (fault != null)
                    EditorGUILayout.HelpBox(fault, MessageType.Error);
                FixsyncWorld world = collider.GetComponentInParent<FixsyncWorld>();
                if (world == null)
                    EditorGUILayout.HelpBox("Put it below a FixsyncWorld.", MessageType.Warning);
                else if (collider.id == 0 || (Twin(collider, world) && GUILayout.Button("New id")))
                    Places.Change(collider, () => GiveId(collider, world), "Id of a collider");
            }
        }

        private void OnSceneGUI()
        {
            var collider = (FixsyncCollider)target;
            if (Application.isPlaying || !collider.transform.hasChanged)
                return;
            collider.transform.hasChanged = false; // also where the place is out of range
            Places.Take(collider);
        }

        private static bool Twin(FixsyncCollider collider, FixsyncWorld world)
        {
            foreach (FixsyncCollider other in world.GetComponentsInChildren<FixsyncCollider>(true))
            {
                if (other != collider && other.id == collider.id)
                {
                    EditorGUILayout.HelpBox(
                        $"{other.name} has the id {collider.id} too.", MessageType.Warning);
                    return true;
                }
            }

            return false;
        }

        private static void GiveId(FixsyncCollider collider, FixsyncWorld world) =>
            collider.id = FixsyncWorld.FreeId(
                world.GetComponentsInChildren<FixsyncCollider>(true));
    }

    /// <summary>Takes the places of transforms that a parent, a script or a tool moved: when a
    /// scene is saved, and before it is played.</summary>
    [InitializeOnLoad]
    public static class Places
    {
        static Places()
        {
            EditorSceneManager.sceneSaving += (scene, path) => TakeAll(scene);
            EditorApplication.playModeStateChanged += change =>
            {
                if (change != PlayModeStateChange.ExitingEditMode)
                    return;
                for (int i = 0; i < SceneManager.sceneCount; i++)
                    TakeAll(SceneManager.GetSceneAt(i));
            };
        }

        /// <summary>Takes all places of a scene that are not taken yet.</summary>
        public static void TakeAll(Scene scene)
        {
            foreach (GameObject root in scene.GetRootGameObjects())
                foreach (FixsyncCollider collider in
                    root.GetComponentsInChildren<FixsyncCollider>(true))
                    Take(collider);
        }

        internal static void Take(FixsyncCollider collider)
        {
            if (collider.IsInPlace())
                return;
            string fault = collider.PlaceFault();
            if (fault == null)
                Change(collider, collider.TakePlace, "Place of a collider");
            else
                Debug.LogWarning(fault);
        }

        /// <summary>Changes a component so that it can be undone, is saved, and is an override
        /// where the object is an instance of a prefab.</summary>
        internal static void Change(Component of, Action change, string what)
        {
            Undo.RecordObject(of, what);
            change();
            PrefabUtility.RecordPrefabInstancePropertyModifications(of);
        }
    }
}
#endif
