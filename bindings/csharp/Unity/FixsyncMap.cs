#if UNITY_5_3_OR_NEWER
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
    }
}
#endif
