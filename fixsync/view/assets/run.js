// One world on its way through a log.
import { ArgumentRangeError, ArgumentTypeError } from "../../../bindings/web/checks.js";
import { direction } from "../../../bindings/web/numbers.js";
import { FXS_EXIT, FXS_STAY } from "../../../bindings/web/raw.js";
import { World } from "../../../bindings/web/world.js";
import { Colliders, contactPlace, halfHeight } from "./colliders.js";
import { joined } from "./planes.js";
import { LEVEL } from "./solids.js";

// What cannot be played: an error in the log, where all others are errors of the page.
export class Refused extends Error {}

const MARKS_MAX = 2000;

// v / 2^30 to nearest, halves away from zero: how the contract turns an offset.
const roundQ30 = (v) => (v < 0n ? -((-v + (1n << 29n)) >> 30n) : (v + (1n << 29n)) >> 30n);

const pose = ([x, y, z], yaw) => ({ x, y, z, yaw });

// The ids that a query command of a match log finds.
const query = (world, [, shape, position, yaw, mask, excludeOwner]) => [
  ...world.query(shape, pose(position, yaw), mask, { excludeOwner }),
];

// What a cast command meets: rows of id, fraction and the three components of the normal.
const cast = (world, [, shape, position, yaw, motion, mask, excludeOwner, limit, hitWhen]) =>
  world
    .cast(shape, pose(position, yaw), motion, mask, { excludeOwner, limit, hitWhen })
    .map(({ id, fraction, normal }) => [id, fraction, ...normal]);

// All colliders, in a buffer of their own.
export const collidersOf = (world) => world.colliders().slice().buffer;

export class Run {
  #match;
  #world;
  #hitPlaces = new Map(); // of the hits of the last frame looked at: where, by pair

  constructor(match) {
    this.#match = match;
    const { capacity, hitWhen, layers, level } = match.config;
    this.#world = new World(capacity, { hitWhen, layers, level });
    if (match.config.state) this.#world.load(match.config.state);
    this.next = match.first; // the frame that the next step plays
    this.look();
  }

  get world() {
    return this.#world;
  }

  restore(frame, saved) {
    this.#world.load(saved);
    this.next = frame;
    this.look();
    this.#hitPlaces = new Map();
  }

  // Plays one frame; its line, parsed, is what it returns. Refused, with the line and the command,
  // if the world refuses one. A simulation's frame may have commands that came `after` its step;
  // the frame's hash is that of the state behind them.
  step() {
    const world = this.#world;
    const frame = this.#match.frame(this.next);
    const isArea = ([name]) => name === "query" || name === "cast";
    const changes = frame.commands.filter((command) => !isArea(command));
    this.#try(() => world.apply(changes));
    this.recorded = frame;
    this.events = world.step().rows.slice();
    const { planes } = this.#match;
    // what is shown: of two planes, the hits of both
    this.hits = planes ? joined(this.events, planes) : this.events;
    if (frame.after) this.#try(() => world.apply(frame.after));
    this.areas = frame.commands.filter(isArea);
    this.answers = this.areas.map((command) =>
      this.#try(
        () => (command[0] === "cast" ? cast(world, command) : query(world, command)),
        command,
      ),
    );
    this.next++;
    return frame;
  }

  // Names the line, and the command where the error does not.
  #try(act, asked = null) {
    try {
      return act();
    } catch (error) {
      if (!(error instanceof ArgumentRangeError || error instanceof ArgumentTypeError)) throw error;
      const command = asked ? `${JSON.stringify(asked)}: ` : "";
      throw new Refused(`line ${this.next - this.#match.first + 2}: ${command}${error.message}`);
    }
  }

  // Reads the colliders as they are now.
  look() {
    this.colliders = new Colliders(collidersOf(this.#world));
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
