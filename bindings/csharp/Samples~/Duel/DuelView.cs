#if UNITY_5_3_OR_NEWER
using Fixsync;
using UnityEngine;
#if FIXSYNC_INPUT_SYSTEM && !ENABLE_LEGACY_INPUT_MANAGER
using UnityEngine.InputSystem;
using UnityEngine.InputSystem.Controls;
#endif

namespace DuelSample
{
    /// <summary>Draws a match of two peers in this process. It moves transforms, and decides
    /// nothing.</summary>
    public sealed class DuelView : MonoBehaviour
    {
        [SerializeField]
        private TextAsset level; // arena.fxlevel.bytes

        [SerializeField]
        private TextAsset frames; // fighter.table.bytes

        [SerializeField]
        private Transform[] models;

        [SerializeField]
        private ParticleSystem spark;

        private DuelMatch match;

        private void Start()
        {
            match = new DuelMatch(level.bytes, frames.bytes, 1);
            DuelPeer peer = match.Peers[0];
            peer.Predicted += row => spark.Play();
            peer.TakenBack += row => spark.Stop();
            peer.Certain += (frame, row) =>
            {
                if (row.IsOfGame)
                    Debug.Log($"player {row.B + 1} fell {row.Value} times");
            };
        }

        /// <summary>Set Time.fixedDeltaTime to 1/60: a step of the game is one of Unity.</summary>
        private void FixedUpdate()
        {
            match.Tick(Read);
            foreach (DuelPeer peer in match.Peers)
                peer.Log.TakeText(); // append it to a file
        }

        // Integers leave it. With the new Input System alone: WASD, space and left shift, and arrows,
        // right control and right shift.
#if FIXSYNC_INPUT_SYSTEM && !ENABLE_LEGACY_INPUT_MANAGER
        private static Keys Read(int player, uint frame)
        {
            Keyboard of = Keyboard.current;
            if (of == null)
                return Keys.None;
            return player == 0
                ? Read(of.dKey, of.aKey, of.wKey, of.sKey, of.spaceKey, of.leftShiftKey)
                : Read(
                    of.rightArrowKey, of.leftArrowKey, of.upArrowKey, of.downArrowKey,
                    of.rightCtrlKey, of.rightShiftKey);
        }

        private static Keys Read(params KeyControl[] keys)
        {
            Keys all = Keys.None;
            var order = new[]
            {
                Keys.Right, Keys.Left, Keys.Up, Keys.Down, Keys.Slash, Keys.Dash,
            };
            for (int i = 0; i < order.Length; i++)
                all |= keys[i].isPressed ? order[i] : Keys.None;
            return all;
        }
#else
        private static Keys Read(int player, uint frame)
        {
            float x = Input.GetAxisRaw(player == 0 ? "Horizontal" : "Horizontal2");
            float z = Input.GetAxisRaw(player == 0 ? "Vertical" : "Vertical2");
            Keys keys = x > 0.5f ? Keys.Right : x < -0.5f ? Keys.Left : Keys.None;
            keys |= z > 0.5f ? Keys.Up : z < -0.5f ? Keys.Down : Keys.None;
            keys |= Input.GetButton(player == 0 ? "Fire1" : "Fire2") ? Keys.Slash : Keys.None;
            keys |= Input.GetButton(player == 0 ? "Jump" : "Fire3") ? Keys.Dash : Keys.None;
            return keys;
        }
#endif

        private void Update()
        {
            for (int i = 0; i < models.Length; i++)
            {
                Fixsync.Pose pose = match.Peers[0].Game.PoseOf(i);
                models[i].SetPositionAndRotation(
                    pose.Position.ToUnity(), Coordinates.ToUnity(pose.Yaw));
            }
        }

        private void OnDestroy() => match.Dispose();
    }
}
#endif
