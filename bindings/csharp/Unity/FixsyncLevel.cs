#if UNITY_5_3_OR_NEWER
using System;
using UnityEngine;

namespace Fixsync.Unity
{
    /// <summary>The solids of a map, as `fixsync level` writes them, in a file that ends in .bytes.
    /// </summary>
    public sealed class FixsyncLevel : MonoBehaviour
    {
        [SerializeField]
        internal TextAsset solids;

        private Level level;

        /// <summary>The level, read once.</summary>
        /// <exception cref="InvalidOperationException">It has no file.</exception>
        public Level Level
        {
            get
            {
                if (solids == null)
                    throw new InvalidOperationException($"the level {name} has no file of solids");
                return level ?? (level = new Level(solids.bytes));
            }
        }

#if UNITY_EDITOR
        private void OnDrawGizmos()
        {
            Gizmos.color = Color.white;
            for (int i = 0; solids != null && i < Level.Count; i++)
                Draw(Level.Outline(i));
        }
#endif

        /// <summary>Draws the lines of an outline as gizmos.</summary>
        internal static void Draw(Outline outline)
        {
            foreach (Vertex[] ring in new[] { outline.Outer, outline.Hole })
            {
                for (int i = 0; i < ring.Length; i++)
                {
                    Vertex a = ring[i], b = ring[(i + 1) % ring.Length];
                    Gizmos.DrawLine(At(a, outline.Low), At(b, outline.Low));
                    Gizmos.DrawLine(At(a, outline.High), At(b, outline.High));
                    Gizmos.DrawLine(At(a, outline.Low), At(a, outline.High));
                }
            }
        }

        private static Vector3 At(Vertex v, long height) =>
            new Vector3(v.X / 65536f, height / 65536f, v.Z / 65536f);
    }
}
#endif
