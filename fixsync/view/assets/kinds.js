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

// Over a convex polygon. `corners`: those of a size with yaw 0, counterclockwise.
function polygon(corners) {
  // Of each edge the corner where it begins, and the way to the next one: [x, z, ux, uz].
  const edgesOf = ({ size, c, s }) => {
    const placed = corners(size).map(([x, z]) => [x * c - z * s, x * s + z * c]);
    return placed.map(([x, z], i) => {
      const next = placed[(i + 1) % placed.length];
      return [x, z, next[0] - x, next[1] - z];
    });
  };
  const isInside = (edges, x, z) =>
    edges.every((edge) => edge[2] * (z - edge[1]) >= edge[3] * (x - edge[0]));
  const most = (solid, measure) => Math.max(...edgesOf(solid).map(measure));
  return {
    halfWidths: (solid) => [0, 1].map((axis) => most(solid, (edge) => Math.abs(edge[axis]))),
    span: (solid) => [-most(solid, ([x]) => -x), most(solid, ([x]) => x)],
    reach: (solid) => most(solid, ([x, z]) => Math.hypot(x, z)),
    breadth: ({ size }) => Math.max(...size),
    covers: (solid, x, z) => isInside(edgesOf(solid), x, z),
    nearest(solid, x, z) {
      const edges = edgesOf(solid);
      if (isInside(edges, x, z)) return [x, z];
      const points = edges.map(([atX, atZ, ux, uz]) => {
        const along = ((x - atX) * ux + (z - atZ) * uz) / (ux * ux + uz * uz);
        const part = Math.min(1, Math.max(0, along));
        return [atX + part * ux, atZ + part * uz];
      });
      const distance = (point) => Math.hypot(x - point[0], z - point[1]);
      return points.reduce((a, b) => (distance(b) < distance(a) ? b : a));
    },
    // The corners between two edges that face a viewer at the lower edge of the top view.
    edges: (solid) =>
      edgesOf(solid)
        .filter((edge, i, all) => edge[2] > 0 && all.at(i - 1)[2] > 0)
        .map(([x]) => x),
    outline(g, solid, { scale, upSign, margin }) {
      edgesOf(solid).forEach(([x, z, ux, uz], i, all) => {
        const [, , beforeX, beforeZ] = all.at(i - 1);
        // Both edges are moved out by the margin: the corner is where they meet.
        const out = margin / (beforeX * uz - beforeZ * ux);
        const [long, before] = [Math.hypot(ux, uz), Math.hypot(beforeX, beforeZ)];
        g[i ? "lineTo" : "moveTo"](
          solid.sx + x * scale + out * (beforeX * long - ux * before),
          solid.sy - upSign * (z * scale + out * (beforeZ * long - uz * before)),
        );
      });
      g.closePath();
    },
    isCentred: true,
  };
}

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

// Of a kind with corners.
const prism = (corners) => ({ plan: polygon(corners), profile: UPRIGHT, mark: null });

// `mark`: the radius of a circle within those that have one plan, of their own radius; in pixels.
export const DRAWINGS = {
  sphere: { plan: DISC, profile: ROUND, mark: () => 1.5 },
  capsule: { plan: DISC, profile: ROUND, mark: (radius) => radius * 0.55 },
  cylinder: { plan: DISC, profile: UPRIGHT, mark: null },
  box: prism(([x, , z]) => [
    [x, z],
    [-x, z],
    [-x, -z],
    [x, -z],
  ]),
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
