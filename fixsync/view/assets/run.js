// One world on its way through a log, with what the page draws of a frame.
import { direction } from "../../../bindings/web/numbers.js";
import { FXS_EXIT, FXS_STAY } from "../../../bindings/web/raw.js";
import { Replay } from "../../../bindings/web/replay.js";
import { Colliders, contactPlace, halfHeight } from "./colliders.js";
import { joined } from "./planes.js";
import { LEVEL } from "./solids.js";

const MARKS_MAX = 2000;

// v / 2^30 to nearest, halves away from zero: how the contract turns an offset.
const roundQ30 = (v) => (v < 0n ? -((-v + (1n << 29n)) >> 30n) : (v + (1n << 29n)) >> 30n);

// All colliders, in a buffer of their own.
export const collidersOf = (world) => world.colliders().slice().buffer;

export class Run extends Replay {
  #match;
  #hitPlaces = new Map(); // of the hits of the last frame looked at: where, by pair

  constructor(match) {
    super(match, match.level);
    this.#match = match;
    this.look();
  }

  restore(frame, saved) {
    this.load(frame, saved);
    this.look();
    this.#hitPlaces = new Map();
  }

  step() {
    const line = super.step();
    const { planes } = this.#match;
    // what is shown: of two planes, the hits of both
    this.hits = planes ? joined(this.events, planes) : this.events;
    return line;
  }

  // The line of a simulation's page has its whole state as it was computed when the page was
  // written: `whole`. A log may have recorded another one: `state`.
  differing(hash) {
    const { state, whole } = this.line;
    const isOther = state !== undefined && state.toLowerCase() !== whole;
    return [...super.differing(hash), ...(isOther ? ["state"] : [])];
  }

  // Reads the colliders as they are now.
  look() {
    this.colliders = new Colliders(collidersOf(this.world));
  }

  // The traces of the last step, which stay visible for some frames.
  wake() {
    const { colliders } = this;
    const solids = colliders.solids;
    const places = new Float64Array(3 * solids.length);
    for (const [i, { x, y, z }] of solids.entries()) places.set([x, y, z], 3 * i);
    return {
      frame: this.next - 1,
      ids: Uint32Array.from(solids, ({ id }) => id),
      places,
      marks: this.#marks(),
      areas: this.areas.map((command, i) => ({ command, answer: this.answers[i] })),
    };
  }

  // Marks of the hits that began or ended. Where one ended is where it last was: its colliders may
  // be gone. So may those of one that began, after the step; what is left of them then has the
  // mark.
  #marks() {
    const marks = [];
    const places = new Map();
    for (let at = 0; at < this.hits.length && marks.length < MARKS_MAX; at += 4) {
      const [a, b, kind, contact] = this.hits.subarray(at, at + 4);
      const pair = `${a} ${b}`;
      const place = (kind !== FXS_EXIT && this.#place(a, b)) || this.#hitPlaces.get(pair);
      if (kind !== FXS_EXIT && place) places.set(pair, place);
      if (kind !== FXS_STAY && place) marks.push({ kind, contact, ...place });
    }
    this.#hitPlaces = places;
    return marks;
  }

  // Where two colliders meet; of two planes, where their ground views meet from above and their
  // side views from the side.
  #place(a, b) {
    const { planes } = this.#match;
    const solidOf = (id) => this.colliders.solids[this.colliders.indexOf(id)];
    if (b >= LEVEL) {
      const [one, solid] = [solidOf(a), this.#match.solids.solid(b)];
      return one && solid ? this.#match.solids.place(one, solid, halfHeight(one)) : null;
    }
    const between = (one, other) =>
      one || other ? contactPlace(one ?? other, other ?? one) : null;
    const place = between(solidOf(a), solidOf(b));
    if (!planes || !place) return place;
    const side = between(solidOf(a + planes), solidOf(b + planes));
    return side && { ...place, y: side.y, sideX: side.x };
  }

  // The exact centre of a collider, raw, as the contract defines it.
  centre(id) {
    const i = this.colliders.indexOf(id);
    if (i < 0) return null;
    const { position, offset, yaw } = this.colliders.raw(i);
    const [ox, oz, c, s] = [offset[0], offset[2], ...direction(yaw)].map(BigInt);
    return [
      position[0] + Number(roundQ30(ox * c - oz * s)),
      position[1] + offset[1],
      position[2] + Number(roundQ30(ox * s + oz * c)),
    ];
  }
}
