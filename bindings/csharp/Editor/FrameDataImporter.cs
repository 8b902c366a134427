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
            data.json = File.ReadAllText(context.assetPath);
            MapImporter.Import(context, data, () => data.FrameData.Parts);
        }
    }
}
#endif
