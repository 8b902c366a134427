// The areas of queries and casts, drawn in a view.
import { solidOf, UNIT } from "./colliders.js";
import { FADE_FRAMES, faded } from "./marks.js";
import { isVisible, outline } from "./outline.js";

// Areas fade over some frames too, but of one that is asked for again and again only the newest is
// shown.
export function drawAreas(view, scene, side) {
  const known = new Set();
  for (const wake of [...side.wakes].reverse()) {
    const age = side.frame - wake.frame;
    if (age > FADE_FRAMES) break;
    const shapes = wake.areas.map(({ command }) => `${command[0]} ${command[1]}`);
    for (const [i, { command, answer }] of wake.areas.entries()) {
      if (known.has(shapes[i]) || !isOfView(view, side, command)) continue;
      const area = view.place(solidOf(command[1], command[2], command[3]));
      if (command[0] === "query")
        drawQuery(view, scene, side, area, age === 0 ? answer : [], faded(age));
      else drawCast(view, scene, area, command, answer, faded(age));
    }
    for (const shape of shapes) known.add(shape);
  }
  view.context.globalAlpha = 1;
}

// Of two planes, a query asks for one, by its layers.
const isOfView = (view, { planes }, [name, , , , mask]) =>
  !planes || name !== "query" || mask > 0xffff === (view.projection === "side");

function areaStyle(view, theme, alpha) {
  const { context: g } = view;
  g.strokeStyle = theme.area;
  g.fillStyle = theme.area;
  g.lineWidth = 1.5;
  g.globalAlpha = alpha;
}

function drawQuery(view, { theme }, side, area, found, alpha) {
  const { context: g } = view;
  if (!isVisible(view, area)) return;
  areaStyle(view, theme, alpha);
  g.setLineDash([7, 4]);
  g.beginPath();
  outline(view, area);
  g.stroke();
  g.globalAlpha = alpha * 0.1;
  g.fill();
  g.globalAlpha = alpha;
  g.setLineDash([]);
  g.beginPath();
  for (const id of found) {
    const i = side.colliders.indexOf(id);
    if (i < 0) continue;
    const { sx, sy } = side.colliders.solids[i];
    g.moveTo(area.sx, area.sy);
    g.lineTo(sx, sy);
  }
  g.lineWidth = 1;
  g.stroke();
}

// The shape where it starts and ends, and at its first contact, with the normal there.
function drawCast(view, { theme }, start, [, , , , motion], hits, alpha) {
  const { context: g } = view;
  const along = (part) =>
    view.place({
      ...start,
      x: start.x + (motion[0] / UNIT) * part,
      y: start.y + (motion[1] / UNIT) * part,
      z: start.z + (motion[2] / UNIT) * part,
    });
  areaStyle(view, theme, alpha);
  g.setLineDash([7, 4]);
  g.beginPath();
  outline(view, start);
  outline(view, along(1));
  const end = along(1);
  g.moveTo(start.sx, start.sy);
  g.lineTo(end.sx, end.sy);
  g.stroke();
  g.setLineDash([]);
  for (const [i, [, fraction, ...normal]] of hits.entries()) {
    const at = along(fraction / 65536);
    areaStyle(view, theme, i === 0 ? alpha : alpha * 0.5);
    g.beginPath();
    outline(view, at);
    g.stroke();
    drawNormal(view, at, normal);
  }
}

// An arrow of up to 26 pixels.
function drawNormal(view, solid, [nx, ny, nz]) {
  const { context: g } = view;
  const { sx, sy } = solid;
  const [x, y] = [nx, (view.projection === "top" ? nz : ny) * -view.upSign].map(
    (part) => (part / 2 ** 30) * 26,
  );
  g.beginPath();
  g.moveTo(sx, sy);
  g.lineTo(sx + x, sy + y);
  g.moveTo(sx + x * 0.7 - y * 0.2, sy + y * 0.7 + x * 0.2);
  g.lineTo(sx + x, sy + y);
  g.lineTo(sx + x * 0.7 + y * 0.2, sy + y * 0.7 - x * 0.2);
  g.stroke();
}
