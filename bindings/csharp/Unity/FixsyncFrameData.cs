#if UNITY_5_3_OR_NEWER
using UnityEngine;

namespace Fixsync.Unity
{
    /// <summary>Parts and attacks: a JSON file of frame data, named .fxframes, becomes one.
    /// </summary>
    public sealed class FixsyncFrameData : ScriptableObject
    {
        [SerializeField, HideInInspector]
        internal string json = "";

        private FrameData data;

        /// <summary>The frame data, read once.</summary>
        /// <exception cref="System.IO.InvalidDataException">It is not frame data.</exception>
        public FrameData FrameData => data ?? (data = FrameData.FromJson(json));

        internal void Read(string file)
        {
            data = FrameData.FromJson(file);
            json = file;
        }
    }
}
#endif
