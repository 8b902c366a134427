#if UNITY_5_3_OR_NEWER
using System;
using System.Collections.Generic;
using Fixsync;
using Fixsync.Unity;
using UnityEngine;
#if FIXSYNC_INPUT_SYSTEM && !ENABLE_LEGACY_INPUT_MANAGER
using UnityEngine.InputSystem;
using Button = UnityEngine.InputSystem.Key;
#else
using Button = UnityEngine.KeyCode;
#endif

namespace DuelSample
{
    /// <summary>Draws a match of two peers in this process: open Duel.unity and press Play. It
    /// moves transforms, and decides nothing.</summary>
    public sealed class DuelView : MonoBehaviour
    {
        [SerializeField]
        private FixsyncMap map;

        [SerializeField]
        private FixsyncFrameData frames;

        [SerializeField]
        private Transform[] fighters;

        [SerializeField]
        private GameObject spark;

        [SerializeField]
        private MeshFilter walls;

        /// <summary>By player, in the order of Keys.</summary>
        private static readonly Button[][] Buttons =
        {
            new[] { Button.W, Button.S, Button.A, Button.D, Button.Space, Button.LeftShift },
            new[]
            {
                Button.UpArrow, Button.DownArrow, Button.LeftArrow, Button.RightArrow,
                Button.Period, Button.Slash,
            },
        };

        private static readonly Func<int, uint, Keys> Pressed = Read;
        private DuelMatch match;

        private void Start()
        {
            Time.fixedDeltaTime = 1 / 60f; // a step of the game is one of Unity
            match = new DuelMatch(map.Level, frames.FrameData, 1, Debug.isDebugBuild ? 8 : 0);
            Rollback peer = match.Peers[0];
            peer.Predicted += row => spark.SetActive(row.Kind != EventKind.Exit);
            peer.TakenBack += row => spark.SetActive(false);
            peer.Confirmed += (frame, inputs) =>
            {
                foreach (Fixsync.Event row in frame.Events)
                    if (row.IsOfGame)
                        Debug.Log($"frame {frame.Frame}: player {row.B + 1} falls");
            };
            DrawWalls();
        }

        private void DrawWalls()
        {
            var ends = new List<Vector3>();
            for (int i = 0; i < map.Level.Count; i++)
            {
                Vertex[] ring = map.Level.Outline(i).Outer;
                for (int k = 0; k < ring.Length; k++)
                {
                    ends.Add(At(ring[k]));
                    ends.Add(At(ring[(k + 1) % ring.Length]));
                }
            }

            var order = new int[ends.Count];
            for (int i = 0; i < order.Length; i++)
                order[i] = i;
            walls.mesh.SetVertices(ends);
            walls.mesh.SetIndices(order, MeshTopology.Lines, 0);
        }

        private static Vector3 At(Vertex v) => new Vector3(v.X / 65536f, 0, v.Z / 65536f);

        private void FixedUpdate() => match.Tick(Pressed);

        private static Keys Read(int player, uint frame)
        {
            int keys = 0;
            for (int i = 0; i < Buttons[player].Length; i++)
                keys |= IsDown(Buttons[player][i]) ? 1 << i : 0;
            return (Keys)keys;
        }

#if FIXSYNC_INPUT_SYSTEM && !ENABLE_LEGACY_INPUT_MANAGER
        private static bool IsDown(Button button) =>
            Keyboard.current != null && Keyboard.current[button].isPressed;
#else
        private static bool IsDown(Button button) => Input.GetKey(button);
#endif

        private void Update()
        {
            for (int i = 0; i < fighters.Length; i++)
            {
                Fixsync.Pose pose = match.Games[0].PoseOf(i);
                fighters[i].SetPositionAndRotation(
                    pose.Position.ToUnity(), Coordinates.ToUnity(pose.Yaw));
            }
        }

        private void OnDestroy() => match?.Dispose();
    }
}
#endif
