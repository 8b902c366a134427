#if UNITY_5_3_OR_NEWER
using System;
using UnityEngine;

namespace Fixsync.Unity
{
    /// <summary>An int in Q16.16, which the inspector shows and reads as an exact decimal.</summary>
    public sealed class FixedAttribute : PropertyAttribute
    {
    }

    /// <summary>A yaw in steps; the inspector reads "60°" too.</summary>
    public sealed class YawAttribute : PropertyAttribute
    {
    }

    /// <summary>A collider of the FixsyncWorld above it. All its numbers are integers. Its place is
    /// taken from the transform in the editor alone; in play the world moves the transform.</summary>
    public class FixsyncCollider : MonoBehaviour
    {
        /// <summary>Its id in the world; 0: the world refuses to begin.</summary>
        [SerializeField, Min(0)]
        internal int id;

        [SerializeField]
        internal ShapeKind kind = ShapeKind.Sphere;

        [SerializeField, Fixed]
        internal int radius = Fix.One;

        [SerializeField, Fixed]
        internal int halfHeight = Fix.One;

        [SerializeField, Fixed, Tooltip("Of a shape with sides, as a box.")]
        internal int halfX = Fix.One;

        [SerializeField, Fixed, Tooltip("Of a shape with sides, as a box.")]
        internal int halfZ = Fix.One;

        [SerializeField, Yaw, Tooltip("Of a sector, to each side: 1..32768.")]
        internal int halfAngle = 8192;

        [SerializeField, Fixed, Tooltip("Of a sector; 0: no hole.")]
        internal int innerRadius;

        [SerializeField, Tooltip("One of the world's layers.")]
        internal string layer = "body";

        [SerializeField, Tooltip("Colliders of one owner do not hit each other; 0: no owner.")]
        internal int owner;

        [SerializeField]
        internal bool startsActive = true;

        [SerializeField, Fixed]
        internal int x, y, z;

        [SerializeField, Yaw]
        internal int yaw;

        /// <summary>Its id in the world.</summary>
        public uint Id => checked((uint)id);

        /// <summary>The world that it is in; null before that begins.</summary>
        public FixsyncWorld World { get; internal set; }

        /// <summary>The place where it begins. Set it before its world begins or adds it.</summary>
        public Pose StartPose
        {
            get => new Pose(new Vec3(x, y, z), yaw);
            set
            {
                x = value.Position.X;
                y = value.Position.Y;
                z = value.Position.Z;
                yaw = value.Yaw;
            }
        }

        /// <summary>Its shape.</summary>
        /// <exception cref="ArgumentOutOfRangeException">A size is out of range.</exception>
        public Shape Shape => Shape.Of(
            kind, radius: radius, halfHeight: halfHeight, halfX: halfX, halfY: halfHeight,
            halfZ: halfZ, halfAngle: halfAngle, innerRadius: innerRadius);

        /// <summary>Takes the place of the transform, to the nearest numbers: halves away from
        /// zero. In an editor only: floats decide nothing in play.</summary>
        public void TakePlace()
        {
            Vec3 position = Coordinates.FromUnity(transform.position);
            StartPose = new Pose(position, Coordinates.YawFromUnity(transform.rotation));
        }

        /// <summary>Puts the transform where a pose is.</summary>
        public void Show(Pose pose) => transform.SetPositionAndRotation(
            pose.Position.ToUnity(), Coordinates.ToUnity(pose.Yaw));

        /// <summary>Whether the transform is where it begins, to the nearest numbers.</summary>
        internal bool IsInPlace() =>
            Coordinates.FromUnity(transform.position) == StartPose.Position
            && Coordinates.YawFromUnity(transform.rotation) == yaw;

#if UNITY_EDITOR
        internal void OnDrawGizmos()
        {
            Pose pose = World == null ? StartPose : World.World[Id].Pose;
            bool isActive = World == null ? startsActive : World.World[Id].IsActive;
            Gizmos.color = isActive ? Color.green : Color.grey;
            try
            {
                FixsyncLevel.Draw(Shape.Outline(pose));
            }
            catch (ArgumentException)
            {
                // The inspector says what is wrong: Fault.
            }
        }

        /// <summary>What is wrong with its shape and the place where it begins; null:
        /// nothing.</summary>
        public string Fault()
        {
            try
            {
                Shape.Outline(StartPose);
                return null;
            }
            catch (ArgumentException wrong)
            {
                return wrong.Message.Split('\n')[0].Trim();
            }
        }
#endif
    }
}
#endif
