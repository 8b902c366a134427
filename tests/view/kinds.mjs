// What the page draws of shapes, about (0, 0), in units. Reads from standard input a list of
// { shape, yaw, points }, writes { names, drawn }: for each of the list its half height, half
// widths, reach, the bounds [least, greatest] of its outlines, which points it covers, its nearest
// point to each, and the upright edges that are seen from the side.
import { readFileSync } from "node:fs";
import {
  coversGround,
  coversSide,
  halfHeight,
  halfWidths,
  solidOf,
} from "../../fixsync/view/assets/colliders.js";
import { DRAWINGS, drawingOf } from "../../fixsync/view/assets/kinds.js";
import { outline } from "../../fixsync/view/assets/outline.js";

// A canvas that keeps the corners of its path, and points of its arcs.
class Path {
  points = [];
  moveTo(x, y) {
    this.points.push([x, y]);
  }
  lineTo(x, y) {
    this.points.push([x, y]);
  }
  closePath() {}
  rect(x, y, width, height) {
    this.points.push([x, y], [x + width, y + height]);
  }
  arc(x, y, radius, from, to, isBackwards = false) {
    const turn = isBackwards && to > from ? to - from - 2 * Math.PI : to - from;
    for (let i = 0; i <= 256; i++) {
      const angle = from + (turn * i) / 256;
      this.points.push([x + radius * Math.cos(angle), y + radius * Math.sin(angle)]);
    }
  }
}

function bounds(projection, solid) {
  const view = { context: new Path(), projection, upSign: -1, camera: { scale: 1 } };
  outline(view, { ...solid, sx: 0, sy: 0 });
  const { points } = view.context;
  return [0, 1].map((axis) => {
    const values = points.map((point) => point[axis]);
    return [Math.min(...values), Math.max(...values)];
  });
}

const drawn = JSON.parse(readFileSync(0, "utf8")).map(({ shape, yaw, points }) => {
  const solid = solidOf(shape, [0, 0, 0], yaw);
  const covered = (covers) => points.map(([x, up]) => covers(solid, x, up));
  const { plan } = drawingOf(solid);
  return {
    halfHeight: halfHeight(solid),
    halfWidths: halfWidths(solid),
    top: bounds("top", solid),
    side: bounds("side", solid),
    coversGround: covered(coversGround),
    coversSide: covered(coversSide),
    reach: plan.reach(solid),
    nearest: covered(plan.nearest),
    edges: plan.edges(solid),
  };
});
process.stdout.write(JSON.stringify({ names: Object.keys(DRAWINGS), drawn }));
