// Replays match logs with the kernel: to any frame, for drawing, and from start to end, to check what the logs record.

import { ENTER, EXIT, STAY } from "./codes.js";
import { Colliders, contactPlace, halfHeight, halfWidths, WAKE_FRAMES } from "./colliders.js";
import { differences, differingFields } from "./compare.js";
import { hex16, Refused, World } from "./kernel.js";
import { bytesOfBase64, gunzipped, LogText, layerMasks } from "./matchlog.js";

const MARKS_MAX = 2000;
const KEYFRAME_BYTES_MAX = 1 << 27;

const NO_COLLIDERS = new Colliders(new ArrayBuffer(0));

// v / 2^30 to nearest, halves away from zero: how the contract turns an offset.
const roundQ30 = (v) => (v < 0n ? -((-v + (1n << 29n)) >> 30n) : (v + (1n << 29n)) >> 30n);

// One world on its way through a log.
class Run {
  #match;
  #world;
  #hitPlaces = new Map(); // of the hits of the last frame looked at: where, by pair

  constructor(match) {
    this.#match = match;
    this.#world = new World(match.module, match.config);
    this.next = 0; // the frame that the next step plays
    this.colliders = NO_COLLIDERS; // after the last step
  }

  get world() {
    return this.#world;
  }

  restore(frame, saved) {
    this.#world.load(saved);
    this.next = frame;
    this.colliders = new Colliders(this.#world.colliders());
    this.#hitPlaces = new Map();
  }

  // Plays one frame; its line, parsed, is what it returns. Refused, with the line and the command, if the world refuses one.
  // A simulation's frame may have commands that came `after` its step; the frame's hash is that of the state behind them.
  step() {
    const world = this.#world;
    const frame = this.#match.text.frame(this.next);
    const isArea = ([name]) => name === "query" || name === "cast";
    for (const command of frame.commands) if (!isArea(command)) this.#try(command, () => world.apply(command));
    world.step();
    this.recorded = frame;
    this.events = world.events.slice();
    for (const command of frame.after ?? []) this.#try(command, () => world.apply(command));
    this.areas = frame.commands.filter(isArea);
    this.answers = this.areas.map((command) =>
      this.#try(command, () => (command[0] === "cast" ? world.cast(command) : world.query(command))),
    );
    this.next++;
    return frame;
  }

  #try(command, act) {
    try {
      return act();
    } catch (error) {
      if (error instanceof Refused)
        error.message = `line ${this.next + 2}: ${JSON.stringify(command)}: ${error.message}`;
      throw error;
    }
  }

  // Reads the colliders after a step.
  look() {
    this.colliders = new Colliders(this.#world.colliders());
  }

  // What of the last step stays visible for some frames.
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

  // Marks of the hits that began or ended. Where one ended is where it last was: its colliders may be gone. So may those of one
  // that began, after the step; what is left of them then has the mark.
  #marks() {
    const marks = [];
    const places = new Map();
    const solidOf = (id) => this.colliders.solids[this.colliders.indexOf(id)];
    for (let at = 0; at < this.events.length && marks.length < MARKS_MAX; at += 4) {
      const [a, b, kind, contact] = this.events.subarray(at, at + 4);
      const pair = a * 2 ** 31 + b;
      const [one, other] = [solidOf(a), solidOf(b)];
      const isThere = kind !== EXIT && (one || other);
      const place = isThere ? contactPlace(one ?? other, other ?? one) : this.#hitPlaces.get(pair);
      if (kind !== EXIT && place) places.set(pair, place);
      if (kind !== STAY && place) marks.push({ kind, contact, ...place });
    }
    this.#hitPlaces = places;
    return marks;
  }

  // The exact centre of a collider, raw, as the contract defines it.
  centre(id) {
    const i = this.colliders.indexOf(id);
    if (i < 0) return null;
    const { position, offset, yaw } = this.colliders.raw(i);
    const [ox, oz, c, s] = [offset[0], offset[2], ...this.#world.direction(yaw)].map(BigInt);
    return [
      position[0] + Number(roundQ30(ox * c - oz * s)),
      position[1] + offset[1],
      position[2] + Number(roundQ30(ox * s + oz * c)),
    ];
  }
}

// A list of numbers in rows that grows.
class Rows {
  constructor(width) {
    this.width = width;
    this.length = 0;
    this.values = new Uint32Array(width * 256);
  }

  push(...row) {
    const at = this.length * this.width;
    if (at + this.width > this.values.length) {
      const grown = new Uint32Array(this.values.length * 2);
      grown.set(this.values);
      this.values = grown;
    }
    this.values.set(row, at);
    this.length++;
  }

  // Those rows for which `isWanted(values, at)`, `at` being where the row begins.
  rows(isWanted) {
    const found = [];
    for (let at = 0; at < this.length * this.width; at += this.width) {
      if (isWanted(this.values, at)) found.push(Array.from(this.values.subarray(at, at + this.width)));
    }
    return found;
  }
}

// What a collider's history tells besides hits.
const CHANGES = ["add", "remove", "shape", "offset", "owner", "layer", "active"];

// A log and all that replaying it from start to end finds out.
export class Match {
  // log: { name, data (base64 of the gzipped text), bytes (of the text), frames, ids (one more than the highest), hashes (base64 of
  // the native kernel's, or null) }
  constructor(module, log) {
    this.module = module;
    this.log = log;
    this.text = new LogText(log.bytes, log.frames);
    this.end = log.frames; // frames that can be played; fewer if a command is refused
    this.native = log.hashes ? new DataView(bytesOfBase64(log.hashes).buffer) : null;
    const perFrame = () => new Uint32Array(log.frames);
    this.counts = { enters: perFrame(), exits: perFrame(), differs: new Uint8Array(log.frames) };
    this.hashes = new BigUint64Array(log.frames);
    this.hits = new Rows(5); // frame, a, b, kind, contact of each that begins or ends
    this.changes = new Rows(3); // frame, id, index into CHANGES
    this.keyframes = new Map();
    this.keyframeEvery = 32;
    this.keyframeBytes = 0;
    this.bounds = null;
    this.verdict = {
      isDone: false,
      frames: 0,
      hash: null,
      compared: { hashes: 0, events: 0, queries: 0, native: 0 },
      first: null, // the first frame where the log records something else: { frame, fields }
      differing: 0,
      nativeFirst: null,
      refused: null, // { frame, message }
      digest: null, // of the text against the footer: "same", "differs", "none", "unknown"
    };
  }

  // Takes the text in; `arrived` is called after each piece.
  async load(arrived) {
    const compressed = bytesOfBase64(this.log.data);
    for await (const piece of gunzipped(compressed)) {
      this.text.add(piece);
      if (!this.header && this.text.arrived > 0) this.#begin();
      arrived();
    }
    if (!this.text.isComplete) throw new Error(`${this.log.name}: the page holds less of the log than it should`);
    if (!this.header) this.#begin();
    await this.#checkDigest();
    arrived();
  }

  #begin() {
    this.header = this.text.header();
    const { hit_when: hitWhen, layers } = this.header;
    // No state depends on the capacity: worlds are made as large as the log's ids need, not as its header allows.
    this.config = { capacity: this.log.ids, hitWhen, masks: layerMasks(layers) };
    this.#checking = new Run(this);
    this.#playing = new Run(this);
  }

  async #checkDigest() {
    const footer = this.text.footer();
    if (footer?.sha256 === undefined) {
      this.verdict.digest = "none";
      return;
    }
    if (!globalThis.crypto?.subtle) {
      this.verdict.digest = "unknown";
      return;
    }
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", this.text.beforeFooter()));
    const hex = Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
    this.verdict.digest = hex === footer.sha256.toLowerCase() ? "same" : "differs";
  }

  // ---- from start to end ----

  #checking;

  get checked() {
    return this.#checking?.next ?? 0;
  }

  get #isCheckDue() {
    return this.checked < Math.min(this.end, this.text.arrived);
  }

  // Checks frames until `until()` says so or none is left that has arrived. True if there are more.
  check(until) {
    if (!this.#checking || this.verdict.isDone) return false;
    while (this.#isCheckDue && !until()) this.#checkFrame();
    if (this.text.isComplete && this.verdict.digest !== null && this.checked === this.end) {
      Object.assign(this.verdict, { isDone: true, frames: this.end });
      this.verdict.hash = this.end > 0 ? hex16(this.hashes[this.end - 1]) : hex16(this.#checking.world.hash());
    }
    return this.#isCheckDue;
  }

  #checkFrame() {
    const run = this.#checking;
    const number = run.next;
    const isKey = number % this.keyframeEvery === 0;
    if (isKey) this.#keep(number, run);
    let frame;
    try {
      frame = run.step();
    } catch (error) {
      this.#refuse(number, error);
      return;
    }
    if (isKey || run.next === this.end) this.#widen(new Colliders(run.world.colliders()));
    this.#remember(number, frame, run.events);
    const hash = run.world.hash();
    this.hashes[number] = hash;
    this.#compare(number, frame, run, hash);
  }

  // A command that the world refuses ends what can be played; so does a line that is no JSON.
  #refuse(number, error) {
    if (!(error instanceof Refused || error instanceof SyntaxError)) throw error;
    this.end = number;
    this.verdict.refused = { frame: number, message: error.message };
  }

  #keep(number, run) {
    const saved = run.world.save();
    this.keyframes.set(number, saved);
    this.keyframeBytes += saved.length;
    if (this.keyframeBytes > KEYFRAME_BYTES_MAX) {
      this.keyframeEvery *= 2;
      for (const [frame, { length }] of this.keyframes) {
        if (frame % this.keyframeEvery !== 0) {
          this.keyframes.delete(frame);
          this.keyframeBytes -= length;
        }
      }
    }
  }

  // Widens the bounds by a frame's colliders.
  #widen(colliders) {
    this.bounds ??= { centres: emptyBox(), sizes: new Map() };
    const { centres, sizes } = this.bounds;
    for (const solid of colliders.solids) {
      const { x, y, z } = solid;
      const [wx, wz] = halfWidths(solid);
      const wide = [wx, halfHeight(solid), wz];
      const size = Math.ceil(Math.log2(Math.max(...wide)));
      if (!sizes.has(size)) sizes.set(size, emptyBox());
      include(centres, [x, y, z], [0, 0, 0]);
      include(sizes.get(size), [x, y, z], wide);
    }
  }

  #remember(number, frame, events) {
    const { enters, exits } = this.counts;
    for (let at = 0; at < events.length; at += 4) {
      const kind = events[at + 2];
      if (kind === STAY) continue;
      if (kind === ENTER) enters[number]++;
      else exits[number]++;
      this.hits.push(number, events[at], events[at + 1], kind, events[at + 3]);
    }
    for (const [name, id] of frame.after ? [...frame.commands, ...frame.after] : frame.commands) {
      const change = CHANGES.indexOf(name);
      if (change >= 0) this.changes.push(number, id, change);
    }
  }

  #compare(number, frame, run, hash) {
    const { verdict } = this;
    const fields = differingFields(frame, run, hash);
    verdict.compared.hashes += frame.hash !== undefined;
    verdict.compared.events += frame.events !== undefined;
    verdict.compared.queries += frame.queries?.length ?? 0;
    if (fields.length > 0) {
      verdict.first ??= { frame: number, fields };
      verdict.differing++;
      this.counts.differs[number] = 1;
    }
    if (this.native && number * 8 < this.native.byteLength) {
      verdict.compared.native++;
      const native = this.native.getBigUint64(number * 8, true);
      if (native !== hash) {
        verdict.nativeFirst ??= { frame: number, native: hex16(native), computed: hex16(hash) };
        this.counts.differs[number] = 1;
      }
    }
  }

  // ---- to one frame ----

  #playing;
  #wakes = [];

  // Goes towards a frame until `until()` says so; true once it is there. wakeFrames: how many frames before it leave traces.
  goTo(frame, until, wakeFrames = WAKE_FRAMES) {
    const from = Math.max(0, frame - wakeFrames);
    const { next } = this.#playing;
    const hasWakes = this.#wakes.length > 0 && this.#wakes[0].frame <= from && this.#wakes.at(-1).frame === next - 1;
    let keyframe = from - (from % this.keyframeEvery);
    while (keyframe > 0 && !this.keyframes.has(keyframe)) keyframe -= this.keyframeEvery;
    if (next < keyframe || next > frame + 1 || (next > from && !hasWakes)) this.#restart(keyframe);
    const run = this.#playing;
    while (run.next <= frame) {
      if (until()) return false;
      try {
        run.step();
      } catch (error) {
        this.#refuse(run.next, error);
        this.#restart(0);
        return false;
      }
      // The frame before the first one wanted as well: it knows where hits were.
      if (run.next >= from) {
        run.look();
        this.#keepWake(run.wake());
      }
    }
    return true;
  }

  // Those kept are of frames that follow one another.
  #keepWake(wake) {
    if (this.#wakes.at(-1)?.frame !== wake.frame - 1) this.#wakes = [];
    this.#wakes.push(wake);
    if (this.#wakes.length > WAKE_FRAMES + 2) this.#wakes.shift();
  }

  #restart(keyframe) {
    this.#wakes = [];
    if (keyframe > 0) this.#playing.restore(keyframe, this.keyframes.get(keyframe));
    else this.#playing = new Run(this);
  }

  // All there is to show of the frame that `goTo` has reached. `after`: the frame shown before, whose wakes are known there.
  snapshot(after, selected) {
    const run = this.#playing;
    const frame = run.next - 1;
    const hash = run.world.hash();
    const isKnown = after < frame && this.#wakes[0].frame <= after + 1;
    return {
      frame,
      colliders: run.colliders.words.buffer,
      events: run.events,
      hash: hex16(hash),
      differences: differences(run.recorded, run, hash),
      isFresh: !isKnown,
      wakes: this.#wakes.filter((wake) => wake.frame > (isKnown ? after : -1)),
      centre: selected === null ? null : run.centre(selected),
    };
  }

  // The last frame's recorded line, parsed, and what the run made of it.
  get shown() {
    return this.#playing;
  }

  // What has happened to a collider in the frames checked so far.
  history(id) {
    const hits = this.hits.rows((values, at) => values[at + 1] === id || values[at + 2] === id);
    const changes = this.changes.rows((values, at) => values[at + 1] === id);
    return { id, hits, changes: changes.map(([frame, , change]) => [frame, CHANGES[change]]) };
  }
}

// Where a match takes place, in units: { centres: a box around all centres, sizes: boxes around all shapes, by the power of two
// that their half width is below }.
const emptyBox = () => ({ low: [Infinity, Infinity, Infinity], high: [-Infinity, -Infinity, -Infinity] });

function include(box, centre, wide) {
  for (let axis = 0; axis < 3; axis++) {
    box.low[axis] = Math.min(box.low[axis], centre[axis] - wide[axis]);
    box.high[axis] = Math.max(box.high[axis], centre[axis] + wide[axis]);
  }
}
