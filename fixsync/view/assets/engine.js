// Replays match logs with the kernel: to any frame, for drawing, and from start to end, to check
// what the logs record.
import { bytesOfBase64, gunzipped } from "../../../bindings/web/bytes.js";
import { Level } from "../../../bindings/web/level.js";
import { hex16, LogText, MatchLogError } from "../../../bindings/web/logs.js";
import { FXS_ENTER, FXS_STAY } from "../../../bindings/web/raw.js";
import { Colliders, extent, WAKE_FRAMES } from "./colliders.js";
import { differences } from "./compare.js";
import { Lanes } from "./lanes.js";
import { planeSize } from "./planes.js";
import { Roster } from "./roster.js";
import { collidersOf, Run } from "./run.js";
import { Solids } from "./solids.js";

const KEYFRAME_BYTES_MAX = 1 << 27;

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
      if (isWanted(this.values, at))
        found.push(Array.from(this.values.subarray(at, at + this.width)));
    }
    return found;
  }
}

// Changes in a collider's history; and where in its frame a row of one stands.
const CHANGES = ["add", "remove", "shape", "offset", "owner", "layer", "on", "off"];
const [BEFORE, AFTER] = [0, 2];

// A log, and the results of replaying it from start to end.
export class LogMatch {
  // log: { name, data (base64 of the gzipped text), bytes (of the text), first (the first frame's
  // number), frames, ids (one more than the highest), hashes (base64 of the native kernel's, or
  // null), others (of the simulation that was run) }. Frames go by their number everywhere.
  constructor(log) {
    this.log = log;
    this.text = new LogText(log.bytes, log.frames);
    this.first = log.first;
    // behind the last frame that can be played: an earlier one if a command is refused
    this.end = log.first + log.frames;
    this.planes = 0; // of a match of two planes: how many ids each has
    this.native = log.hashes ? new DataView(bytesOfBase64(log.hashes).buffer) : null;
    const perFrame = () => new Uint32Array(log.frames);
    this.counts = { enters: perFrame(), exits: perFrame(), differs: new Uint8Array(log.frames) };
    this.hashes = new BigUint64Array(log.frames);
    this.ids = log.ids;
    this.hits = new Rows(6); // frame, a, b, kind, contact, layers of each that begins or ends
    this.changes = new Rows(4); // frame, id, index into CHANGES, BEFORE or AFTER the step
    this.hidden = new Set(); // of the layers of hits: pairs that no count has
    this.pairs = new Map(); // by layers of hits: how many began
    this.moved = new Set(); // ids of colliders that were moved
    this.keyframes = new Map();
    this.keyframeEvery = 32;
    this.keyframeBytes = 0;
    this.bounds = null;
    this.verdict = {
      isDone: false,
      frames: 0,
      hash: null,
      compared: { hashes: 0, events: 0, queries: 0, states: 0, native: 0 },
      first: null, // the first frame where the log records something else: { frame, fields }
      differing: 0,
      nativeFirst: null,
      refused: null, // { frame, message }
      others: [], // what it was recorded with that is not so here: { words, recorded, here }
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
    if (!this.text.isComplete)
      throw new Error(`${this.log.name}: the page holds less of the log than it should`);
    if (!this.header) this.#begin();
    this.verdict.digest = await this.text.digest();
    arrived();
  }

  #begin() {
    this.header = this.text.header();
    this.level = this.header.level ? Level.of(this.header.level.solids) : null;
    this.solids = new Solids(this.header.level?.solids);
    this.planes = planeSize(
      this.header,
      this.log.frames > 0 ? this.frame(this.first).commands : [],
    );
    this.#checking = new Run(this);
    this.#playing = new Run(this);
    this.verdict.others = [...(this.log.others ?? []), ...this.#checking.others];
    this.firstColliders = this.#checking.colliders;
    this.roster = new Roster(this.#checking.world, this.planes, this.solids, this.header.names);
    this.lanes = new Lanes(this.first, this.roster, this.header.names?.game);
  }

  // The line of a frame, parsed.
  frame(number) {
    return this.text.frame(number, this.first);
  }

  // ---- from start to end ----

  #checking;

  get checked() {
    return this.#checking?.next ?? this.first;
  }

  get #isCheckDue() {
    return this.checked < Math.min(this.end, this.first + this.text.arrived);
  }

  // Checks frames until `until()` says so or none is left that has arrived. True if there are more.
  check(until) {
    if (!this.#checking || this.verdict.isDone) return false;
    while (this.#isCheckDue && !until()) this.#checkFrame();
    if (this.text.isComplete && this.verdict.digest !== null && this.checked === this.end) {
      Object.assign(this.verdict, { isDone: true, frames: this.end - this.first });
      this.verdict.hash = hex16(this.#checking.world.hash());
    }
    return this.#isCheckDue;
  }

  #checkFrame() {
    const run = this.#checking;
    const number = run.next;
    const isKey = (number - this.first) % this.keyframeEvery === 0;
    if (isKey) this.#keep(number, run);
    let frame;
    try {
      frame = run.step();
    } catch (error) {
      this.#refuse(number, error);
      return;
    }
    if (isKey || run.next === this.end) this.#widen(new Colliders(collidersOf(run.world)));
    this.#remember(number, frame, run.hits);
    const hash = run.world.hash();
    this.hashes[number - this.first] = hash;
    this.#compare(number, frame, run, hash);
  }

  // A command that the world refuses ends what can be played; so does a line that is not JSON.
  #refuse(number, error) {
    if (!(error instanceof MatchLogError)) throw error;
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
        if ((frame - this.first) % this.keyframeEvery !== 0) {
          this.keyframes.delete(frame);
          this.keyframeBytes -= length;
        }
      }
    }
  }

  // Widens the bounds by a frame's colliders.
  #widen(colliders) {
    const empty = () => ({ centres: emptyBox(), sizes: new Map() });
    this.bounds ??= { ...empty(), moving: empty() };
    for (const solid of colliders.solids) {
      const wide = extent(solid);
      const size = Math.ceil(Math.log2(Math.max(...wide)));
      const isMoving = this.moved.has(solid.id);
      for (const { centres, sizes } of isMoving
        ? [this.bounds, this.bounds.moving]
        : [this.bounds]) {
        if (!sizes.has(size)) sizes.set(size, emptyBox());
        include(centres, solid, wide, 0);
        include(sizes.get(size), solid, wide, 1);
      }
    }
  }

  #remember(number, frame, hits) {
    for (const command of frame.commands) this.#change(number, number, command, BEFORE);
    this.lanes.meet(number, hits);
    for (let at = 0; at < hits.length; at += 4) {
      const [a, b, kind, contact] = hits.subarray(at, at + 4);
      if (kind === FXS_STAY) continue;
      const layers = this.roster.layersOf(a, b);
      if (!this.hidden.has(layers)) this.#count(number, kind);
      if (kind === FXS_ENTER) this.pairs.set(layers, (this.pairs.get(layers) ?? 0) + 1);
      this.hits.push(number, a, b, kind, contact, layers);
    }
    this.lanes.tell(number, frame.game ?? []);
    for (const command of frame.after ?? []) this.#change(number, number + 1, command, AFTER);
  }

  #count(number, kind) {
    this.counts[kind === FXS_ENTER ? "enters" : "exits"][number - this.first]++;
  }

  // Counts again without the hits of some pairs of layers.
  hide(pairs) {
    this.hidden = new Set(pairs);
    this.counts.enters.fill(0);
    this.counts.exits.fill(0);
    for (const [frame, , , kind, , layers] of this.hits.rows(() => true))
      if (!this.hidden.has(layers)) this.#count(frame, kind);
  }

  // effect: the first frame that shows it.
  #change(number, effect, command, order) {
    const [name, id] = command;
    if (name === "move" || name === "pose") this.moved.add(id);
    const change = this.lanes.apply(effect, command);
    if (change !== null) this.changes.push(number, id, CHANGES.indexOf(change), order);
  }

  #compare(number, frame, run, hash) {
    const { verdict } = this;
    const fields = run.differing(hash);
    verdict.compared.hashes += frame.hash !== undefined;
    verdict.compared.events += frame.events !== undefined;
    verdict.compared.states += frame.state !== undefined;
    verdict.compared.queries += frame.queries?.length ?? 0;
    if (fields.length > 0) {
      verdict.first ??= { frame: number, fields };
      verdict.differing++;
      this.counts.differs[number - this.first] = 1;
    }
    if (this.native) {
      verdict.compared.native++;
      const native = this.native.getBigUint64((number - this.first) * 8, true);
      if (native !== hash) {
        verdict.nativeFirst ??= { frame: number, native: hex16(native), computed: hex16(hash) };
        this.counts.differs[number - this.first] = 1;
      }
    }
  }

  // ---- to one frame ----

  #playing;
  #wakes = [];

  // Goes towards a frame until `until()` says so; true once it is there. wakeFrames: how many
  // frames before it leave traces.
  goTo(frame, until, wakeFrames = WAKE_FRAMES) {
    const from = Math.max(this.first, frame - wakeFrames);
    const { next } = this.#playing;
    const hasWakes =
      this.#wakes.length > 0 &&
      this.#wakes[0].frame <= from &&
      this.#wakes.at(-1).frame === next - 1;
    let keyframe = from - ((from - this.first) % this.keyframeEvery);
    while (keyframe > this.first && !this.keyframes.has(keyframe)) keyframe -= this.keyframeEvery;
    if (next < keyframe || next > frame + 1 || (next > from && !hasWakes)) this.#restart(keyframe);
    const run = this.#playing;
    while (run.next <= frame) {
      if (until()) return false;
      try {
        run.step();
      } catch (error) {
        this.#refuse(run.next, error);
        this.#restart(this.first);
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
    if (keyframe > this.first) this.#playing.restore(keyframe, this.keyframes.get(keyframe));
    else this.#playing = new Run(this);
  }

  // The frame that `goTo` has reached, for the page. `after`: the frame shown before, whose wakes
  // the page has.
  snapshot(after, selected) {
    const run = this.#playing;
    const frame = run.next - 1;
    const hash = run.world.hash();
    const isKnown = after < frame && this.#wakes[0].frame <= after + 1;
    return {
      frame,
      colliders: run.colliders.words.buffer,
      planes: this.planes,
      events: run.hits,
      game: run.line?.game ?? [],
      hash: hex16(hash),
      differences: differences(run, hash),
      isFresh: !isKnown,
      wakes: this.#wakes.filter((wake) => wake.frame > (isKnown ? after : -1)),
      centre: selected === null ? null : run.centre(selected),
    };
  }

  // The last frame's recorded line, parsed, and what the run made of it.
  get shown() {
    return this.#playing;
  }

  // The hits and changes of a collider in the frames checked so far.
  history(id) {
    const hits = this.hits.rows((values, at) => values[at + 1] === id || values[at + 2] === id);
    const changes = this.changes.rows((values, at) => values[at + 1] === id);
    return {
      id,
      hits,
      changes: changes.map(([frame, , change, order]) => [frame, CHANGES[change], order]),
    };
  }
}

// Where a match takes place, in units: { centres: a box around all centres, sizes: boxes around all
// shapes, by the power of two that their half width is below, moving: both for what moves }. An axis
// that a shape reaches through all of does not count for it.
const emptyBox = () => ({
  low: [Infinity, Infinity, Infinity],
  high: [-Infinity, -Infinity, -Infinity],
});

// part: of the widths, 0 or 1.
function include(box, { x, y, z }, wide, part) {
  for (const [axis, centre] of [x, y, z].entries()) {
    if (wide[axis] === 0) continue;
    box.low[axis] = Math.min(box.low[axis], centre - wide[axis] * part);
    box.high[axis] = Math.max(box.high[axis], centre + wide[axis] * part);
  }
}
