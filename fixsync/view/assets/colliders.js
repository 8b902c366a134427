// Colliders of one frame, read out of fxs_collider records, and their geometry for drawing: in
// units, as floating point. Nothing here decides an answer.

import { FXS_SIZE_MAX, fxs_collider } from "../../../bindings/web/raw.js";
import { KINDS_BY_CODE, SHAPES } from "../../../bindings/web/tables.js";
import { drawingOf } from "./kinds.js";

export const UNIT = 65536;
export const KINDS = Object.keys(SHAPES);
// Frames before the one shown whose traces are drawn: trails, hits that began or ended, areas of
// queries.
export const WAKE_FRAMES = 24;
const WORDS = fxs_collider.$size / 4;
const RADIANS = (2 * Math.PI) / 65536;

export class Colliders {
  #bytes;
  #halves;

  // `before`: the colliders of the frame shown before, which are not looked at any more; their
  // solids are written over. planes: of a match of two planes, how many ids each has.
  constructor(buffer, before = null, planes = 0) {
    this.planes = planes;
    this.old = before?.drawn ?? before?.old ?? [];
    this.count = buffer.byteLength / fxs_collider.$size;
    this.words = new Int32Array(buffer);
    this.#bytes = new Uint8Array(buffer);
    this.#halves = new Uint16Array(buffer);
  }

  id(i) {
    return this.words[i * WORDS] >>> 0;
  }

  // Where the collider with this id is, or -1.
  indexOf(id) {
    let low = 0;
    let high = this.count;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.id(middle) < id) low = middle + 1;
      else high = middle;
    }
    return low < this.count && this.id(low) === id ? low : -1;
  }

  kind(i) {
    return this.#bytes[i * fxs_collider.$size + 4];
  }
  layer(i) {
    return this.#bytes[i * fxs_collider.$size + 5];
  }
  active(i) {
    return this.#bytes[i * fxs_collider.$size + 6] === 1;
  }

  // All values as the state holds them, raw.
  raw(i) {
    const at = i * WORDS;
    const [, , , owner] = this.words.subarray(at, at + 4);
    return {
      id: this.id(i),
      kind: this.kind(i),
      layer: this.layer(i),
      active: this.active(i),
      yaw: this.#halves[at * 2 + 4],
      halfAngle: this.#halves[at * 2 + 5],
      owner: owner >>> 0,
      position: [...this.words.subarray(at + 4, at + 7)],
      offset: [...this.words.subarray(at + 7, at + 10)],
      size: [...this.words.subarray(at + 10, at + 13)],
    };
  }

  // A solid to draw: centre, direction and sizes in units. `into`: one to be written over.
  solid(i, into = newSolid()) {
    const at = i * WORDS;
    const words = this.words;
    const yaw = this.#halves[at * 2 + 4] * RADIANS;
    const [c, s] = [Math.cos(yaw), Math.sin(yaw)];
    const [ox, oz] = [words[at + 7], words[at + 9]];
    into.id = words[at] >>> 0;
    into.key = this.planes ? into.id % this.planes : into.id;
    into.kind = this.kind(i);
    into.layer = this.planes ? this.layer(i) % 16 : this.layer(i);
    into.owner = words[at + 3] >>> 0;
    into.active = this.active(i);
    into.yaw = yaw;
    into.c = c;
    into.s = s;
    into.x = (words[at + 4] + ox * c - oz * s) / UNIT;
    into.y = (words[at + 5] + words[at + 8]) / UNIT;
    into.z = (words[at + 6] + ox * s + oz * c) / UNIT;
    into.halfAngle = this.#halves[at * 2 + 5] * RADIANS;
    for (let axis = 0; axis < 3; axis++) into.size[axis] = words[at + 10 + axis] / UNIT;
    return into;
  }

  // All solids, worked out once.
  get solids() {
    if (!this.drawn) {
      this.drawn = Array.from({ length: this.count }, (_, i) => this.solid(i, this.old[i]));
      this.old = [];
    }
    return this.drawn;
  }

  // The solids that a view shows: of two planes, those of one.
  solidsOf(projection) {
    if (!this.planes) return this.solids;
    return this.solids.filter(({ id, key }) => (id === key) === (projection === "top"));
  }
}

const newSolid = () => ({
  id: 0,
  // the id that people know: of two planes, both colliders of a hitbox have the ground view's
  key: 0,
  kind: 0,
  layer: 0,
  owner: 0,
  active: true,
  yaw: 0.5,
  c: 0.5,
  s: 0.5,
  x: 0.5,
  y: 0.5,
  z: 0.5,
  halfAngle: 0.5,
  size: [0.5, 0.5, 0.5],
  sx: 0.5, // where it is on the canvas that is being drawn, in pixels
  sy: 0.5,
});

// The solid of a shape of a match log at a place: what queries and casts are drawn as.
export function solidOf(shape, [x, y, z], yaw) {
  const [name, ...sizes] = shape;
  const { code: kind, sizes: names } = SHAPES[name];
  const [first, second, third] = sizes
    .filter((_, i) => names[i] !== "half_angle")
    .map((size) => size / UNIT);
  return {
    ...newSolid(),
    id: -1,
    kind,
    yaw: yaw * RADIANS,
    c: Math.cos(yaw * RADIANS),
    s: Math.sin(yaw * RADIANS),
    x: x / UNIT,
    y: y / UNIT,
    z: z / UNIT,
    halfAngle: names.includes("half_angle") ? sizes[names.indexOf("half_angle")] * RADIANS : 0,
    size: [first, second ?? 0, third ?? 0],
  };
}

export const halfHeight = (solid) => drawingOf(solid).profile.halfHeight(solid);

// Half the width along x and z of what the shape covers of the ground plane.
export const halfWidths = (solid) => drawingOf(solid).plan.halfWidths(solid);

// Half of what a solid covers along x, y, z; 0 along an axis that it reaches through all of, as
// shapes of flat games do.
export function extent(solid) {
  const [wx, wz] = halfWidths(solid);
  const isEndless = (axis) => solid.size[axis] * UNIT >= FXS_SIZE_MAX;
  return [wx, isEndless(1) ? 0 : halfHeight(solid), isEndless(2) ? 0 : wz];
}

// The radius of the hole, 0 without one.
export const innerRadius = ({ kind, size }) => (KINDS_BY_CODE[kind][1].hasHole ? size[2] : 0);

export const coversGround = (solid, x, z) =>
  drawingOf(solid).plan.covers(solid, x - solid.x, z - solid.z);

export function coversSide(solid, x, y) {
  const { plan, profile } = drawingOf(solid);
  return profile.covers(solid, x - solid.x, y - solid.y, plan.span(solid));
}

// The point of a solid's ground plan that is nearest to (x, z).
function nearestOnGround(solid, x, z) {
  const [dx, dz] = drawingOf(solid).plan.nearest(solid, x - solid.x, z - solid.z);
  return [solid.x + dx, solid.z + dz];
}

// Where to mark the contact of two solids: between the points of each that are nearest to the
// other's centre; and the size of the smaller one.
export function contactPlace(a, b) {
  const [ax, az] = nearestOnGround(a, b.x, b.z);
  const [bx, bz] = nearestOnGround(b, a.x, a.z);
  const y =
    (Math.max(a.y - halfHeight(a), b.y - halfHeight(b)) +
      Math.min(a.y + halfHeight(a), b.y + halfHeight(b))) /
    2;
  return { x: (ax + bx) / 2, y, z: (az + bz) / 2, size: Math.min(a.size[0], b.size[0]) };
}
