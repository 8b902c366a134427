// What each body does over a match: when its colliders are on, and whom it hits. A body is all
// colliders of one owner, or one collider without an owner.
import { FXS_ENTER } from "../../../bindings/web/raw.js";
import { sidesIn } from "./roster.js";

const LANES_MAX = 12; // of a log without owners
// a hit by an attack, from an attack, of two bodies or two attacks
export const [GIVEN, TAKEN, MUTUAL] = [0, 1, 2];

const marks = ({ hits, gameEvents }) => hits.length + gameEvents.length;
const lowest = ({ colliders }) => Math.min(...[...colliders].map(({ id }) => id));

export class Lanes {
  #since = new Map(); // by collider: the first frame in which it is as it is
  #bodies = new Map(); // by owner, or by ~id: { owner, colliders, spans, hits, gameEvents }
  #gameEvents = []; // the game's own events that are about no collider

  // names: of the kinds of the game's events.
  constructor(first, roster, names) {
    this.roster = roster;
    this.names = names ?? {};
    for (const collider of roster.colliders) {
      this.#body(collider);
      this.#since.set(collider, first);
    }
  }

  #body(collider) {
    const { owner, id } = collider;
    const key = owner || ~id;
    if (!this.#bodies.has(key))
      this.#bodies.set(key, { owner, colliders: new Set(), spans: [], hits: [], gameEvents: [] });
    const body = this.#bodies.get(key);
    body.colliders.add(collider);
    return body;
  }

  // A command that takes effect in a frame; what it changes, as the roster says.
  apply(frame, command) {
    const before = this.roster.get(command[1]);
    const body = before && this.#body(before);
    const wasActive = before?.active;
    const change = this.roster.apply(frame, command);
    if (!["add", "remove", "on", "off", "owner"].includes(change)) return change;
    if (change !== "add" && wasActive && frame > this.#since.get(before))
      body.spans.push({ first: this.#since.get(before), last: frame - 1, collider: before });
    const after = this.roster.get(command[1]);
    if (after) {
      this.#body(after);
      this.#since.set(after, frame);
    }
    return change;
  }

  // The hits of a frame's step, as rows of a, b, kind, contact.
  meet(frame, events) {
    this.roster.step();
    for (let at = 0; at < events.length; at += 4) {
      if (events[at + 2] !== FXS_ENTER) continue;
      const [a, b] = [this.roster.get(events[at]), this.roster.get(events[at + 1])];
      if (!a || !b) continue;
      this.#body(a).hits.push({ frame, own: a, other: b });
      this.#body(b).hits.push({ frame, own: b, other: a });
    }
  }

  // The game's own events of a frame, as rows of a, b, kind, value.
  tell(frame, rows) {
    for (const [a, b, kind, value] of rows) {
      const [, sides] = sidesIn(this.names[kind]);
      const found = [a, b].map((number, i) => this.#bodyOf(number, sides[i]));
      const bodies = new Set(found.filter(Boolean));
      for (const gameEvents of bodies.size > 0
        ? [...bodies].map((body) => body.gameEvents)
        : [this.#gameEvents])
        gameEvents.push([frame, kind, value]);
    }
  }

  // The body that a or b of an event is; none for a number.
  #bodyOf(number, side) {
    if (side === "owner") return this.#bodies.get(number);
    const collider = side === "collider" ? this.roster.get(number) : null;
    return collider ? this.#body(collider) : null;
  }

  // The lanes to show: of every owner, or else of the colliders that hit most; and of the selected
  // one. end: behind the last frame. id is the body's lowest but for attacks; spans are rows of
  // first frame, last frame, whether it is an attack; hits rows of frame, kind, the other's id; gameEvents
  // those of frame, kind, value. A lane without a body has what the game says of no collider.
  shown(selected, end) {
    const all = [...this.#bodies.values()];
    const owners = all.filter(({ owner }) => owner > 0).sort((a, b) => a.owner - b.owner);
    const most = all
      .sort((a, b) => marks(b) - marks(a) || lowest(a) - lowest(b))
      .slice(0, LANES_MAX);
    const chosen = owners.length > 0 ? owners : most.sort((a, b) => lowest(a) - lowest(b));
    const found = this.roster.get(selected);
    const own = found && this.#body(found);
    if (own && !chosen.includes(own)) chosen.unshift(own);
    const open = [...this.roster.colliders]
      .filter((one) => one.active && this.#since.get(one) < end)
      .map((collider) => ({ first: this.#since.get(collider), last: end - 1, collider }));
    const lanes = chosen.map((body) => {
      const rest = open.filter(({ collider }) => this.#body(collider) === body);
      const colliders = [...body.colliders].sort((a, b) => a.isAttack - b.isAttack || a.id - b.id);
      const spans = [...body.spans, ...rest].flatMap(({ first, last, collider }) => [
        first,
        last,
        Number(collider.isAttack),
      ]);
      const hits = body.hits.flatMap(({ frame, own, other }) => [
        frame,
        meetingOf(own, other),
        other.id,
      ]);
      return {
        owner: body.owner,
        id: colliders[0].id,
        ids: [...new Set(colliders.map(({ id }) => id))],
        spans: Uint32Array.from(spans),
        hits: Uint32Array.from(hits),
        gameEvents: body.gameEvents,
      };
    });
    const game = { owner: 0, id: null, ids: [], spans: [], hits: [], gameEvents: this.#gameEvents };
    return this.#gameEvents.length > 0 ? [...lanes, game] : lanes;
  }
}

function meetingOf(own, other) {
  if (own.isAttack === other.isAttack) return MUTUAL;
  return own.isAttack ? GIVEN : TAKEN;
}
