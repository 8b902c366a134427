#if UNITY_5_3_OR_NEWER
using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using UnityEngine;

[assembly: InternalsVisibleTo("Fixsync.Editor")]

namespace Fixsync.Unity
{
    /// <summary>A world of the colliders below it in the scene. `Begin` adds them in order of their
    /// ids, whatever the order of the scene; `Step` steps it, raises its events, and shows the
    /// colliders. A rollback game steps `World` itself, and raises the events that are certain with
    /// `Raise`.
    ///
    /// Components follow the world's state, whatever loaded or stepped it: `Show` moves each to
    /// where its collider is, and makes the objects inactive whose collider the world does not
    /// have. Such a component stays in wait: when a rollback brings its collider back, `Show` makes
    /// the object active again.</summary>
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

        [SerializeField, Tooltip("Of a file of fixsync level, named .fxlevel.")]
        internal FixsyncMap map;

        private readonly Rows<Event> events = new Rows<Event>();
        private readonly Rows<Collider> rows = new Rows<Collider>();
        private readonly List<FixsyncCollider> colliders = new List<FixsyncCollider>();
        private FixsyncCollider[] byId;

        /// <summary>The world; null before Begin.</summary>
        public World World { get; private set; }

        /// <summary>Its layers by name; null before Begin.</summary>
        public Layers Layers { get; private set; }

        /// <summary>Whether it has begun and still is.</summary>
        public bool IsRunning => World != null && !World.IsDisposed;

        /// <summary>Of each event in order: its two colliders, null for a solid of the level or a
        /// collider without a component, and the event.</summary>
        public event Action<FixsyncCollider, FixsyncCollider, Event> Changed;

        /// <summary>The component of a collider; null if none has this id.</summary>
        public FixsyncCollider Find(uint id)
        {
            FixsyncCollider found = byId != null && id < byId.Length ? byId[id] : null;
            return found == null ? null : found; // one that Unity destroyed is null too
        }

        /// <summary>Makes the world, with all colliders below it in the scene.</summary>
        /// <exception cref="InvalidOperationException">It has begun, or what is wrong with a
        /// component.</exception>
        public void Begin()
        {
            if (World != null)
                throw new InvalidOperationException($"the world {name} has begun");
            var found = new SortedDictionary<int, FixsyncCollider>();
            foreach (FixsyncCollider collider in GetComponentsInChildren<FixsyncCollider>(true))
            {
                if (collider.id <= 0)
                    throw new InvalidOperationException(
                        $"{collider.name} has no id: it must be 1..{capacity - 1L}, " +
                        $"not {collider.id}");
                if (found.TryGetValue(collider.id, out FixsyncCollider other))
                    throw new InvalidOperationException(
                        $"{other.name} and {collider.name} have the id {collider.id}");
                found.Add(collider.id, collider);
            }

            var names = Named("layers", () => new Layers(layers));
            foreach (string pair in pairs)
            {
                string[] two = (pair ?? "").Split(' ');
                if (two.Length != 2)
                    throw new InvalidOperationException(
                        $"pairs of the world {name} must be two layers each, not \"{pair}\"");
                Named("pairs", () => names.Meet(two[0], two[1]));
            }

            Level solids = map == null ? null : Named("map", () => map.Level);
            World world = Named("capacity", () => capacity > 0
                ? new World((uint)capacity, names, hitWhen, level: solids)
                : throw Errors.Range("capacity", capacity, 1, Native.FXS_CAPACITY_MAX));
            try
            {
                foreach (FixsyncCollider collider in found.Values)
                    Put(world, names, collider);
            }
            catch
            {
                world.Dispose();
                throw;
            }

            World = world;
            Layers = names;
            byId = new FixsyncCollider[capacity];
            foreach (FixsyncCollider collider in found.Values)
                Keep(collider);
        }

        /// <summary>Adds a collider that was made in play, such as a shot. All peers must do so in
        /// the same frame, with the same id; a frame that is stepped again adds it again, with the
        /// same component or, if that was given up, another.</summary>
        /// <exception cref="InvalidOperationException">What is wrong with the component.
        /// </exception>
        public void Add(FixsyncCollider collider)
        {
            World world = Running("Add");
            if (collider == null)
                throw new ArgumentNullException(nameof(collider));
            FixsyncWorld before = collider.World;
            if (before != null && before != this)
            {
                if (before.IsRunning && before.World.Contains(collider.Id))
                    throw new InvalidOperationException(
                        $"{collider.name} is in the world {before.name}: remove it there first");
                before.Forget(collider);
            }

            Put(world, Layers, collider);
            FixsyncCollider other = Find(collider.Id);
            if (other != null && other != collider)
                Forget(other);
            if (other != collider)
                Keep(collider);
        }

        /// <summary>Removes a collider. Its component waits for a rollback that brings it back;
        /// when the frame is certain, it may be destroyed, or given up with Forget.</summary>
        /// <exception cref="InvalidOperationException">It is not in this world.</exception>
        public void Remove(FixsyncCollider collider)
        {
            World world = Running("Remove");
            if (collider == null)
                throw new ArgumentNullException(nameof(collider));
            if (collider.World != this || !world.Contains(collider.Id))
                throw new InvalidOperationException(
                    $"{collider.name} is not in the world {name}: its id {collider.id} is " +
                    (world.Contains(unchecked((uint)collider.id)) ? "another's" : "free"));
            world.Remove(collider.Id);
        }

        /// <summary>Gives up a component: the world no longer moves or shows it.</summary>
        public void Forget(FixsyncCollider collider)
        {
            int at = colliders.IndexOf(collider);
            if (at >= 0)
                Drop(at);
        }

        /// <summary>Steps the world, raises all events, and shows the colliders.</summary>
        public void Step()
        {
            Running("Step").Step(events);
            Raise(events.Span);
            Show();
        }

        /// <summary>Raises Changed for each event, in order.</summary>
        public void Raise(ReadOnlySpan<Event> rows)
        {
            foreach (Event row in rows)
                Changed?.Invoke(Find(row.A), Find(row.B), row);
        }

        /// <summary>Moves the transforms to where the world has the colliders, and makes objects
        /// active or inactive as their colliders come and go.</summary>
        public void Show()
        {
            Running("Show").Colliders(rows);
            foreach (FixsyncCollider collider in colliders)
                collider.isSeen = false;
            foreach (Collider row in rows.Span)
            {
                FixsyncCollider collider = Find(row.Id);
                if (collider == null)
                    continue;
                collider.isSeen = true;
                collider.Show(row.Pose);
            }

            for (int i = colliders.Count - 1; i >= 0; i--)
            {
                FixsyncCollider collider = colliders[i];
                if (collider == null)
                    Drop(i);
                else if (collider.isShown != collider.isSeen)
                    collider.SetShown(collider.isSeen);
            }
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

        internal World Running(string call)
        {
            if (World == null)
                throw new InvalidOperationException(
                    $"the world {name} has not begun: call Begin before {call}");
            return IsRunning ? World : throw new InvalidOperationException(
                $"the world {name} was disposed of before {call}");
        }

        private T Named<T>(string field, Func<T> make)
        {
            try
            {
                return make();
            }
            catch (Exception error)
            {
                throw new InvalidOperationException(
                    $"{field} of the world {name}: {error.Message}", error);
            }
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
                if (collider.owner < 0)
                    throw Errors.Range("owner", collider.owner, 0, int.MaxValue);
                world.Add(new Collider(
                    collider.Id, collider.Shape, collider.StartPose, layer: names[collider.layer],
                    owner: (uint)collider.owner, active: collider.startsActive));
            }
            catch (Exception error)
            {
                throw new InvalidOperationException($"{collider.name}: {error.Message}", error);
            }
        }

        private void Keep(FixsyncCollider collider)
        {
            collider.Enter(this);
            byId[collider.Id] = collider;
            colliders.Add(collider);
        }

        private void Drop(int at)
        {
            FixsyncCollider collider = colliders[at];
            colliders.RemoveAt(at);
            byId[collider.Id] = null;
            collider.Enter(null);
        }

#if UNITY_EDITOR
        private void OnDrawGizmos()
        {
            if (map != null)
                map.OnDrawGizmos();
        }
#endif

        private void OnDestroy() => World?.Dispose();
    }
}
#endif
