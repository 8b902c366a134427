#if UNITY_EDITOR
using System;
using System.Globalization;
using Fixsync.Unity;
using UnityEditor;
using UnityEngine;

namespace Fixsync.Editor
{
    /// <summary>Shows a Q16.16 number as an exact decimal, and reads one.</summary>
    [CustomPropertyDrawer(typeof(FixedAttribute))]
    public sealed class FixedDrawer : PropertyDrawer
    {
        /// <inheritdoc/>
        public override void OnGUI(Rect at, SerializedProperty property, GUIContent label)
        {
            string shown = Fix.Format(property.intValue);
            string typed = EditorGUI.DelayedTextField(at, label, shown);
            if (typed == shown)
                return;
            if (Fix.TryParse(typed, out Fix number))
                property.intValue = number.Raw;
            else
                Debug.LogWarning(
                    $"{label.text} must be a decimal that is a multiple of 1/65536, not \"{typed}\"");
        }
    }

    /// <summary>Shows the steps of a yaw, and reads them or whole degrees: "60°".</summary>
    [CustomPropertyDrawer(typeof(YawAttribute))]
    public sealed class YawDrawer : PropertyDrawer
    {
        /// <inheritdoc/>
        public override void OnGUI(Rect at, SerializedProperty property, GUIContent label)
        {
            string shown = property.intValue.ToString();
            string typed = EditorGUI.DelayedTextField(at, label, shown);
            if (typed == shown)
                return;
            if (TryRead(typed, out int steps))
                property.intValue = steps;
            else
                Debug.LogWarning(
                    $"{label.text} must be 0..65535, or whole degrees such as 60°, not \"{typed}\"");
        }

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
            DrawDefaultInspector(); // first: a bad number must not hide the field that has it
            var collider = (FixsyncCollider)target;
            string fault = collider.Fault();
            if (fault != null)
                EditorGUILayout.HelpBox(fault, MessageType.Error);
            FixsyncWorld world = collider.GetComponentInParent<FixsyncWorld>();
            if (world == null)
                EditorGUILayout.HelpBox("Put it below a FixsyncWorld.", MessageType.Warning);
            else if (collider.Id == 0 || (Twin(collider, world) && GUILayout.Button("New id")))
                Change(() => GiveId(collider, world), "Id of a collider");
        }

        private void OnSceneGUI()
        {
            var collider = (FixsyncCollider)target;
            if (!Application.isPlaying && collider.transform.hasChanged)
            {
                Change(collider.TakePlace, "Place of a collider");
                collider.transform.hasChanged = false;
            }
        }

        private void Change(Action change, string what)
        {
            Undo.RecordObject(target, what);
            change();
            EditorUtility.SetDirty(target);
        }

        private static bool Twin(FixsyncCollider collider, FixsyncWorld world)
        {
            foreach (FixsyncCollider other in world.GetComponentsInChildren<FixsyncCollider>(true))
            {
                if (other != collider && other.Id == collider.Id)
                {
                    EditorGUILayout.HelpBox(
                        $"{other.name} has the id {collider.Id} too.", MessageType.Warning);
                    return true;
                }
            }

            return false;
        }

        private void GiveId(FixsyncCollider collider, FixsyncWorld world)
        {
            var fields = new SerializedObject(collider);
            fields.FindProperty("id").intValue =
                FixsyncWorld.FreeId(world.GetComponentsInChildren<FixsyncCollider>(true));
            fields.ApplyModifiedProperties();
        }
    }
}
#endif
