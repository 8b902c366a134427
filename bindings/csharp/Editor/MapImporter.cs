#if UNITY_EDITOR
using System;
using System.IO;
using Fixsync.Unity;
using UnityEditor.AssetImporters;
using UnityEngine;

namespace Fixsync.Editor
{
    /// <summary>Makes a FixsyncMap of a file of solids.</summary>
    [ScriptedImporter(1, "fxlevel")]
    public sealed class MapImporter : ScriptedImporter
    {
        /// <inheritdoc/>
        public override void OnImportAsset(AssetImportContext context)
        {
            var map = ScriptableObject.CreateInstance<FixsyncMap>();
            Import(context, map, () => map.Read(File.ReadAllBytes(context.assetPath)));
        }

        /// <summary>Adds an asset to an import, empty where its file is wrong, and says why.
        /// </summary>
        internal static void Import(
            AssetImportContext context, ScriptableObject asset, Action read)
        {
            try
            {
                read();
            }
            catch (InvalidDataException error)
            {
                context.LogImportError($"{context.assetPath}: {error.Message}");
            }

            context.AddObjectToAsset("main", asset);
            context.SetMainObject(asset);
        }
    }
}
#endif
