#if UNITY_5_3_OR_NEWER
using System;
using UnityEngine;
using Collider = Fixsync.Collider;
using Pose = Fixsync.Pose;

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

    /// <summary>A position that a component of your own has: the inspector shows exact decimals.
    /// </summary>
    [Serializable]
    public struct FixedVec3
    {
        [Fixed]
        public int x, y, z;

        public static implicit operator Vec3(FixedVec3 v) => new Vec3(v.x, v.y, v.z);

        public static implicit operator FixedVec3(Vec3 v) =>
            new FixedVec3 { x = v.X, y = v.Y, z = v.Z };
    }

    /// <summary>A pose that a component of your own has.</summary>
    [Serializable]
    public struct FixedPose
    {
        public FixedVec3 position;

        [Yaw]
        public int yaw;

        public static implicit operator Pose(FixedPose pose) => new Pose(pose.position, pose.yaw);

        public static implicit operator FixedPose(Pose pose) =>
            new FixedPose { position = pose.Position, yaw = pose.Yaw };
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

        internal bool isSeen, isShown = true; // by FixsyncWorld.Show
        private uint worldId;

        /// <summary>Its id in the world; in play the one that it was added with.</summary>
        /// <exception cref="InvalidOperationException">It is negative.</exception>
        public uint Id
        {
            get
            {
                if (World != null)
                    return worldId;
                return id >= 0 ? (uint)id : throw new InvalidOperationException(
                    $"id of {name} must be 0 or more, not {id}");
            }
        }

        /// <summary>The world that it was added to; null before that begins, and once that gave it
        /// up.</summary>
        public FixsyncWorld World { get; private set; }

        /// <summary>Whether its world has its collider now.</summary>
        public bool IsInWorld => World != null && World.IsRunning && World.World.Contains(Id);

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

        internal void Enter(FixsyncWorld world)
        {
            worldId = world == null ? 0 : Id;
            World = world;
            isShown = true;
        }

        /// <summary>Makes the object active or inactive.</summary>
        internal void SetShown(bool shown)
        {
            isShown = shown;
            gameObject.SetActive(shown);
        }

        /// <summary>Takes the place of the transform, to the nearest numbers: halves away from
        /// zero. In an editor only: floats decide nothing in play.</summary>
        public void TakePlace() => StartPose = Place();

        private Pose Place() => new Pose(
            Coordinates.FromUnity(transform.position),
            Coordinates.YawFromUnity(transform.rotation));

        /// <summary>Puts the transform where a pose is.</summary>
        public void Show(Pose pose) => transform.SetPositionAndRotation(
            pose.Position.ToUnity(), Coordinates.ToUnity(pose.Yaw));

        /// <summary>Whether the transform is where it begins: to the nearest numbers, or as Show
        /// puts it there.</summary>
        internal bool IsInPlace()
        {
            UnityEngine.Vector3 shown = StartPose.Position.ToUnity(), at = transform.position;
            return PlaceFault() == null
                && (Coordinates.FromUnity(at) == StartPose.Position
                    || (at.x == shown.x && at.y == shown.y && at.z == shown.z))
                && Coordinates.YawFromUnity(transform.rotation) == yaw;
        }

        /// <summary>Why the transform's place cannot be taken; null: it can.</summary>
        internal string PlaceFault()
        {
            try
            {
                Coordinates.FromUnity(transform.position);
                Coordinates.YawFromUnity(transform.rotation);
                return null;
            }
            catch (ArgumentException wrong)
            {
                return $"the place of {name}: {wrong.Message.Split('\n')[0].Trim()}";
            }
        }

#if UNITY_EDITOR
        private static readonly Rows<Vertex> Corners = new Rows<Vertex>(64);

        /// <summary>In play where the world has it, else where the transform is.</summary>
        internal void OnDrawGizmos()
        {
            Collider now = default(Collider);
            if (World != null && !(World.IsRunning && World.World.TryGet(Id, out now)))
                return; // a rollback or Remove took it away
            bool isActive = World == null ? startsActive : now.IsActive;
            Gizmos.color = isActive ? Color.green : Color.grey;
            if (World == null && Fault() != null)
                return; // the inspector shows it
            bool isMoved = World == null && !Application.isPlaying && !IsInPlace();
            Pose pose = isMoved ? Place() : StartPose;
            Extent extent = World == null
                ? Shape.Outline(pose, Corners) : World.World.Outline(Id, Corners);
            ReadOnlySpan<Vertex> vertices = Corners.Span;
            int outer = (int)extent.Outer;
            FixsyncMap.Draw(vertices.Slice(0, outer), extent.YLow, extent.YHigh);
            FixsyncMap.Draw(vertices.Slice(outer), extent.YLow, extent.YHigh);
        }

        /// <summary>What is wrong with its shape and the place where it begins; null:
        /// nothing.</summary>
        public string Fault()
        {
            try
            {
                Shape.Outline(StartPose, Corners);
                return id >= 0 ? PlaceFault() : $"id must be 0 or more, not {id}";
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
