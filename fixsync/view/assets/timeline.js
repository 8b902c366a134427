// The timeline: where hits begin (up) and end (down), what has been checked, what differs, the
// frame shown, and the frames of the lanes.
import { seekable, sharpen } from "./sharp.js";

// pixels kept for the selected collider's hits, below, and for differences, above
const ROWS = { selected: 7, differs: 6 };

export class Timeline {
  #canvas;
  #still = document.createElement("canvas"); // all but the playhead
  #isStale = true;

  // onSeek(frame, isDragging) is called for a click and while the pointer drags.
  constructor(canvas, onSeek) {
    this.#canvas = canvas;
    this.first = 0;
    this.frames = 0;
    this.frame = 0;
    this.checked = 0;
    this.window = [0, 0]; // the frames that the lanes show
    this.enters = new Uint32Array(0); // of each frame from the first one on
    this.exits = new Uint32Array(0);
    this.differs = new Uint8Array(0);
    this.intervals = []; // [first, last] frame of each hit of the selected collider
    const frameAt = (part) =>
      Math.min(this.frames - 1, Math.max(0, Math.round(part * this.frames - 0.5))) + this.first;
    seekable(canvas, frameAt, onSeek);
  }

  setFrames(first, end) {
    const frames = end - first;
    Object.assign(this, { first, frames, checked: first });
    this.enters = new Uint32Array(frames);
    this.exits = new Uint32Array(frames);
    this.differs = new Uint8Array(frames);
    this.changed();
  }

  changed() {
    this.#isStale = true;
  }

  resize() {
    Object.assign(this, sharpen(this.#canvas, this.#still));
    this.changed();
  }

  draw(theme) {
    if (!this.width) return;
    if (this.#isStale) this.#drawStill(theme);
    const g = this.#canvas.getContext("2d");
    g.clearRect(0, 0, this.width, this.height);
    g.drawImage(this.#still, 0, 0, this.width, this.height);
    if (this.frames === 0) return;
    const [from, to] = this.window.map((frame) => this.#x(frame));
    g.fillStyle = `${theme.accent}22`;
    if (to - from < this.width - 1) g.fillRect(from, 0, Math.max(2, to - from), this.height);
    const x = this.#x(this.frame + 0.5);
    g.fillStyle = theme.accent;
    g.fillRect(x - 1, 0, 2, this.height);
    g.beginPath();
    g.moveTo(x - 5, 0);
    g.lineTo(x + 5, 0);
    g.lineTo(x, 7);
    g.fill();
  }

  #x(frame) {
    return ((frame - this.first) / this.frames) * this.width;
  }

  #drawStill(theme) {
    this.#isStale = false;
    const g = this.#still.getContext("2d");
    g.clearRect(0, 0, this.width, this.height);
    if (this.frames === 0) return;
    const middle = (this.height - ROWS.selected + ROWS.differs) / 2;
    const tall = middle - ROWS.differs - 1;
    g.fillStyle = theme.grid;
    g.fillRect(
      this.#x(this.checked),
      ROWS.differs,
      this.width,
      this.height - ROWS.selected - ROWS.differs,
    );
    const columns = Math.max(1, Math.floor(this.width));
    const [ups, downs, wrong] = [
      new Float64Array(columns),
      new Float64Array(columns),
      new Uint8Array(columns),
    ];
    for (let frame = 0; frame < this.frames; frame++) {
      const column = Math.min(columns - 1, Math.floor(((frame + 0.5) / this.frames) * columns));
      ups[column] += this.enters[frame];
      downs[column] += this.exits[frame];
      wrong[column] |= this.differs[frame];
    }
    const most = Math.max(
      1,
      ups.reduce((a, b) => Math.max(a, b), 0),
      downs.reduce((a, b) => Math.max(a, b), 0),
    );
    const wide = Math.max(
      1,
      this.width / Math.max(columns, 1),
      Math.min(8, (this.width / this.frames) * 0.8),
    );
    const length = (count) => (count === 0 ? 0 : Math.max(2, tall * Math.sqrt(count / most)));
    for (let column = 0; column < columns; column++) {
      const x = column - (wide - 1) / 2;
      g.fillStyle = theme.ink;
      if (ups[column] > 0) g.fillRect(x, middle - length(ups[column]), wide, length(ups[column]));
      g.fillStyle = theme.faint;
      if (downs[column] > 0) g.fillRect(x, middle + 1, wide, length(downs[column]));
      g.fillStyle = theme.differs;
      if (wrong[column]) g.fillRect(column - 1, 0, 3, ROWS.differs - 1);
    }
    g.fillStyle = theme.axis;
    g.fillRect(0, middle, this.width, 1);
    g.fillStyle = theme.accent;
    for (const [first, last] of this.intervals) {
      const x = this.#x(first);
      g.fillRect(
        x,
        this.height - ROWS.selected + 2,
        Math.max(2, this.#x(last + 1) - x),
        ROWS.selected - 2,
      );
    }
  }

  // The nearest frame before or after `frame` where a hit begins or ends; null if there is none
  // that has been checked.
  eventFrame(frame, step) {
    for (let at = frame + step; at >= this.first && at < this.checked; at += step) {
      if (this.enters[at - this.first] > 0 || this.exits[at - this.first] > 0) return at;
    }
    return null;
  }
}
