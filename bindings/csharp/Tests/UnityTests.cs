#if UNITY_EDITOR && !UNITY_INCLUDE_TESTS
using System;
using System.Collections.Generic;
using System.Linq;
using Fixsync.Editor;
using Fixsync.Unity;
using NUnit.Framework;
using UnityEditor;
using UnityEngine;
using Pose = Fixsync.Pose;

namespace Fixsync.Tests
{
    /// <summary>Unity's components, with stand-ins of its types.</summary>
    public class UnityTests
    {
        private static FixsyncCollider Put(
            FixsyncWorld world, int id, float x, string layer = "body", FixsyncCollider made = null)
        {
            FixsyncCollider collider = made ?? new FixsyncCollider();
            collider.id = id;
            collider.name = $"c{id}";
            collider.layer = layer;
            collider.transform.SetParent(world.transform);
            collider.transform.SetPositionAndRotation(
                new Vector3(x, 0, 0), Coordinates.ToUnity(0));
            collider.TakePlace();
            return collider;
        }

        [Test]
        public void AStepRaisesEventsInOrderAndMovesTheTransforms()
        {
            var scene = new FixsyncWorld();
            FixsyncCollider sword = Put(scene, 7, 0.5f, "attack"), body = Put(scene, 2, 0);
            var seen = new List<string>();
            scene.Changed += (a, b, row) => seen.Add($"{a.name} {b.name} {row.Kind}");
            Debug.Warned = "";
            scene.Begin();
            scene.Step();
            Assert.AreEqual(new[] { "c2 c7 Enter" }, seen);
            Assert.AreEqual("", Debug.Warned);
            scene.World.Move(7, Fix.Units(9, 0, 1));
            scene.Step();
            Assert.AreEqual(new[] { "c2 c7 Enter", "c2 c7 Exit" }, seen);
            Assert.AreEqual(9f, sword.transform.position.x);
            Assert.AreEqual(body, scene.Find(2));
            scene.Remove(sword);
            scene.Show();
            Assert.IsTrue(!sword.gameObject.activeSelf && !sword.IsInWorld, "it is hidden");
            scene.Forget(sword);
            Assert.AreEqual(null, scene.Find(7));
            scene.World.Dispose();
        }

        [Test]
        public void TheWorldIsTheSameWhateverTheOrderOfTheScene()
        {
            var hashes = new List<ulong>();
            foreach (int[] order in new[] { new[] { 1, 2, 3 }, new[] { 3, 1, 2 } })
            {
                var scene = new FixsyncWorld();
                foreach (int id in order)
                    Put(scene, id, id / 3f);
                scene.Begin();
                hashes.Add(scene.World.Hash());
                scene.World.Dispose();
            }

            Assert.AreEqual(hashes[0], hashes[1]);
        }

        [Test]
        public void APlaceIsTakenToTheNearestNumber()
        {
            FixsyncCollider collider = Put(new FixsyncWorld(), 1, 0.1f);
            Assert.AreEqual(new Vec3(6554, 0, 0), collider.StartPose.Position);
            collider.transform.rotation = Quaternion.Euler(0, 30, 0);
            collider.TakePlace();
            Assert.AreEqual(Fix.Degrees(60), collider.StartPose.Yaw, "a model that faces +Z:");
        }

        [Test]
        public void WhatIsWrongInTheSceneIsNamed()
        {
            var scene = new FixsyncWorld { name = "w" };
            FixsyncCollider one = Put(scene, 1, 0), two = Put(scene, 1, 5);
            Refused(scene, "c1 and c1 have the id 1");
            two.id = 0;
            Refused(scene, "c1 has no id: it must be 1..255, not 0");
            two.id = FixsyncWorld.FreeId(new[] { one, two });
            Assert.AreEqual(2, two.id);
            two.radius = 0;
            Refused(scene, "c1: radius must be 1..536870911, not 0");
            two.radius = 1;
            two.owner = -1;
            Refused(scene, "c1: owner must be 0..2147483647, not -1");
            two.owner = 0;
            two.layer = "boddy";
            Refused(scene, "c1: no layer \"boddy\": they are body, attack");
            two.layer = "body";
            scene.pairs = new[] { "body" };
            Refused(scene, "pairs of the world w must be two layers each, not \"body\"");
            scene.pairs = new[] { "body boddy" };
            Refused(scene, "pairs of the world w: no layer \"boddy\": they are body, attack");
            scene.pairs = new string[0];
            scene.layers = new[] { "body", "body" };
            Refused(scene, "layers of the world w: name of layer 1 must be a new one, not \"body\"");
            scene.layers = new[] { "body", "attack" };
            scene.capacity = -1;
            Refused(scene, "capacity of the world w: capacity must be 1..2147483648, not -1");
            scene.capacity = 2;
            Refused(scene, "c1: id must be 0..1, not 2");
            scene.capacity = 256;
            scene.map = new FixsyncMap { bytes = new byte[3] };
            Refused(scene, "map of the world w: data is not a level: byte 0");
            scene.map = null;
            two.transform.position.x = 6;
            scene.Begin();
            Assert.IsTrue(Debug.Warned.StartsWith("c1 begins at (327680, 0, 0)"), Debug.Warned);
            Refused(scene, "the world w has begun");
            scene.World.Dispose();
            Refused(scene.Step, "the world w was disposed of before Step");
            Refused(() => scene.Add(one), "the world w was disposed of before Add");
            Assert.IsTrue(!one.IsInWorld);
            one.OnDrawGizmos(); // nothing
        }

        [Test]
        public void ACallThatIsTooEarlyOrForTheWrongComponentIsNamed()
        {
            var scene = new FixsyncWorld { name = "w" };
            var walker = (FixsyncCharacter)Put(scene, 1, 0, made: new FixsyncCharacter());
            Refused(scene.Step, "the world w has not begun: call Begin before Step");
            Refused(scene.Show, "the world w has not begun: call Begin before Show");
            Refused(() => scene.Add(walker), "the world w has not begun: call Begin before Add");
            Refused(() => scene.Remove(walker), "the world w has not begun: call Begin before Remove");
            Refused(
                () => walker.Move(Vec3.Zero),
                "c1 is in no world: begin the FixsyncWorld above it, or Add it there");
            scene.Begin();
            FixsyncCollider stranger = Put(new FixsyncWorld(), 1, 0);
            Refused(() => scene.Remove(stranger), "c1 is not in the world w: its id 1 is another's");
            Refused(
                () => scene.Add(stranger),
                "c1: id 1 is taken: remove it first, or choose another of 0..255");
            Assert.AreEqual(walker, scene.Find(1));
            stranger.id = -3;
            Refused(() => scene.Add(stranger), "c1: id of c1 must be 0 or more, not -3");
            var other = new FixsyncWorld { name = "v" };
            other.Begin();
            Refused(() => other.Add(walker), "c1 is in the world w: remove it there first");
            walker.blockedBy = new[] { "wall" };
            Refused(() => walker.Move(Vec3.Zero), "c1: no layer \"wall\": they are body, attack");
            walker.blockedBy = new string[0];
            scene.Remove(walker);
            Refused(
                () => walker.Move(Vec3.Zero),
                "c1 cannot move: the world w does not have its id 1 now");
            other.Add(walker);
            Assert.IsTrue(walker.World == other && scene.Find(1) == null);
            scene.World.Dispose();
            other.World.Dispose();
        }

        [Test]
        public void ComponentsFollowTheWorldThroughSpawnsAndRemovalsThatAreRolledBack()
        {
            var scene = new FixsyncWorld();
            FixsyncCollider body = Put(scene, 1, 0);
            scene.Begin();
            byte[] before = scene.World.Save();

            // A spawn is rolled back, and stepped again, with the same object and with another.
            FixsyncCollider shot = Put(new FixsyncWorld(), 9, 5);
            scene.Add(shot);
            scene.Step();
            byte[] with = scene.World.Save();
            scene.World.Load(before);
            scene.Show();
            Assert.IsTrue(!shot.gameObject.activeSelf && !shot.IsInWorld && shot.World == scene);
            Gizmos.Lines = 0;
            shot.OnDrawGizmos();
            Assert.AreEqual(0, Gizmos.Lines);
            scene.Add(shot);
            scene.Show();
            Assert.IsTrue(shot.gameObject.activeSelf && scene.Find(9) == shot);
            scene.World.Load(before);
            FixsyncCollider another = Put(new FixsyncWorld(), 9, 6);
            scene.Add(another);
            scene.Show();
            Assert.IsTrue(scene.Find(9) == another && shot.World == null);
            Assert.AreEqual(6f, another.transform.position.x);

            // A removal is rolled back.
            scene.Remove(body);
            scene.Show();
            Assert.IsTrue(!body.gameObject.activeSelf);
            scene.World.Load(with);
            scene.Show();
            Assert.IsTrue(body.gameObject.activeSelf && body.IsInWorld && scene.Find(1) == body);

            // One that Unity destroyed is given up, and its collider is without a component.
            UnityEngine.Object.Destroy(another);
            Assert.AreEqual(null, scene.Find(9));
            scene.Show();
            scene.World.Remove(9);
            scene.Add(shot);
            scene.Step();
            Assert.AreEqual(shot, scene.Find(9));
            scene.World.Dispose();
        }

        /// <summary>A game whose world is a scene's: a key shoots, and a shot that hits is gone.
        /// </summary>
        private sealed class Shooter : IGame
        {
            private readonly FixsyncWorld scene;
            private readonly FixsyncCollider shot;
            private int health = 9;

            internal Shooter(FixsyncWorld scene, FixsyncCollider shot)
            {
                this.scene = scene;
                this.shot = shot;
            }

            public World World => scene.World;

            public void State(OwnState own) => own.Field("health", ref health);

            public void Play(ReadOnlySpan<long> inputs, PlayedFrame frame)
            {
                if (!World.Contains(9) && inputs[0] > 0)
                    scene.Add(shot);
                else if (World.Contains(9))
                    World.Move(9, World[9].Position - Fix.Units(1, 0, 0));
                World.Step(frame.Events);
                frame.Hash = World.Hash();
                foreach (Event row in frame.Events)
                {
                    if (row.Kind != EventKind.Enter)
                        continue;
                    health--;
                    scene.Remove(shot);
                    frame.Reactions++;
                    frame.Commands.Add(Command.Remove(9));
                    break;
                }

                frame.Shown = (ulong)health;
            }
        }

        [Test]
        public void ASceneIsTheWorldOfARollbackGameThatShoots()
        {
            var scene = new FixsyncWorld();
            Put(scene, 1, 0);
            scene.Begin();
            FixsyncCollider shot = Put(new FixsyncWorld(), 9, 5, "attack");
            int hits = 0, seen = 0;
            scene.Changed += (a, b, row) => hits += a != null && row.Kind == EventKind.Enter ? 1 : 0;
            using (var peer = new Rollback(new Shooter(scene, shot), new byte[2], check: 8))
            {
                peer.Confirmed += (frame, inputs) => scene.Raise(frame.Events.Span);
                for (int tick = 0; tick < 200; tick++)
                {
                    peer.Tick(new long[] { tick / 9 % 2, 0 });
                    scene.Show();
                    if (shot.World == null)
                        continue; // it was never shot
                    Assert.AreEqual(scene.World.Contains(9), shot.gameObject.activeSelf);
                    seen += shot.gameObject.activeSelf ? 1 : 0;
                }

                Assert.IsTrue(hits > 5 && seen > 20, $"{hits} hits, seen {seen} times");
            }

            scene.World.Dispose();
        }

        [Test]
        public void AStepAndAGizmoAllocateNothing()
        {
            var scene = new FixsyncWorld();
            var colliders = new List<FixsyncCollider>();
            for (int id = 1; id <= 50; id++)
                colliders.Add(Put(scene, id, id / 4f, id % 2 == 0 ? "body" : "attack"));
            var walker = (FixsyncCharacter)Put(scene, 51, 40, made: new FixsyncCharacter());
            colliders[3].kind = ShapeKind.Sector;
            colliders[3].innerRadius = 9;
            FixsyncCollider alone = Put(new FixsyncWorld(), 1, 0);
            int events = 0;
            scene.Changed += (a, b, row) => events += a.id + b.id;
            scene.Begin();
            Action frame = () =>
            {
                walker.Move(Vec3.Zero);
                scene.Step();
                colliders[3].OnDrawGizmos();
                alone.OnDrawGizmos();
            };
            long least = long.MaxValue;
            for (int round = 0; round < 3; round++) // in the first lists grow
            {
                long before = GC.GetAllocatedBytesForCurrentThread();
                for (int i = 0; i < 100; i++)
                    frame();
                least = Math.Min(least, GC.GetAllocatedBytesForCurrentThread() - before);
            }

            Assert.AreEqual(0L, least);
            Assert.IsTrue(events > 0);
            scene.World.Dispose();
        }

        // docs.unity3d.com/ScriptReference: EditorGUI.BeginProperty, EditorGUI.showMixedValue,
        // PrefabUtility.RecordPrefabInstancePropertyModifications, Transform-hasChanged,
        // SceneManagement.EditorSceneManager-sceneSaving, EditorApplication-playModeStateChanged.
        [Test]
        public void TheEditorRecordsOverridesAndTakesThePlacesThatAParentMoved()
        {
            FixsyncCollider collider = Put(new FixsyncWorld(), 1, 0);
            collider.transform.name = "transform";
            collider.gameObject.Of = collider;
            UnityEngine.SceneManagement.Scene.Roots = new[] { collider.gameObject };
            System.Runtime.CompilerServices.RuntimeHelpers.RunClassConstructor(
                typeof(Places).TypeHandle);
            Undo.Recorded = PrefabUtility.Recorded = "";
            collider.transform.position.x = 3; // a parent moved it
            UnityEditor.SceneManagement.EditorSceneManager.Save();
            Assert.AreEqual(Fix.Units(3, 0, 0), collider.StartPose.Position);
            Assert.AreEqual("c1 c1", $"{Undo.Recorded} {PrefabUtility.Recorded}");
            collider.transform.position.x = 4;
            EditorApplication.Play();
            Assert.AreEqual(Fix.Units(4, 0, 0), collider.StartPose.Position);
            collider.transform.position.x = 1e9f;
            Debug.Warned = "";
            EditorApplication.Play();
            EditorApplication.Play();
            Assert.IsTrue(Debug.Warned.StartsWith("the place of c1: units must be"), Debug.Warned);
            Assert.AreEqual(Fix.Units(4, 0, 0), collider.StartPose.Position);
            EditorGUILayout.Helped = "";
            var editor = new ColliderEditor { target = collider };
            editor.OnInspectorGUI();
            Assert.IsTrue(EditorGUILayout.Helped.StartsWith("the place of c1"), "it is shown");
            PrefabUtility.Recorded = "";
            editor.Typed = () => collider.x = 9; // a number that no float needs to have
            editor.OnInspectorGUI();
            Assert.AreEqual("transform", PrefabUtility.Recorded);
            Assert.IsTrue(collider.IsInPlace() && collider.x == 9);
            collider.x = int.MaxValue - 1; // a float is coarser
            collider.Show(collider.StartPose);
            UnityEditor.SceneManagement.EditorSceneManager.Save();
            Assert.AreEqual(int.MaxValue - 1, collider.x);
            UnityEngine.SceneManagement.Scene.Roots = new GameObject[0];
        }

        // docs.unity3d.com/ScriptReference: AssetImporters.ScriptedImporter,
        // AssetImporters.AssetImportContext.AddObjectToAsset, .SetMainObject, .LogImportError.
        [Test]
        public void MapsAndFrameDataAreImportedAndABadFileIsNamed()
        {
            string path = System.IO.Path.Combine(Trace.Folder, "imported");
            var solid = Solid.Pillar(5, 5, 2, 0, 9);
            System.IO.File.WriteAllBytes(path, Level.BytesOf(new[] { solid }));
            var context = new UnityEditor.AssetImporters.AssetImportContext { assetPath = path };
            new MapImporter().OnImportAsset(context);
            var map = (FixsyncMap)context.Main;
            Assert.IsTrue(map.Level.Count == 1 && map.Level == map.Level);
            Assert.IsTrue(context.Identifier == "main" && context.Logged == null);
            new FrameDataImporter().OnImportAsset(context);
            Assert.IsTrue(context.Logged.StartsWith($"{path}: "), context.Logged);
            System.IO.File.WriteAllText(path, "{\"parts\":{\"fist\":{\"shape\":[\"sphere\",1]}}}");
            context.Logged = null;
            new FrameDataImporter().OnImportAsset(context);
            Assert.AreEqual("fist", ((FixsyncFrameData)context.Main).FrameData.PartName(0));
            Assert.AreEqual(null, context.Logged);
            new MapImporter().OnImportAsset(context);
            Assert.AreEqual($"{path}: data is not a level: byte 0", context.Logged);
            Gizmos.Lines = 0;
            ((FixsyncMap)context.Main).OnDrawGizmos(); // nothing
            Assert.AreEqual(0, Gizmos.Lines);
            map.OnDrawGizmos();
            Assert.IsTrue(Gizmos.Lines > 9);
        }

        [Test]
        public void ADrawerChangesOnlyWhatTheUserTyped()
        {
            var number = new SerializedProperty { intValue = 7, hasMultipleDifferentValues = true };
            EditorGUI.Typed = null;
            EditorGUI.Begun = 0;
            new FixedDrawer().OnGUI(default(Rect), number, new GUIContent());
            Assert.IsTrue(EditorGUI.wasMixed && !EditorGUI.showMixedValue && number.intValue == 7);
            EditorGUI.Typed = "30°";
            new YawDrawer().OnGUI(default(Rect), number, new GUIContent());
            Assert.AreEqual(Fix.Degrees(30), number.intValue);
            Assert.IsTrue(EditorGUI.Begun == 2 && EditorGUI.Open == 0);
            FixedPose pose = new Pose(new Vec3(1, 2, 3), 4);
            Assert.AreEqual(new Pose(new Vec3(1, 2, 3), 4), (Pose)pose);
        }

        [Test]
        public void AColliderWithABadSizeIsNotDrawnAndTheInspectorSaysWhy()
        {
            FixsyncCollider collider = Put(new FixsyncWorld(), 1, 0);
            Gizmos.Lines = 0;
            collider.OnDrawGizmos();
            Assert.IsTrue(Gizmos.Lines > 0, "it is drawn");
            EditorGUILayout.Helped = "";
            new ColliderEditor { target = collider }.OnInspectorGUI();
            Assert.AreEqual("", EditorGUILayout.Helped);
            collider.radius = 0;
            Gizmos.Lines = 0;
            collider.OnDrawGizmos();
            Assert.AreEqual(0, Gizmos.Lines);
            new ColliderEditor { target = collider }.OnInspectorGUI();
            Assert.AreEqual("radius must be 1..536870911, not 0", EditorGUILayout.Helped);
        }

        private static void Refused(FixsyncWorld scene, string message) =>
            Refused(scene.Begin, message);

        private static void Refused(Action call, string message) => Assert.AreEqual(
            message, Assert.Throws<InvalidOperationException>(call).Message.Split('\n')[0].Trim());

        [Test]
        public void ACharacterWalksAndEachKindHasItsShape()
        {
            var scene = new FixsyncWorld { pairs = new[] { "body body" } };
            var walker = (FixsyncCharacter)Put(scene, 1, 0, made: new FixsyncCharacter());
            walker.kind = ShapeKind.Capsule;
            Put(scene, 2, 4).kind = ShapeKind.Box;
            scene.Begin();
            MoverResult result = walker.Move(Fix.Units(9, 0, 0));
            int gap = Fix.Units(2) - result.Position.X;
            Assert.IsTrue(gap > 0 && gap < 8, $"a gap of {gap}");
            Assert.AreEqual(2u, walker.Hits[0].Id);
            foreach (ShapeKind kind in Enum.GetValues(typeof(ShapeKind)))
                Assert.AreEqual(kind, new FixsyncCollider { kind = kind }.Shape.Kind);
            scene.World.Dispose();
        }

        [Test]
        public void TheInspectorReadsExactNumbers()
        {
            var label = new GUIContent();
            var number = new SerializedProperty { intValue = 65536 };
            foreach (var row in new Dictionary<string, int> { ["1.5"] = 98304, ["0.1"] = 98304 })
            {
                EditorGUI.Typed = row.Key;
                new FixedDrawer().OnGUI(default(Rect), number, label);
                Assert.AreEqual(row.Value, number.intValue);
            }

            Assert.IsTrue(Debug.Warned.Contains("multiple of 1/65536, not \"0.1\""), Debug.Warned);
            foreach (var row in new Dictionary<string, int> { ["60°"] = 10923, ["-90°"] = 49152 })
                Assert.IsTrue(YawDrawer.TryRead(row.Key, out int yaw) && yaw == row.Value, row.Key);
            foreach (string text in new[] { "65536", "-1", "x", "", "60°°", " 7" })
                Assert.IsTrue(!YawDrawer.TryRead(text, out _), text);
        }
    }
}
#endif
