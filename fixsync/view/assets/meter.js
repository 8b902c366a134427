// The lanes below the timeline: of some frames around the one shown, what each body does, and where
// the selected collider is.

import { element } from "./elements.js";
import { units } from "./format.js";
import { GIVEN, MUTUAL } from "./lanes.js";
import { seekable, sharpen } from "./sharp.js";
import { gameName } from "./state.js";

const LANE = 17; // pixels
const PLOT = 24;
const OWN_PLOTS = 3; // rows kept for the selected collider, so that a click moves nothing
const NARROW = matchMedia("(max-width: 820px)"); // there nothing is kept: the lanes lie over the page
const LINE_DASHES = [[], [4, 3], [1.5, 2.5], [8, 3, 2, 3]]; // of the lines of a plot
const CELL = { least: 1, usual: 6, most: 24 }; // pixels a frame

export class Meter {
  #canvas;
  #names;
  #cell = CELL.usual;
  #lanes = []; // { name, id, spans, hits, gameEvents, phases }
  // { name, lines, isPair, text }: what is plotted, and how a value is written
  #plots = { tracks: [], series: [] };
  #labels = []; // of the rows: the elements that say what is in them
  #kept = 0; // rows of plots without one

  // onSeek(frame, isDragging) is called for a click and while the pointer drags.
  constructor(canvas, names, onSeek) {
    this.#canvas = canvas;
    this.#names = names;
    this.first = 0;
    this.end = 0;
    this.frame = 0;
    this.from = 0; // the frame at the left
    this.hasOwnPlots = true; // whether the selected collider has plots
    seekable(canvas, (part) => Math.floor(this.from + (part * this.width) / this.#cell), onSeek);
    canvas.addEventListener(
      "wheel",
      (event) => {
        if (!event.shiftKey) return;
        event.preventDefault();
        this.zoom(Math.exp(-(event.deltaY || event.deltaX) * 0.002));
      },
      { passive: false },
    );
  }

  get isShown() {
    return this.#labels.length > 0;
  }

  zoom(factor) {
    this.#cell = Math.min(CELL.most, Math.max(CELL.least, this.#cell * factor));
  }

  // onSelect(id) is called for a click on a name.
  setLanes(lanes, onSelect) {
    this.#lanes = lanes;
    this.onSelect = onSelect;
    this.#layOut();
  }

  // tracks: where the selected collider is, in raw units, for each log: { first, places, isThere }.
  setTracks(tracks) {
    const axes = tracks.length > 0 ? [..."xyz"] : [];
    this.#plots.tracks = axes.map((name, axis) => {
      const lines = tracks.map((track) => (frame) => placeAt(track, frame, axis));
      return { name, lines, isPair: true, text: units };
    });
    this.#layOut();
  }

  // plots: of why two colliders do not hit each other: { name, lines, text } or { name, isOn, colour,
  // isBoth, text }, bars of frames, pale where `isBoth` is false.
  setPair(plots) {
    this.#plots.tracks = plots;
    this.#layOut();
  }

  // series: of the game's state (game.js): each line gives the value of a frame, or null.
  setSeries(series) {
    this.#plots.series = series;
    this.#layOut();
  }

  get #allPlots() {
    return [...this.#plots.tracks, ...this.#plots.series];
  }

  #layOut() {
    const lanes = this.#lanes.map(({ name, id }) =>
      id === null
        ? element("span", { class: "lane" })
        : element("button", {
            type: "button",
            onclick: () => this.onSelect(id),
            "aria-label": `Select ${name}`,
          }),
    );
    const plots = this.#allPlots.map(() => element("span", {}));
    this.#labels = [...plots, ...lanes];
    const isKept = this.hasOwnPlots && !NARROW.matches && lanes.length > 0;
    this.#kept = isKept ? Math.max(0, OWN_PLOTS - this.#plots.tracks.length) : 0;
    const hint = element("i", { class: "kept" }, "x, y, z of the selected");
    if (this.#kept > 0) hint.style.height = hint.style.lineHeight = `${this.#kept * PLOT}px`;
    const own = plots.splice(0, this.#plots.tracks.length);
    this.#names.replaceChildren(...own, ...(this.#kept > 0 ? [hint] : []), ...plots, ...lanes);
    const rows = this.#allPlots.length + this.#kept;
    this.#canvas.style.height = `${lanes.length * LANE + rows * PLOT}px`;
    this.#canvas.parentElement.hidden = this.#labels.length === 0;
    this.resize();
  }

  resize() {
    Object.assign(this, sharpen(this.#canvas));
  }

  // The frames that there is room for: the one shown in the middle, but at the ends of the match.
  #place() {
    const count = this.width / this.#cell;
    this.from = Math.max(
      this.first,
      Math.min(this.frame - Math.floor(count / 2), this.end - Math.floor(count)),
    );
    this.to = Math.min(this.end, this.from + Math.ceil(count));
  }

  #x(frame) {
    return (frame - this.from) * this.#cell;
  }

  draw(theme) {
    if (!this.width || this.#labels.length === 0) return;
    this.#place();
    const g = this.#canvas.getContext("2d");
    g.clearRect(0, 0, this.width, this.height);
    g.fillStyle = theme.grid;
    for (let frame = Math.ceil(this.from / 10) * 10; frame < this.to; frame += 10)
      g.fillRect(Math.round(this.#x(frame)), 0, 1, this.height);
    const plots = this.#allPlots;
    for (const [row, plot] of plots.entries()) this.#drawPlot(g, theme, plot, row);
    const top = (plots.length + this.#kept) * PLOT;
    for (const [row, lane] of this.#lanes.entries()) {
      this.#drawLane(g, theme, top + row * LANE + 2, lane);
      const texts = [
        phaseText(lane.phases, this.frame),
        ...gameEventTexts(lane.gameEvents, this.frame),
      ];
      this.#label(plots.length + row, lane.name, texts.filter(Boolean).join(", "));
    }
    const x = this.#x(this.frame);
    g.fillStyle = `${theme.accent}40`;
    g.fillRect(x, 0, Math.max(1, this.#cell), this.height);
    g.fillStyle = theme.accent;
    g.fillRect(Math.round(x + this.#cell / 2) - 1, 0, 2, this.height);
  }

  #drawLane(g, theme, top, lane) {
    const tall = LANE - 4;
    const bar = (first, last, y, height, colour) => {
      if (last < this.from || first > this.to) return;
      g.fillStyle = colour;
      const gap = this.#cell >= 4 ? 1 : 0;
      g.fillRect(this.#x(first), y, Math.max(1, (last + 1 - first) * this.#cell - gap), height);
    };
    const { spans, hits, phases } = lane;
    for (let at = 0; at < spans.length; at += 3) {
      if (spans[at + 2] === 0) bar(spans[at], spans[at + 1], top + tall / 2 - 1, 2, theme.axis);
      else if (!phases) bar(spans[at], spans[at + 1], top, tall, theme.active);
    }
    for (const [first, last, , phase] of phases ?? []) {
      const isActive = phase === "active";
      bar(
        first,
        last,
        isActive ? top : top + 3,
        isActive ? tall : tall - 6,
        theme[phase] ?? theme.axis,
      );
    }
    for (let at = 0; at < hits.length; at += 3) {
      if (hits[at] >= this.from && hits[at] <= this.to)
        this.#drawHit(g, theme, hits[at], hits[at + 1], top, tall);
    }
    for (const [frame] of lane.gameEvents)
      if (frame >= this.from && frame <= this.to) this.#drawEvents(g, theme, frame, top, tall);
  }

  // A triangle upwards: it hits; downwards: it is hit; a dot: two bodies, or two attacks, meet.
  #drawHit(g, theme, frame, kind, top, tall) {
    const x = this.#x(frame) + this.#cell / 2;
    const y = top + tall / 2;
    const turn = kind === GIVEN ? 1 : -1;
    g.beginPath();
    if (kind === MUTUAL) g.arc(x, y, 2.5, 0, 2 * Math.PI);
    else {
      g.moveTo(x - 5, y + 4.5 * turn);
      g.lineTo(x + 5, y + 4.5 * turn);
      g.lineTo(x, y - 5 * turn);
      g.closePath();
    }
    g.lineWidth = 2;
    g.strokeStyle = theme.stage;
    g.stroke();
    g.fillStyle = theme.ink;
    g.fill();
  }

  // A hollow diamond: an event of the game's own.
  #drawEvents(g, theme, frame, top, tall) {
    const x = this.#x(frame) + this.#cell / 2;
    const y = top + tall / 2;
    g.beginPath();
    g.moveTo(x, y - 6);
    g.lineTo(x + 6, y);
    g.lineTo(x, y + 6);
    g.lineTo(x - 6, y);
    g.closePath();
    g.lineWidth = 4;
    g.strokeStyle = theme.stage;
    g.stroke();
    g.lineWidth = 1.5;
    g.strokeStyle = theme.ink;
    g.stroke();
  }

  // Lines between the least and the greatest value in the frames shown; of two logs, B's is in the
  // colour of differences.
  #drawPlot(g, theme, plot, row) {
    const top = (row < this.#plots.tracks.length ? row : row + this.#kept) * PLOT;
    if (plot.isOn) {
      this.#drawBars(g, theme, plot, top);
      this.#label(row, plot.name, plot.text(this.frame));
      return;
    }
    const { name, lines, isPair, text } = plot;
    const rows = lines.map((line) => {
      const values = [];
      for (let frame = this.from; frame < this.to; frame++) values.push(line(frame));
      return values;
    });
    const known = rows.flat().filter((value) => value !== null);
    const [low, high] = [Math.min(...known), Math.max(...known)];
    const yOf = (value) =>
      high === low ? top + PLOT / 2 : top + 3 + ((high - value) / (high - low)) * (PLOT - 6);
    g.fillStyle = theme.grid;
    g.fillRect(0, top, this.width, 1);
    g.lineWidth = 1.5;
    for (const [i, values] of rows.entries()) {
      g.setLineDash(LINE_DASHES[i % LINE_DASHES.length]);
      g.strokeStyle = isPair && i > 0 ? theme.differs : theme.ink;
      this.#drawLine(g, values, yOf);
    }
    g.setLineDash([]);
    const range =
      known.length === 0 ? "" : high === low ? text(low) : `${text(low)} to ${text(high)}`;
    g.font = `10px ${theme.font}`;
    g.textBaseline = "top";
    g.lineWidth = 3;
    g.strokeStyle = theme.panel;
    g.strokeText(range, 3, top + 2);
    g.fillStyle = theme.faint;
    g.fillText(range, 3, top + 2);
    const now = lines.map((line) => line(this.frame));
    const texts = now.map((value) => (value === null ? "–" : text(value)));
    const isSame = isPair && now.every((value) => value === now[0]);
    this.#label(row, name, isSame ? texts[0] : `${isPair ? "≠ " : ""}${texts.join(" | ")}`);
  }

  #drawBars(g, theme, { isOn, isBoth, colour }, top) {
    g.fillStyle = theme[colour];
    const gap = this.#cell >= 4 ? 1 : 0;
    for (let frame = this.from; frame < this.to; frame++) {
      if (!isOn(frame)) continue;
      g.globalAlpha = isBoth(frame) ? 1 : 0.4;
      g.fillRect(this.#x(frame), top + 4, Math.max(1, this.#cell - gap), PLOT - 8);
    }
    g.globalAlpha = 1;
  }

  // A line through values of the frames from the left one on, with a gap where a value is missing.
  #drawLine(g, values, yOf) {
    g.beginPath();
    for (const [i, value] of values.entries()) {
      if (value === null) continue;
      const x = (i + 0.5) * this.#cell;
      if (i > 0 && values[i - 1] !== null) g.lineTo(x, yOf(value));
      else g.moveTo(x, yOf(value));
    }
    g.stroke();
  }

  #label(row, name, text) {
    const label = this.#labels[row];
    const whole = text ? `${name}  ${text}` : name;
    if (label.textContent === whole) return;
    label.textContent = whole;
    label.title = whole;
  }
}

// A coordinate of a collider in a frame, raw; null while it is not there.
const placeAt = ({ first, places, isThere }, frame, axis) =>
  isThere[frame - first] ? places[3 * (frame - first) + axis] : null;

// Such as "HURT 15", of each of the game's own events in a frame.
const gameEventTexts = (gameEvents, frame) =>
  gameEvents.filter(([at]) => at === frame).map(([, kind, value]) => `${gameName(kind)} ${value}`);

// Such as "slash, startup 2/4".
function phaseText(phases, frame) {
  const found = phases?.find(([first, last]) => first <= frame && frame <= last);
  if (!found) return "";
  const [first, last, name, phase] = found;
  return `${name}, ${phase} ${frame - first + 1}/${last - first + 1}`;
}
