// What each body does over a match: when its colliders are on, and whom it hits. A body is all
// colliders of one owner, or one collider without an owner.
import { FXS_ENTER } from "../../../bindings/web/raw.js";

const LANES_MAX = 12; // of a log without owners
// a hit by an attack, from an attack, of two bodies or two attacks
export const [GIVEN, TAKEN, MUTUAL] = [0, 1, 2];

export class Lanes {
  #colliders = new Map(); // by id: { owner, isActive, since }
  #bodies = new Map(); // by owner, or by ~id: { owner, id (its lowest), spans, hits }

  // colliders: those there before the first frame, a Colliders or null. planes: the size of a
  // plane; only ground views count.
  constructor(first, colliders, planes) {
    this.planes = planes;
    for (let i = 0; i < colliders.count; i++) {
      const { id, owner, active } = colliders.raw(i);
      this.apply(first, ["add", id, null, null, 0, 0, owner, null, active]);
    }
  }

  #body(id) {
    const { owner } = this.#colliders.get(id);
    const key = owner || ~id;
    if (!this.#bodies.has(key)) this.#bodies.set(key, { owner, id, spans: [], hits: [] });
    const body = this.#bodies.get(key);
    body.id = Math.min(body.id, id);
    return body;
  }

  // A command that takes effect in a frame.
  apply(frame, [name, id, value, ...rest]) {
    if (this.planes && id >= this.planes) return;
    if (name === "add")
      this.#colliders.set(id, { owner: rest[3], isActive: rest[5], since: frame });
    const collider = this.#colliders.get(id);
    if (!collider || !["add", "remove", "active", "owner"].includes(name)) return;
    if (name === "add") this.#body(id);
    else if (collider.isActive && frame > collider.since)
      this.#body(id).spans.push(collider.since, frame - 1, id);
    collider.since = frame;
    if (name === "active") collider.isActive = value;
    if (name === "owner") collider.owner = value;
    if (name === "remove") this.#colliders.delete(id);
  }

  // The hits of a frame's step, as rows of a, b, kind, contact.
  meet(frame, events) {
    for (let at = 0; at < events.length; at += 4) {
      const [a, b, kind] = events.subarray(at, at + 3);
      if (kind !== FXS_ENTER || !this.#colliders.has(a) || !this.#colliders.has(b)) continue;
      const bodies = [this.#body(a), this.#body(b)];
      const [byA, byB] = [bodies[0].id !== a, bodies[1].id !== b];
      bodies[0].hits.push(frame, byA === byB ? MUTUAL : byA ? GIVEN : TAKEN, b);
      bodies[1].hits.push(frame, byA === byB ? MUTUAL : byB ? GIVEN : TAKEN, a);
    }
  }

  // The lanes to show: of every owner, or else of the colliders that hit most; and of the selected
  // one. end: behind the last frame. spans are rows of first frame, last frame, id; hits rows of
  // frame, kind, the other's id.
  shown(selected, end) {
    const all = [...this.#bodies.values()];
    const owners = all.filter(({ owner }) => owner > 0).sort((a, b) => a.owner - b.owner);
    const most = all
      .sort((a, b) => b.hits.length - a.hits.length || a.id - b.id)
      .slice(0, LANES_MAX);
    const chosen = owners.length > 0 ? owners : most.sort((a, b) => a.id - b.id);
    const own = this.#colliders.has(selected) ? this.#body(selected) : null;
    if (own && !chosen.includes(own)) chosen.unshift(own);
    const open = [...this.#colliders].filter(([, { isActive, since }]) => isActive && since < end);
    return chosen.map((body) => {
      const rest = open
        .filter(([id]) => this.#body(id) === body)
        .flatMap(([id, { since }]) => [since, end - 1, id]);
      return {
        ...body,
        spans: Uint32Array.from([...body.spans, ...rest]),
        hits: Uint32Array.from(body.hits),
      };
    });
  }
}
