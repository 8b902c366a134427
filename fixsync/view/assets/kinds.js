// How each kind of shape is drawn: its plan from above, its profile from the side. All that depends
// on a kind is in this file. Lengths are in units; x, y and z lead from the centre of a solid
// (colliders.js). Outlines are added to the current path of a canvas, about (sx, sy), in pixels:
// `scale` of them are a unit, by `margin` of them the outline is larger, and z grows upwards if
// upSign is 1, downwards if it is -1.
import { KINDS_BY_CODE, SHAPES } from "../../../bindings/web/tables.js";

export const FULL_TURN = 2 * Math.PI;

// A plan:
//   halfWidths  half of what it covers along x and z, at least;
//   span        the least and greatest x;
//   reach       how far it is from the centre at most;
//   breadth     with size[0], by which of two solids is the smaller one to be picked;
//   covers      whether a point is in it;
//   nearest     its point that is nearest to another;
//   edges       the x of each upright edge that is seen from the side, where z grows upwards;
//   outline;
//   isCentred   whether its place is its middle: else a label stands right beside the place.

const DISC = {
  halfWidths: ({ size: [radius] }) => [radius, radius],
  span: ({ size: [radius] }) => [-radius, radius],
  reach: ({ size: [radius] }) => radius,
  breadth: ({ size: [radius] }) => radius,
  covers: ({ size: [radius] }, x, z) => x * x + z * z <= radius * radius,
  nearest({ size: [radius] }, x, z) {
    const part = Math.min(1, radius / Math.hypot(x, z));
    return [x * part, z * part];
  },
  edges: () => [],
  outline(g, { sx, sy, size }, { scale, margin }) {
    const radius = size[0] * scale + margin;
    g.moveTo(sx + radius, sy);
    g.arc(sx, sy, radius, 0, FULL_TURN);
  },
  isCentred: true,
};

const RECTANGLE = {
  halfWidths: ({ size, c, s }) => [
    Math.abs(c) * size[0] + Math.abs(s) * size[2],
    Math.abs(s) * size[0] + Math.abs(c) * size[2],
  ],
  span(solid) {
    const [half] = RECTANGLE.halfWidths(solid);
    return [-half, half];
  },
  reach: ({ size }) => Math.hypot(size[0], size[2]),
  breadth: ({ size }) => Math.max(...size),
  covers({ size, c, s }, x, z) {
    return Math.abs(x * c + z * s) <= size[0] && Math.abs(z * c - x * s) <= size[2];
  },
  nearest({ size, c, s }, x, z) {
    const along = Math.min(size[0], Math.max(-size[0], x * c + z * s));
    const across = Math.min(size[2], Math.max(-size[2], z * c - x * s));
    return [along * c - across * s, along * s + across * c];
  },
  // The corner nearest to a viewer who stands at the lower edge of the top view.
  edges: ({ size, c, s }) =>
    s !== 0 && c !== 0 ? [(Math.abs(s) * size[2] - Math.abs(c) * size[0]) * Math.sign(c * s)] : [],
  outline(g, { sx, sy, size, c, s }, { scale, upSign, margin }) {
    const [hx, hz] = [size[0] * scale + margin, size[2] * scale + margin];
    const [cx, cz] = [c, -s * upSign]; // the box's x axis on the screen
    const [ex, ez] = [-s, -c * upSign]; // its z axis
    g.moveTo(sx + hx * cx + hz * ex, sy + hx * cz + hz * ez);
    g.lineTo(sx - hx * cx + hz * ex, sy - hx * cz + hz * ez);
    g.lineTo(sx - hx * cx - hz * ex, sy - hx * cz - hz * ez);
    g.lineTo(sx + hx * cx - hz * ex, sy + hx * cz - hz * ez);
    g.closePath();
  },
  isCentred: true,
};

const isInWedge = ({ yaw, halfAngle }, x, z) => {
  const off = Math.abs(Math.atan2(z, x) - yaw) % FULL_TURN;
  return Math.min(off, FULL_TURN - off) <= halfAngle + 1e-9;
};

// Of a sector: size[2] is the radius of its hole.
const WEDGE = {
  halfWidths: DISC.halfWidths,
  span(sector) {
    const { size, yaw, halfAngle } = sector;
    const ends = [-halfAngle, halfAngle].flatMap((turn) =>
      [size[0], size[2]].map((r) => r * Math.cos(yaw + turn)),
    );
    if (isInWedge(sector, 1, 0)) ends.push(size[0]);
    if (isInWedge(sector, -1, 0)) ends.push(-size[0]);
    return [Math.min(...ends), Math.max(...ends)];
  },
  reach: DISC.reach,
  breadth: DISC.breadth,
  covers(sector, x, z) {
    const isOfRing = DISC.covers(sector, x, z) && x * x + z * z >= sector.size[2] ** 2;
    return isOfRing && isInWedge(sector, x, z);
  },
  // As of the whole ring.
  nearest({ size }, x, z) {
    const length = Math.hypot(x, z);
    if (length === 0) return [0, 0];
    const part = Math.min(size[0], Math.max(size[2], length)) / length;
    return [x * part, z * part];
  },
  edges: () => [],
  outline(g, solid, at) {
    const { sx, sy, size, yaw, halfAngle } = solid;
    const { scale, upSign, margin } = at;
    const hole = Math.max(0, size[2] * scale - margin);
    if (halfAngle >= Math.PI) {
      DISC.outline(g, solid, at);
      if (hole > 0) {
        // The other way round, so that it is not filled.
        g.moveTo(sx + hole, sy);
        g.arc(sx, sy, hole, FULL_TURN, 0, true);
      }
      return;
    }
    const front = -yaw * upSign;
    const [from, to] = [front - halfAngle, front + halfAngle];
    g.moveTo(sx + hole * Math.cos(from), sy + hole * Math.sin(from));
    g.arc(sx, sy, size[0] * scale + margin, from, to);
    // Back along the hole, or to the apex.
    g.arc(sx, sy, hole, to, from, true);
    g.closePath();
  },
  isCentred: false,
};

// A profile: half its height, whether it covers a point, and its outline. `span` is that of the
// plan.

// A ball, or one swept along a vertical segment; size[1] of a sphere is 0.
const ROUND = {
  halfHeight: ({ size }) => size[0] + size[1],
  covers({ size }, x, y) {
    const beyond = Math.max(0, Math.abs(y) - size[1]);
    return x * x + beyond * beyond <= size[0] * size[0];
  },
  outline(g, { sx, sy, size }, { scale, margin }) {
    const radius = size[0] * scale + margin;
    const straight = size[1] * scale;
    g.moveTo(sx + radius, sy - straight);
    if (straight === 0) {
      g.arc(sx, sy, radius, 0, FULL_TURN);
      return;
    }
    g.lineTo(sx + radius, sy + straight);
    g.arc(sx, sy + straight, radius, 0, Math.PI);
    g.lineTo(sx - radius, sy - straight);
    g.arc(sx, sy - straight, radius, Math.PI, FULL_TURN);
    g.closePath();
  },
};

// Upright sides, flat ends.
const UPRIGHT = {
  halfHeight: ({ size }) => size[1],
  covers: ({ size }, x, y, [left, right]) => Math.abs(y) <= size[1] && x >= left && x <= right,
  outline(g, { sx, sy, size }, { scale, margin }, [left, right]) {
    const tall = size[1] * scale + margin;
    g.rect(sx + left * scale - margin, sy - tall, (right - left) * scale + 2 * margin, 2 * tall);
  },
};

// `mark`: the radius of a circle within those that have one plan, of their own radius; in pixels.
export const DRAWINGS = {
  sphere: { plan: DISC, profile: ROUND, mark: () => 1.5 },
  capsule: { plan: DISC, profile: ROUND, mark: (radius) => radius * 0.55 },
  cylinder: { plan: DISC, profile: UPRIGHT, mark: null },
  box: { plan: RECTANGLE, profile: UPRIGHT, mark: null },
  sector: { plan: WEDGE, profile: UPRIGHT, mark: null },
};

const BY_CODE = KINDS_BY_CODE.map(([name]) => {
  if (!DRAWINGS[name]) throw new Error(`kinds.js does not say how this kind is drawn: ${name}`);
  return DRAWINGS[name];
});

export const drawingOf = ({ kind }) => BY_CODE[kind];

// A sector with a hole meets no sector.
export const canNeverMeet = (a, b) =>
  a.kind === SHAPES.sector.code && b.kind === a.kind && (a.size[2] !== 0 || b.size[2] !== 0);
