#if UNITY_5_3_OR_NEWER
using Fixsync;
using UnityEngine;

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

        private static Keys Read(int player, uint frame)
        {
            float x = Input.GetAxisRaw(player == 0 ? "Horizontal" : "Horizontal2");
            float z = Input.GetAxisRaw(player == 0 ? "Vertical" : "Vertical2");
            Keys keys = x > 0.5f ? Keys.Right : x < -0.5f ? Keys.Left : Keys.None;
            keys |= z > 0.5f ? Keys.Up : z < -0.5f ? Keys.Down : Keys.None;
            keys |= Input.GetButton(player == 0 ? "Fire1" : "Fire2") ? Keys.Slash : Keys.None;
            keys |= Input.GetButton(player == 0 ? "Jump" : "Fire3") ? Keys.Dash : Keys.None;
            return keys; // integers from here on
        }

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
