#if UNITY_5_3_OR_NEWER
using System;
using System.Collections.Generic;
using UnityEngine;

namespace Fixsync.Unity
{
    /// <summary>A world of the colliders below it in the scene. `Begin` adds them in order of their
    /// ids, whatever the order of the scene; `Step` steps it, raises its events, and moves the
    /// transforms. A rollback game steps `World` itself, and raises the events that are certain with
    /// `Raise`.</summary>
    public sealed class FixsyncWorld : MonoBehaviour
    {
        [SerializeField, Tooltip("Ids are below it.")]
        internal int capacity = 256;

        [SerializeField]
        internal string[] layers = { "body", "attack" };

        [SerializeField, Tooltip("Layers that meet, such as \"body attack\".")]
        internal string[] pairs = { "body attack" };

        [SerializeField]
        internal Contact hitWhen = Contact.Touching;

        [SerializeField]
        internal FixsyncLevel level;

        private readonly Rows<Event> events = new Rows<Event>();
        private readonly SortedDictionary<uint, FixsyncCollider> colliders =
            new SortedDictionary<uint, FixsyncCollider>();

        /// <summary>The world; null before Begin.</summary>
        public World World { get; private set; }

        /// <summary>Its layers by name; null before Begin.</summary>
        public Layers Layers { get; private set; }

        /// <summary>Of each event in order: its two colliders, null for a solid of the level or a
        /// collider without a component, and the event.</summary>
        public event Action<FixsyncCollider, FixsyncCollider, Event> Changed;

        /// <summary>The component of a collider; null if none has this id.</summary>
        public FixsyncCollider Find(uint id) =>
            colliders.TryGetValue(id, out FixsyncCollider found) ? found : null;

        /// <summary>Makes the world, with all colliders below it in the scene.</summary>
        /// <exception cref="InvalidOperationException">It has begun, a collider has no id, or two
        /// have one.</exception>
        public void Begin()
        {
            if (World != null)
                throw new InvalidOperationException($"the world {name} has begun");
            var names = new Layers(layers);
            foreach (string pair in pairs)
            {
                string[] two = pair.Split(' ');
                if (two.Length != 2)
                    throw new InvalidOperationException(
                        $"pairs of the world {name} must be two layers each, not \"{pair}\"");
                names.Meet(two[0], two[1]);
            }

            var world = new World(
                checked((uint)capacity), names, hitWhen, level: level == null ? null : level.Level);
            var found = new SortedDictionary<uint, FixsyncCollider>();
            foreach (FixsyncCollider collider in GetComponentsInChildren<FixsyncCollider>(true))
            {
                if (collider.id <= 0)
                    throw new InvalidOperationException($"{collider.name} has no id");
                if (found.TryGetValue(collider.Id, out FixsyncCollider other))
                    throw new InvalidOperationException(
                        $"{other.name} and {collider.name} have the id {collider.id}");
                found.Add(collider.Id, collider);
            }

            foreach (FixsyncCollider collider in found.Values)
                Put(world, names, collider);
            World = world;
            Layers = names;
            foreach (FixsyncCollider collider in found.Values)
                Keep(collider);
        }

        /// <summary>Adds a collider that was made in play, such as a shot. All peers must do so in
        /// the same frame, with the same id.</summary>
        public void Add(FixsyncCollider collider)
        {
            Put(World, Layers, collider);
            Keep(collider);
        }

        /// <summary>Removes a collider; the component may then be destroyed.</summary>
        public void Remove(FixsyncCollider collider)
        {
            World.Remove(collider.Id);
            colliders.Remove(collider.Id);
            collider.World = null;
        }

        /// <summary>Steps the world, raises all events, and shows the colliders.</summary>
        public void Step()
        {
            World.Step(events);
            Raise(events.Span);
            Show();
        }

        /// <summary>Raises Changed for each event, in order.</summary>
        public void Raise(ReadOnlySpan<Event> rows)
        {
            foreach (Event row in rows)
                Changed?.Invoke(Find(row.A), Find(row.B), row);
        }

        /// <summary>Moves the transforms to where the world has the colliders.</summary>
        public void Show()
        {
            foreach (FixsyncCollider collider in colliders.Values)
                collider.Show(World[collider.Id].Pose);
        }

        /// <summary>The least id above 0 that none of these has.</summary>
        public static int FreeId(IEnumerable<FixsyncCollider> colliders)
        {
            var taken = new HashSet<int>();
            foreach (FixsyncCollider collider in colliders)
                taken.Add(collider.id);
            int id = 1;
            while (taken.Contains(id))
                id++;
            return id;
        }

        private static void Put(World world, Layers names, FixsyncCollider collider)
        {
#if UNITY_EDITOR
            if (!collider.IsInPlace())
                Debug.LogWarning(
                    $"{collider.name} begins at {collider.StartPose}, and its transform is elsewhere");
#endif
            try
            {
                world.Add(new Collider(
                    collider.Id, collider.Shape, collider.StartPose, layer: names[collider.layer],
                    owner: checked((uint)collider.owner), active: collider.startsActive));
            }
            catch (Exception error)
            {
                throw new InvalidOperationException($"{collider.name}: {error.Message}", error);
            }
        }

        private void Keep(FixsyncCollider collider)
        {
            colliders.Add(collider.Id, collider);
            collider.World = this;
        }

        private void OnDestroy() => World?.Dispose();
    }
}
#endif
