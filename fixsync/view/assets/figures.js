// The colliders of a frame, drawn in a view: shapes, trails, labels, and what is marked of them.
import { drawAreas } from "./areas.js";
import { halfHeight, halfWidths } from "./colliders.js";
import { grouped } from "./grouped.js";
import { drawingOf } from "./kinds.js";
import { CROWD, drawHits, marksShown } from "./marks.js";
import { details, facing, isVisible, outline } from "./outline.js";
import { dashOf, LAYER_COLOURS, paintOf } from "./theme.js";

const LABELS_MAX = 250;
// as few colliders as this have their names beside them however small they are
const LABEL_ALL_MAX = 40;
const LABEL_RADIUS_MIN = 9; // pixels
const LABEL_HEIGHT = 11;
const INACTIVE_ALPHA = 0.35;

// A share of 0..1 as the two digits that a colour of the style sheet, #rrggbb, takes for its
// opacity.
const hexByte = (part) =>
  Math.round(part * 255)
    .toString(16)
    .padStart(2, "0");

export function drawSide(view, scene, side) {
  const { options, theme } = scene;
  for (const solid of side.colliders.solids) view.place(solid);
  const solids = side.colliders
    .solidsOf(view.projection)
    .filter((solid) => options.layers.has(solid.layer) && isVisible(view, solid));
  if (!side.isGhost) side.level.draw(view, scene, side);
  if (options.queries && !side.isGhost) drawAreas(view, scene, side);
  if (options.trails && !side.isGhost) drawTrails(view, scene, side, solids);
  drawSolids(view, scene, side, solids);
  if (options.hits && !side.isGhost) drawHits(view, scene, side);
  if (side.differing.size > 0) drawDiffering(view, scene, side, solids);
  const selected = solids.find(({ key }) => key === scene.selected);
  if (selected) ring(view, selected, 4, theme.accent, 2.5, []);
  const other = solids.find(({ key }) => key === scene.other);
  if (other) ring(view, other, 4, theme.accent, 2.5, [5, 3]);
  if (options.labels && !side.isGhost) drawLabels(view, scene, side, solids);
}

function ring(view, solid, margin, colour, width, dash) {
  const { context: g } = view;
  g.beginPath();
  outline(view, solid, margin);
  g.lineWidth = width;
  g.strokeStyle = colour;
  g.setLineDash(dash);
  g.stroke();
}

// Walls, which nobody owns and nothing moves, are seen through from the side: they stand in front of
// all else.
function drawSolids(view, { theme, options, moved }, side, solids) {
  const isWall = ({ id, owner }) => view.projection === "side" && owner === 0 && !moved.has(id);
  const keyOf = (solid) =>
    (isWall(solid) ? 0 : 256) +
    paintOf(options, solid) * 4 +
    (solid.active ? 2 : 0) +
    (options.hits && side.hitIds.has(solid.key) ? 1 : 0);
  for (const [key, group] of [...grouped(solids, keyOf)].sort(([a], [b]) => a - b)) {
    const paint = (key & 255) >> 2;
    const [isActive, isHit] = [(key & 2) !== 0, (key & 1) !== 0];
    const colour = side.isGhost ? theme.ink : theme.layers[paint % LAYER_COLOURS];
    const isFilled = isActive && !side.isGhost;
    const [fill, width] = isHit ? [0.5, 2.25] : [0.17, 1.25];
    drawOutlines(view, group, colour, {
      alpha: isActive ? 1 : INACTIVE_ALPHA,
      fill: isFilled && key >= 256 ? fill : 0,
      dash: isFilled ? dashOf(paint) : [3, 4],
      width: solids.length > CROWD || !isActive ? 1 : width,
    });
    drawInsides(view, group, isActive ? 0.75 : INACTIVE_ALPHA / 2, options.facing);
    if (isActive) drawDots(view, group, colour);
  }
}

// Fills are fastest as a path for each, thin lines as one path for all; lines of another width are
// slow as one.
function drawOutlines(view, solids, colour, { alpha, fill, dash, width }) {
  const { context: g } = view;
  g.fillStyle = `${colour}${hexByte(fill)}`;
  g.strokeStyle = colour;
  g.globalAlpha = alpha;
  g.lineWidth = width;
  g.setLineDash(dash);
  for (const solid of solids) {
    g.beginPath();
    outline(view, solid);
    if (fill > 0) g.fill();
    if (width !== 1) g.stroke();
  }
  if (width === 1) {
    g.beginPath();
    for (const solid of solids) outline(view, solid);
    g.stroke();
  }
  g.setLineDash([]);
}

function drawInsides(view, solids, alpha, hasFacing) {
  const { context: g } = view;
  g.lineWidth = 1;
  g.globalAlpha = alpha;
  g.beginPath();
  for (const solid of solids) {
    if (hasFacing) facing(view, solid);
    details(view, solid);
  }
  g.stroke();
  g.globalAlpha = 1;
}

// A collider that is too small to see keeps a dot, so that nothing vanishes.
function drawDots(view, solids, colour) {
  const { context: g } = view;
  g.fillStyle = colour;
  for (const solid of solids) {
    if (solid.size[0] * view.camera.scale < 2) g.fillRect(solid.sx - 1.5, solid.sy - 1.5, 3, 3);
  }
}

// Those that matter most come first, and none is drawn over another or over the mark of a hit. An
// inactive collider has its label only when it is selected.
function drawLabels(view, { theme, names, selected, options }, side, solids) {
  const isAll = solids.length <= LABEL_ALL_MAX;
  const rank = ({ key, size }) =>
    (key === selected ? 1e9 : 0) + (names.ids[key] ? 1e6 : 0) + size[0];
  const labelled = solids
    .filter(
      ({ key, size, active }) =>
        key === selected || (active && (isAll || size[0] * view.camera.scale >= LABEL_RADIUS_MIN)),
    )
    .sort((a, b) => rank(b) - rank(a))
    .slice(0, LABELS_MAX);
  // Boxes: their middle, half their width and height.
  const scaleBar = { x: 90, y: view.height - 14, wide: 90, tall: 8 };
  const taken = options.hits ? marksShown(view, side, options.layers) : [];
  const wide = view.captionWidth / 2;
  taken.push(scaleBar, { x: 11 + wide, y: 15, wide, tall: 10 });
  for (const solid of labelled) {
    const { key } = solid;
    const isDiffering = side.differing.has(solid.id) || side.differing.has(key);
    const text = `${isDiffering ? "≠ " : ""}${names.ids[key] ?? key}`;
    const [wide, tall] = [text.length * 3.3 + 1, LABEL_HEIGHT / 2];
    const isFree = ([x, y]) =>
      taken.every(
        (other) =>
          Math.abs(other.y - y) > other.tall + tall || Math.abs(other.x - x) > other.wide + wide,
      );
    const place = labelPlaces(view, solid, isDiffering ? 10 : 0).find(isFree);
    if (!place) continue;
    taken.push({ x: place[0], y: place[1], wide, tall });
    view.text(text, ...place, theme, key === selected || isDiffering ? theme.ink : theme.faint);
  }
}

// Below a solid or above it, `margin` pixels farther off; in the middle of a large one.
function labelPlaces(view, solid, margin) {
  const { sx, sy } = solid;
  const isFlat = view.projection === "top" && !drawingOf(solid).plan.isCentred;
  const [wx, wz] = halfWidths(solid);
  const half = isFlat
    ? 0
    : (view.projection === "side" ? halfHeight(solid) : wz) * view.camera.scale;
  if (half > 40) {
    return [
      [sx, sy],
      [sx, sy + 26],
      [sx, sy - 26],
    ];
  }
  const aside = Math.min(40, wx * view.camera.scale) + 12 + margin;
  const beyond = half + 9 + margin;
  return [
    [sx, sy + beyond],
    [sx, sy - beyond],
    [sx + aside, sy],
    [sx - aside, sy],
    [sx, sy + beyond + LABEL_HEIGHT + 2],
    [sx, sy - beyond - LABEL_HEIGHT - 2],
  ];
}

// Of a crowd, only the selected collider leaves a trail. One path for each colour.
function drawTrails(view, { theme, selected, options }, side, solids) {
  const { context: g } = view;
  const isCrowd = solids.length > CROWD;
  const shown = isCrowd
    ? solids.filter(({ key }) => key === selected)
    : solids.filter(({ active }) => active);
  const groups = grouped(shown, (solid) =>
    solid.key === selected ? -1 : paintOf(options, solid) % LAYER_COLOURS,
  );
  g.lineWidth = 1.5;
  g.setLineDash([]);
  for (const [key, group] of groups) {
    g.beginPath();
    for (const solid of group) trail(view, side, solid);
    g.globalAlpha = key < 0 ? 0.9 : 0.4;
    g.strokeStyle = theme.layers[paintOf(options, group[0]) % LAYER_COLOURS];
    g.stroke();
  }
  g.globalAlpha = 1;
}

// Adds a collider's trail to the current path. A jump much longer than the move before it is a new
// place, not a move.
function trail(view, side, { id, size }) {
  const { context: g } = view;
  let [last, stride] = [null, 0];
  for (const wake of side.wakes) {
    const at = wake.indexOf(id);
    if (at < 0) {
      last = null;
      continue;
    }
    const [x, y, z] = wake.places.subarray(3 * at, 3 * at + 3);
    const length = last ? Math.hypot(x - last.x, y - last.y, z - last.z) : 0;
    const point = view.toScreen({ x, y, z });
    if (last && length <= 6 * (stride + size[0])) g.lineTo(...point);
    else g.moveTo(...point);
    stride = length;
    last = { x, y, z };
  }
}

// The differences of two logs.
function drawDiffering(view, { theme }, side, solids) {
  for (const solid of solids) {
    if (side.differing.has(solid.id) || side.differing.has(solid.key))
      ring(view, solid, 8, theme.differs, 3, [5, 3]);
  }
}
