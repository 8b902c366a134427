#if UNITY_5_3_OR_NEWER
using System;
using UnityEngine;

namespace Fixsync.Unity
{
    /// <summary>The solids of a map, for a FixsyncWorld.</summary>
    public sealed class FixsyncLevel : MonoBehaviour
    {
        [SerializeField]
        internal FixsyncMap map;

        /// <summary>The level of the map.</summary>
        /// <exception cref="InvalidOperationException">It has none.</exception>
        public Level Level
        {
            get
            {
                if (map == null)
                    throw new InvalidOperationException($"the level {name} has no map");
                try
                {
                    return map.Level;
                }
                catch (System.IO.InvalidDataException error)
                {
                    throw new InvalidOperationException($"the level {name}: {error.Message}", error);
                }
            }
        }

#if UNITY_EDITOR
        private Outline[] outlines; // of the level, which never changes

        private void OnDrawGizmos()
        {
            if (map == null)
                return;
            if (outlines == null)
            {
                outlines = new Outline[Level.Count];
                for (int i = 0; i < outlines.Length; i++)
                    outlines[i] = Level.Outline(i);
            }

            Gizmos.color = Color.white;
            foreach (Outline outline in outlines)
                Draw(outline.Outer, outline.Low, outline.High);
        }
#endif

        /// <summary>Draws the edges of a ring from a height to another as gizmos.</summary>
        internal static void Draw(ReadOnlySpan<Vertex> ring, long low, long high)
        {
            for (int i = 0; i < ring.Length; i++)
            {
                Vertex a = ring[i], b = ring[(i + 1) % ring.Length];
                Gizmos.DrawLine(At(a, low), At(b, low));
                Gizmos.DrawLine(At(a, high), At(b, high));
                Gizmos.DrawLine(At(a, low), At(a, high));
            }
        }

        private static Vector3 At(Vertex v, long height) =>
            new Vector3(v.X / 65536f, height / 65536f, v.Z / 65536f);
    }
}
#endif
