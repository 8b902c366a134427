#if UNITY_EDITOR && !UNITY_INCLUDE_TESTS
using System;
using System.Collections.Generic;
using System.Linq;
using Fixsync.Editor;
using Fixsync.Unity;
using NUnit.Framework;
using UnityEditor;
using UnityEngine;

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
            Refused(scene, "c1 has no id");
            two.id = FixsyncWorld.FreeId(new[] { one, two });
            Assert.AreEqual(2, two.id);
            two.radius = 0;
            Refused(scene, "c1: radius must be 1..536870911, not 0");
            two.radius = 1;
            two.layer = "boddy";
            Refused(scene, "c1: no layer \"boddy\": they are body, attack");
            two.layer = "body";
            scene.pairs = new[] { "body" };
            Refused(scene, "pairs of the world w must be two layers each, not \"body\"");
            scene.pairs = new string[0];
            two.transform.position.x = 6;
            scene.Begin();
            Assert.IsTrue(Debug.Warned.StartsWith("c1 begins at (327680, 0, 0)"), Debug.Warned);
            Refused(scene, "the world w has begun");
            scene.World.Dispose();
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

        private static void Refused(FixsyncWorld scene, string message) => Assert.AreEqual(
            message,
            Assert.Throws<InvalidOperationException>(scene.Begin).Message.Split('\n')[0].Trim());

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
