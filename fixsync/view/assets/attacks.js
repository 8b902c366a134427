// The attacks of a match: whom each hit, and how near it came to those that it could hit and did
// not. `fixsync attacks` reports the same.
import { layerMasks } from "../../../bindings/web/commands.js";
import { FXS_EXIT } from "../../../bindings/web/raw.js";
import { Replay } from "../../../bindings/web/replay.js";
import { isNearer, OF_SHAPES, rankOf } from "./causes.js";
import { Colliders, UNIT } from "./colliders.js";
import { canNeverMeet, drawingOf } from "./kinds.js";
import { lifeOf, Roster } from "./roster.js";
import { collidersOf } from "./run.js";
import { LEVEL } from "./solids.js";

// How far a solid reaches from its centre, from above, in units.
const reachOf = (solid) => drawingOf(solid).plan.reach(solid);

export class Attacks {
  #replay;
  #masks;
  #open = new Map(); // by life: the attack that is on
  #over = [];

  // match: checked from start to end, so that its attacks are known.
  constructor(match) {
    this.match = match;
    this.#replay = new Replay(match, match.level);
    const { world } = this.#replay;
    this.#masks = layerMasks(world.layers);
    this.roster = new Roster(world, 0, match.solids, match.header.names);
    this.#replay.stepped = (line) => this.#look(line);
  }

  get isDone() {
    return this.#replay.next >= this.match.end;
  }

  // Plays frames until `until()` says so. True if there are more.
  advance(until) {
    while (!this.isDone && !until()) {
      const { next } = this.#replay;
      for (const command of this.#replay.step().after ?? []) this.#follow(next + 1, command);
    }
    return !this.isDone;
  }

  #follow(frame, command) {
    if (command[0] === "layers") this.#masks = layerMasks(command[1]);
    else this.roster.apply(frame, command);
  }

  #look({ frame, commands }) {
    for (const command of commands) this.#follow(frame, command);
    this.roster.step();
    const { lives } = this.match.roster;
    const on = new Map();
    for (const collider of this.roster.colliders)
      if (collider.active && lives.has(collider.life)) on.set(collider.life, collider);
    for (const [life, swing] of this.#open) {
      if (on.has(life)) continue;
      this.#over.push(swing);
      this.#open.delete(life);
    }
    if (on.size === 0) return;
    const { solids } = new Colliders(collidersOf(this.#replay.world));
    const places = new Map(solids.map((solid) => [solid.id, solid]));
    const hits = hitsById(this.#replay.events);
    for (const [life, own] of on) {
      if (!this.#open.has(life)) this.#open.set(life, newSwing(own, frame));
      const swing = this.#open.get(life);
      swing.last = frame;
      const hit = hits.get(own.id) ?? [];
      for (const id of hit) this.#hit(swing, id, frame);
      this.#miss(swing, own, hit, places, frame);
    }
  }

  #hit(swing, id, frame) {
    const other = this.roster.get(id) ?? { id, count: 0, life: lifeOf(id, 0), owner: 0 };
    const { life } = other;
    if (!swing.hits.has(life)) swing.hits.set(life, { id, count: other.count, frames: [] });
    const victim = swing.hits.get(life);
    victim.owner = other.owner;
    const { frames } = victim;
    if (frames.at(-1)?.[1] === frame - 1) frames.at(-1)[1] = frame;
    else frames.push([frame, frame]);
  }

  // How near it comes to those that it does not hit in this frame.
  #miss(swing, own, hit, places, frame) {
    const mask = this.#masks[own.layer];
    const place = places.get(own.id);
    for (const other of this.roster.colliders) {
      const { id, owner } = other;
      const there = places.get(id);
      if (isOut(own, other) || ((mask >>> other.layer) & 1) === 0) continue;
      if (canNeverMeet(place, there)) continue;
      const { life } = other;
      const near = swing.near.get(life);
      if (near && isFarther(near, other, place, there)) continue;
      if (hit.includes(id) || swing.hits.has(life)) continue;
      const found = this.#replay.world.explain(own.id, id);
      const rank = rankOf(found);
      if (other.active || (found.why & OF_SHAPES) === 0) swing.couldHit.add(life);
      if (!near || isNearer(rank, near.rank))
        swing.near.set(life, { id, owner, count: other.count, frame, rank, ...found });
    }
  }

  // All attacks, by first frame, id, and how often the id was added before: { id, owner, first,
  // last, parts: the ids of its colliders, hits: [{ id, owner, part, frames }] by their first
  // frames, missed: the nearest first, as `explain` has them, with id, owner, part and frame }.
  // part: the collider that hit first, or came nearest. Attacks of one owner that are on in the
  // same frames are one.
  get swings() {
    const groups = new Map();
    const parts = [...this.#over, ...this.#open.values()];
    for (const part of parts.sort((a, b) => a.first - b.first || byPlace(a, b))) {
      const { first, last, owner } = part;
      const key = owner > 0 ? `${first} ${last} ${owner}` : part;
      groups.set(key, [...(groups.get(key) ?? []), part]);
    }
    return [...groups.values()].map(together);
  }
}

const byPlace = (a, b) => a.id - b.id || a.count - b.count;

const byFrames = ([a], [b]) => a[0] - b[0] || a[1] - b[1];

// One attack of the attacks of its colliders.
function together(group) {
  const [{ id, owner, first, last }] = group;
  const hits = new Map(); // by life
  const near = new Map();
  for (const swing of group)
    for (const [life, victim] of swing.hits)
      hits.set(life, [...(hits.get(life) ?? []), { ...victim, part: swing.id }]);
  for (const swing of group)
    for (const [life, seen] of swing.near) {
      if (hits.has(life)) continue;
      const other = near.get(life);
      if (!other || isNearer(placeOf(seen), placeOf(other)))
        near.set(life, { ...seen, part: swing.id });
    }
  const couldHit = (life) => group.some((swing) => swing.couldHit.has(life));
  return {
    ...{ id, owner, first, last, parts: group.map((swing) => swing.id) },
    hits: [...hits.values()]
      .map(victimOf)
      .sort((a, b) => byFrames(a.frames, b.frames) || byPlace(a, b)),
    missed: [...near]
      .filter(([life]) => couldHit(life))
      .map(([, seen]) => seen)
      .sort((a, b) =>
        isNearer(a.rank, b.rank) ? -1 : isNearer(b.rank, a.rank) ? 1 : byPlace(a, b),
      ),
  };
}

const placeOf = ({ rank, frame }) => [...rank, frame];

// One victim of what each collider of an attack did to it.
function victimOf(victims) {
  const [first] = victims.sort((a, b) => byFrames(a.frames, b.frames));
  const frames = [];
  for (const [from, to] of victims.flatMap((one) => one.frames).sort((a, b) => a[0] - b[0])) {
    const end = frames.at(-1);
    if (end && from <= end[1] + 1) end[1] = Math.max(end[1], to);
    else frames.push([from, to]);
  }
  return { ...first, frames };
}

const newSwing = ({ id, count, owner }, frame) => ({
  ...{ id, count, owner, first: frame, last: frame },
  ...{ hits: new Map(), near: new Map(), couldHit: new Set() },
});

// Whether a pair is surely no nearer than it was, so that the kernel need not be asked: a growth
// reaches at most the square root of 2 as far.
function isFarther({ rank: [isOther, isNever, gap] }, other, a, b) {
  if (isOther || isNever) return false;
  const apart = Math.hypot(a.x - b.x, a.z - b.z) - reachOf(a) - reachOf(b);
  return !other.active || (apart / Math.SQRT2 - 0.01) * UNIT > gap;
}

const isOut = (own, other) => own.id === other.id || (own.owner > 0 && own.owner === other.owner);

// Whom each id hits.
function hitsById(events) {
  const found = new Map();
  const add = (id, other) => found.set(id, [...(found.get(id) ?? []), other]);
  for (let at = 0; at < events.length; at += 4) {
    const [a, b, kind] = events.subarray(at, at + 3);
    if (kind === FXS_EXIT) continue;
    add(a, b);
    if (b < LEVEL) add(b, a);
  }
  return found;
}
