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

        private DuelPeer[] peers;
        private LossyLine[] lines;
        private uint now;

        private void Start()
        {
            peers = new[] { Made(), Made() };
            lines = new[] { new LossyLine(1), new LossyLine(2) };
            peers[0].Predicted += row => spark.Play();
            peers[0].TakenBack += row => spark.Stop();
            peers[0].Certain += (frame, row) =>
            {
                if (row.IsOfGame)
                    Debug.Log($"player {row.B + 1} fell {row.Value} times");
            };
        }

        private DuelPeer Made() => new DuelPeer(new DuelGame(level.bytes, frames.bytes));

        /// <summary>Set Time.fixedDeltaTime to 1/60: a step of the game is one of Unity.</summary>
        private void FixedUpdate()
        {
            for (int i = 0; i < 2; i++)
            {
                DuelPeer peer = peers[i];
                uint end = lines[1 - i].Receive(now), next = peer.Head;
                for (uint f = peer.Confirmed; f < end; f++)
                    peer.Put(1 - i, f, pressed[1 - i, f % History]);
                if (!peer.CanStep)
                    continue;
                pressed[i, next % History] = Read(i);
                peer.Put(i, next, pressed[i, next % History]);
                peer.StepTo(next);
                lines[i].Send(now, next + 1);
                peer.Log.TakeText(); // append it to a file
            }

            now++;
        }

        private const int History = 64; // more than the frames in flight
        private readonly long[,] pressed = new long[2, History];

        private static long Read(int player)
        {
            float x = Input.GetAxisRaw(player == 0 ? "Horizontal" : "Horizontal2");
            float z = Input.GetAxisRaw(player == 0 ? "Vertical" : "Vertical2");
            Keys keys = x > 0.5f ? Keys.Right : x < -0.5f ? Keys.Left : Keys.None;
            keys |= z > 0.5f ? Keys.Up : z < -0.5f ? Keys.Down : Keys.None;
            keys |= Input.GetButton(player == 0 ? "Fire1" : "Fire2") ? Keys.Slash : Keys.None;
            keys |= Input.GetButton(player == 0 ? "Jump" : "Fire3") ? Keys.Dash : Keys.None;
            return (long)keys; // an integer from here on
        }

        private void Update()
        {
            for (int i = 0; i < models.Length; i++)
            {
                Fixsync.Pose pose = peers[0].Game.PoseOf(i);
                models[i].SetPositionAndRotation(
                    pose.Position.ToUnity(), Coordinates.ToUnity(pose.Yaw));
            }
        }

        private void OnDestroy()
        {
            foreach (DuelPeer peer in peers)
                peer.Dispose();
        }
    }
}
#endif
