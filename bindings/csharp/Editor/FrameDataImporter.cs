#if UNITY_EDITOR
using System.IO;
using Fixsync.Unity;
using UnityEditor.AssetImporters;
using UnityEngine;

namespace Fixsync.Editor
{
    /// <summary>Makes a FixsyncFrameData of a JSON file.</summary>
    [ScriptedImporter(1, "fxframes")]
    public sealed class FrameDataImporter : ScriptedImporter
    {
        /// <inheritdoc/>
        public override void OnImportAsset(AssetImportContext context)
        {
            var data = ScriptableObject.CreateInstance<FixsyncFrameData>();
            MapImporter.Import(
                context, data, () => data.Read(File.ReadAllText(context.assetPath)));
        }
    }
}
#endif
