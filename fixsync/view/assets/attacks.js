// The attacks of a match: whom each hit, and how near it came to those that it could hit and did
// not. `fixsync attacks` reports the same.
import { layerMasks } from "../../../bindings/web/commands.js";
import { FXS_EXIT } from "../../../bindings/web/raw.js";
import { Replay } from "../../../bindings/web/replay.js";
import { BOX, Colliders, SECTOR, UNIT } from "./colliders.js";
import { lifeOf, Roster } from "./roster.js";
import { collidersOf } from "./run.js";
import { LEVEL } from "./solids.js";

// Causes of the shapes: sectors, height, beside, corner, grazes.
export const OF_SHAPES = 128 | 256 | 512 | 1024 | 2048;

// How near a pair came to a hit, the nearest first: without another cause than the shapes, then by
// gap, and those that no size makes meet last, by height.
const rankOf = ({ why, gap, height }) => [(why & ~OF_SHAPES) !== 0, gap === null, gap ?? height];

function isNearer(a, b) {
  const at = a.findIndex((value, i) => value !== b[i]);
  return at >= 0 && a[at] < b[at];
}

// How far a solid reaches from its centre, from above, in units.
const reachOf = ({ kind, size }) => (kind === BOX ? Math.hypot(size[0], size[2]) : size[0]);

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
    this.roster = new Roster(world, 0, match.solids);
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
      if (place.kind === SECTOR && there.kind === SECTOR) continue;
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
  // last, hits: [{ id, owner, frames }] by their first frames, missed: the nearest first, as `explain` has
  // them, with id, owner and frame }.
  get swings() {
    const byPlace = (a, b) => a.id - b.id || a.count - b.count;
    return [...this.#over, ...this.#open.values()]
      .sort((a, b) => a.first - b.first || byPlace(a, b))
      .map(({ near, couldHit, hits, ...swing }) => ({
        ...swing,
        hits: [...hits.values()].sort(
          (a, b) =>
            a.frames[0][0] - b.frames[0][0] || a.frames[0][1] - b.frames[0][1] || byPlace(a, b),
        ),
        missed: [...near]
          .filter(([life]) => !hits.has(life) && couldHit.has(life))
          .map(([, seen]) => seen)
          .sort((a, b) =>
            isNearer(a.rank, b.rank) ? -1 : isNearer(b.rank, a.rank) ? 1 : byPlace(a, b),
          ),
      }));
  }
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
