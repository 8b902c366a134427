#if UNITY_5_3_OR_NEWER
using UnityEngine;

namespace Fixsync.Unity
{
    /// <summary>A collider that walks: along walls, up steps, down to the floor.</summary>
    public sealed class FixsyncCharacter : FixsyncCollider
    {
        [SerializeField, Tooltip("Layers that block it; none: those that its layer meets.")]
        internal string[] blockedBy = { };

        [SerializeField, Tooltip("Layers that it jumps through from below, and stands on.")]
        internal string[] oneWay = { };

        [SerializeField, Fixed]
        internal int stepHeight = Fix.One / 4;

        [SerializeField, Fixed, Tooltip("How far down it reaches for a floor.")]
        internal int snap = Fix.One / 4;

        private readonly Rows<CastHit> hits = new Rows<CastHit>();

        /// <summary>The walls and ceilings of the last move in order, then the floor.</summary>
        public Rows<CastHit> Hits => hits;

        /// <summary>What the kernel knows of it, in a world that has begun.</summary>
        public Mover Mover => new Mover(
            Id, World.Layers.Mask(blockedBy), stepHeight: stepHeight, snap: snap,
            oneWay: World.Layers.Mask(oneWay));

        /// <summary>Moves it in its world, which has begun.</summary>
        public MoverResult Move(Vec3 motion) => Mover.Move(World.World, motion, hits);
    }
}
#endif
