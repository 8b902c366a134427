#if UNITY_5_3_OR_NEWER
using System;
using UnityEngine;

namespace Fixsync.Unity
{
    /// <summary>The solids of a map: a file that `fixsync level` writes, named .fxlevel, becomes
    /// one.</summary>
    public sealed class FixsyncMap : ScriptableObject
    {
        [SerializeField, HideInInspector]
        internal byte[] bytes = new byte[0];

        private Level level;

        /// <summary>The level, read once.</summary>
        /// <exception cref="System.IO.InvalidDataException">It is not a level.</exception>
        public Level Level => level ?? (level = new Level(bytes));

        internal void Read(byte[] file)
        {
            level = new Level(file);
            bytes = file;
        }

#if UNITY_EDITOR
        private Outline[] outlines; // of the level, which never changes

        /// <summary>Draws its solids; FixsyncWorld calls it.</summary>
        internal void OnDrawGizmos()
        {
            if (bytes.Length == 0)
                return; // the import says why
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
