// Why two colliders hit each other in some frames of a match, and in others not: the kernel's
// explanation of each frame.
import { Replay } from "../../../bindings/web/replay.js";
import { PAIR_FIELDS } from "./fields.js";
import { LEVEL } from "./solids.js";

const NUMBERS_OF = { a: 0, b: 1, beyond: 1, outside: 2, hole: 3 };
const AROUND = 240; // frames before the one shown at which it begins

export class PairTrack {
  #replay;
  #spans; // still to explain: [first, end, or null for the match's]

  // at: the frame shown, which is explained early.
  constructor(match, [a, b], at) {
    this.match = match;
    // of two planes, each plane has its own explanation
    const planes = match.planes ? [0, match.planes] : [0];
    this.pairs = planes.map((add) => [a + add, b + add]);
    const { frames } = match.log;
    this.rows = planes.map(() => new Float64Array(PAIR_FIELDS.length * frames));
    this.isKnown = new Uint8Array(frames); // 1: explained, 2: one of them is not in the world
    const { first } = match;
    const start = Math.max(
      first,
      ...[...match.keyframes.keys()].filter((key) => key <= at - AROUND),
    );
    this.#spans =
      start > first
        ? [
            [start, null],
            [first, start],
          ]
        : [[first, null]];
    this.#begin(start);
  }

  #begin(frame) {
    this.#replay = new Replay(this.match, this.match.level);
    if (frame > this.match.first) this.#replay.load(frame, this.match.keyframes.get(frame));
    this.#replay.stepped = () => this.#look();
  }

  get isDone() {
    return this.#spans.length === 0;
  }

  // Explains frames until `until()` says so. True if there are more.
  advance(until) {
    const { match } = this;
    while (!this.isDone) {
      if (until()) return true;
      const [, end] = this.#spans[0];
      if (this.#replay.next < Math.min(end ?? match.end, match.checked)) this.#replay.step();
      else if (end === null && !match.verdict.isDone) return false;
      else {
        this.#spans.shift();
        if (!this.isDone) this.#begin(this.#spans[0][0]);
      }
    }
    return false;
  }

  #look() {
    const { world, next } = this.#replay;
    const row = next - this.match.first;
    const isThere = (id) => id >= LEVEL || world.has(id);
    this.isKnown[row] = 1;
    for (const [plane, ids] of this.pairs.entries()) {
      if (!ids.every(isThere)) this.isKnown[row] = 2;
      else {
        const found = world.explain(...ids);
        const numbers = PAIR_FIELDS.map(
          (name) => NUMBERS_OF[found[name]] ?? found[name] ?? (name === "sector" ? 0 : Number.NaN),
        );
        this.rows[plane].set(numbers, PAIR_FIELDS.length * row);
      }
    }
  }
}
