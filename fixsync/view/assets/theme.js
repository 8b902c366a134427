// How things look: colours, dashes and marks.
import { FXS_ENTER, FXS_EXIT, FXS_STAY } from "../../../bindings/web/raw.js";

export const LAYER_COLOURS = 8;
const DASHES = [[], [6, 3], [2, 3], [8, 3, 2, 3]]; // layers 0..7, 8..15, 16..23, 24..31
export const MARK_PIXELS = 20; // of a mark at its full size

// The colour and dash, 0..31, of a collider: of its layer, or of its owner, where the last colour
// is for those without one.
export function paintOf({ colourBy }, { layer, owner }) {
  if (colourBy === "layer") return layer;
  const turn = owner - 1;
  return owner === 0
    ? LAYER_COLOURS - 1
    : (turn % 7) + LAYER_COLOURS * (Math.floor(turn / 7) % DASHES.length);
}

export const dashOf = (layer) => DASHES[Math.floor(layer / LAYER_COLOURS)];

// Colours from the style sheet, so that a theme is written in one place.
export function readTheme(element) {
  const style = getComputedStyle(element);
  const colour = (name) => style.getPropertyValue(`--${name}`).trim();
  const names = [
    "ink",
    "faint",
    "grid",
    "axis",
    "stage",
    "panel",
    "accent",
    "differs",
    "area",
    "startup",
    "active",
    "recovery",
  ];
  const colours = Object.fromEntries(names.map((name) => [name, colour(name)]));
  return {
    ...colours,
    marks: new MarkPictures(colours),
    layers: Array.from({ length: LAYER_COLOURS }, (_, i) => colour(`layer-${i}`)),
    font: style.fontFamily,
  };
}

const MARK_LINES = {
  [FXS_ENTER]: [[0, -6, 6, 0, 0, 6, -6, 0, 0, -6, 6, 0]],
  [FXS_EXIT]: [
    [-4.2, -4.2, 4.2, 4.2],
    [-4.2, 4.2, 4.2, -4.2],
  ],
};

// The marks of hits as pictures, filled and hollow. FXS_ENTER: a diamond; FXS_STAY: a dot;
// FXS_EXIT: a cross. Pictures at whole pixels are what canvases draw fastest.
class MarkPictures {
  #known = new Map();

  constructor({ ink, stage }) {
    this.ink = ink;
    this.stage = stage;
  }

  // The picture of a mark, `size` pixels wide.
  of(kind, isHollow, size, ratio) {
    const key = `${kind} ${isHollow} ${size} ${ratio}`;
    if (!this.#known.has(key)) this.#known.set(key, this.#drawn(kind, isHollow, size * ratio));
    return this.#known.get(key);
  }

  #drawn(kind, isHollow, pixels) {
    const canvas = new OffscreenCanvas(pixels, pixels);
    const g = canvas.getContext("2d");
    g.translate(pixels / 2, pixels / 2);
    g.scale(pixels / MARK_PIXELS, pixels / MARK_PIXELS);
    g.beginPath();
    for (const [x, y, ...rest] of MARK_LINES[kind] ?? []) {
      g.moveTo(x, y);
      for (let i = 0; i < rest.length; i += 2) g.lineTo(rest[i], rest[i + 1]);
    }
    if (kind === FXS_STAY) g.arc(0, 0, 3, 0, 2 * Math.PI);
    const lines = [
      [4.5, this.stage],
      [2, this.ink],
    ];
    for (const [width, colour] of lines) {
      g.lineWidth = width;
      g.strokeStyle = colour;
      g.stroke();
    }
    g.fillStyle = isHollow ? this.stage : this.ink;
    if (kind !== FXS_EXIT) g.fill();
    return canvas.transferToImageBitmap();
  }
}
