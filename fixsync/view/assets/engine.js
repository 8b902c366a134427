// Replays match logs with the kernel: to any frame, for drawing, and from start to end, to check
// what the logs record.
import { layerMasks } from "../../../bindings/web/commands.js";
import { Level } from "../../../bindings/web/level.js";
import { FXS_ENTER, FXS_STAY } from "../../../bindings/web/raw.js";
import { Colliders, extent, WAKE_FRAMES } from "./colliders.js";
import { differences, differingFields } from "./compare.js";
import { Lanes } from "./lanes.js";
import { bytesOfBase64, gunzipped, hex16, LogText } from "./matchlog.js";
import { planeSize } from "./planes.js";
import { collidersOf, Refused, Run } from "./run.js";
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

// Commands in a collider's history.
const CHANGES = ["add", "remove", "shape", "offset", "owner", "layer", "active"];

// A log, and the results of replaying it from start to end.
export class Match {
  // log: { name, data (base64 of the gzipped text), bytes (of the text), first (the first frame's
  // number), frames, ids (one more than the highest), hashes (base64 of the native kernel's, or
  // null) }. Frames go by their number everywhere.
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
    if (!this.text.isComplete)
      throw new Error(`${this.log.name}: the page holds less of the log than it should`);
    if (!this.header) this.#begin();
    await this.#checkDigest();
    arrived();
  }

  #begin() {
    this.header = this.text.header();
    const { hit_when: hitWhen, layers, from } = this.header;
    // No state depends on the capacity: worlds are made as large as the log's ids need, not as its
    // header allows.
    const state = from ? bytesOfBase64(from.state) : null;
    const level = this.header.level ? Level.of(this.header.level.solids) : null;
    this.config = {
      capacity: this.log.ids,
      hitWhen,
      layers,
      masks: layerMasks(layers),
      state,
      level,
    };
    this.solids = new Solids(this.header.level?.solids);
    this.planes = planeSize(
      this.header,
      this.log.frames > 0 ? this.frame(this.first).commands : [],
    );
    this.#checking = new Run(this);
    this.#playing = new Run(this);
    this.firstColliders = this.#checking.colliders;
    this.lanes = new Lanes(this.first, this.firstColliders, this.planes);
  }

  // The line of a frame, parsed.
  frame(number) {
    const frame = this.text.frame(number - this.first);
    if (frame.frame !== number)
      throw new Refused(`line ${number - this.first + 2}: frame ${frame.frame}, not ${number}`);
    return frame;
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
        if ((frame - this.first) % this.keyframeEvery !== 0) {
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
      const wide = extent(solid);
      const size = Math.ceil(Math.log2(Math.max(...wide)));
      if (!sizes.has(size)) sizes.set(size, emptyBox());
      include(centres, solid, wide, 0);
      include(sizes.get(size), solid, wide, 1);
    }
  }

  #remember(number, frame, hits) {
    const { enters, exits } = this.counts;
    const row = number - this.first;
    for (const command of frame.commands) this.#change(number, number, command);
    this.lanes.meet(number, hits);
    for (const command of frame.after ?? []) this.#change(number, number + 1, command);
    for (let at = 0; at < hits.length; at += 4) {
      const kind = hits[at + 2];
      if (kind === FXS_STAY) continue;
      if (kind === FXS_ENTER) enters[row]++;
      else exits[row]++;
      this.hits.push(number, hits[at], hits[at + 1], kind, hits[at + 3]);
    }
  }

  // effect: the first frame that shows it.
  #change(number, effect, command) {
    const change = CHANGES.indexOf(command[0]);
    if (change < 0) return;
    this.changes.push(number, command[1], change);
    this.lanes.apply(effect, command);
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

  // The hits and changes of a collider in the frames checked so far.
  history(id) {
    const hits = this.hits.rows((values, at) => values[at + 1] === id || values[at + 2] === id);
    const changes = this.changes.rows((values, at) => values[at + 1] === id);
    return { id, hits, changes: changes.map(([frame, , change]) => [frame, CHANGES[change]]) };
  }
}

// Where a match takes place, in units: { centres: a box around all centres, sizes: boxes around all
// shapes, by the power of two that their half width is below }. An axis that a shape reaches
// through all of does not count for it.
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
