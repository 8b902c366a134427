#if UNITY_5_3_OR_NEWER
using System;
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
        /// <exception cref="InvalidOperationException">It is in no world, or a layer has no such
        /// name.</exception>
        public Mover Mover
        {
            get
            {
                Layers layers = Running("Mover") == null ? null : World.Layers;
                try
                {
                    return new Mover(
                        Id, layers.Mask(blockedBy), stepHeight: stepHeight, snap: snap,
                        oneWay: layers.Mask(oneWay));
                }
                catch (Exception error)
                {
                    throw new InvalidOperationException($"{name}: {error.Message}", error);
                }
            }
        }

        /// <summary>Moves it in its world, which has begun and has it.</summary>
        /// <exception cref="InvalidOperationException">It is in no world, or a field is wrong.
        /// </exception>
        public MoverResult Move(Vec3 motion)
        {
            Mover mover = Mover;
            if (!IsInWorld)
                throw new InvalidOperationException(
                    $"{name} cannot move: the world {World.name} does not have its id {Id} now");
            return mover.Move(World.World, motion, hits);
        }

        private World Running(string call) => World != null
            ? World.Running(call)
            : throw new InvalidOperationException(
                $"{name} is in no world: begin the FixsyncWorld above it, or Add it there");
    }
}
#endif
