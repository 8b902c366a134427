// Draws one frame on a canvas, from above (XZ) or from the side (XY).

import { ENTER, EXIT, STAY, TOUCHING } from "./codes.js";
import {
  BOX,
  CAPSULE,
  contactPlace,
  coversGround,
  coversSide,
  halfHeight,
  halfWidths,
  SECTOR,
  SPHERE,
  sectorSpan,
  solidOf,
  UNIT,
} from "./colliders.js";
import { dashOf, LAYER_COLOURS, MARK_PIXELS } from "./theme.js";

const FADE_FRAMES = 14;
const LINKS_MAX = 3000;
const LABELS_MAX = 250;
const CROWD = 300; // more visible colliders than this are drawn with thin lines, which canvases are quickest at, and without trails
const LABEL_ALL_MAX = 40; // as few colliders as this have their names beside them however small they are
const LABEL_RADIUS_MIN = 9; // pixels
const FULL_TURN = 2 * Math.PI;

// A share of 0..1 as the two digits that a colour of the style sheet, #rrggbb, takes for its opacity.
const hexByte = (part) =>
  Math.round(part * 255)
    .toString(16)
    .padStart(2, "0");

const faded = (age) => (1 - age / (FADE_FRAMES + 1)) ** 1.5;

// The items under each key that `keyOf` gives them.
function grouped(items, keyOf) {
  const groups = new Map();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

const knownLinks = new WeakMap(); // by the colliders of a frame

// The hits of a side's frame of which a layer is shown, each with the place to mark: worked out once for all views.
function linksOf(side, layers) {
  const { colliders, events } = side;
  const { solids } = colliders;
  const key = [...layers].join();
  const known = knownLinks.get(colliders);
  if (known?.key === key) return known.links;
  const links = [];
  for (let at = 0; at < events.length && links.length < LINKS_MAX; at += 4) {
    const kind = events[at + 2];
    if (kind === EXIT) continue;
    const solidA = solids[colliders.indexOf(events[at])];
    const solidB = solids[colliders.indexOf(events[at + 1])];
    if (!solidA || !solidB || !(layers.has(solidA.layer) || layers.has(solidB.layer))) continue;
    links.push({ solidA, solidB, kind, contact: events[at + 3], ...contactPlace(solidA, solidB) });
  }
  knownLinks.set(colliders, { key, links });
  return links;
}

// One canvas. `scene`, what to draw, is { sides, options, selected, theme, ... } of page.js.
export class View {
  constructor(canvas, projection, camera) {
    this.canvas = canvas;
    this.projection = projection;
    this.camera = camera;
    this.upAxis = projection === "top" ? "z" : "y";
    this.context = canvas.getContext("2d", { alpha: false });
    this.width = 0;
    this.height = 0;
  }

  get upSign() {
    return this.projection === "top" && this.camera.isZDown ? -1 : 1;
  }

  resize() {
    const ratio = Math.min(2, window.devicePixelRatio || 1);
    this.ratio = ratio;
    const { width, height } = this.canvas.getBoundingClientRect();
    [this.width, this.height] = [width, height];
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
  }

  toScreen(point) {
    const { camera } = this;
    return [
      this.width / 2 + (point.x - camera.x) * camera.scale,
      this.height / 2 - (point[this.upAxis] - camera[this.upAxis]) * camera.scale * this.upSign,
    ];
  }

  toWorld(atX, atY) {
    const { camera } = this;
    return [
      camera.x + (atX - this.width / 2) / camera.scale,
      camera[this.upAxis] - (atY - this.height / 2) / camera.scale / this.upSign,
    ];
  }

  // The id of the smallest visible collider under a point of the canvas, or null. A few pixels beside it count.
  pick(atX, atY, solids) {
    const [x, up] = this.toWorld(atX, atY);
    const covers = this.projection === "top" ? coversGround : coversSide;
    let [best, bestSize] = [null, Number.POSITIVE_INFINITY];
    for (const solid of solids) {
      const [sx, sy] = this.toScreen(solid);
      const isNear = Math.hypot(sx - atX, sy - atY) < 6;
      const size = isNear ? 0 : solid.size[0] * (solid.kind === BOX ? Math.max(...solid.size) : solid.size[0]);
      if ((isNear || covers(solid, x, up)) && size < bestSize) [best, bestSize] = [solid.id, size];
    }
    return best;
  }

  // Where a solid is on this canvas, into the solid itself: all that is drawn of it asks for that again and again.
  #place(solid) {
    const { camera } = this;
    solid.sx = this.width / 2 + (solid.x - camera.x) * camera.scale;
    solid.sy = this.height / 2 - (solid[this.upAxis] - camera[this.upAxis]) * camera.scale * this.upSign;
    return solid;
  }

  draw(scene) {
    const { context: g } = this;
    g.save();
    g.fillStyle = scene.theme.stage;
    g.fillRect(0, 0, this.width, this.height);
    this.#drawGrid(scene);
    for (const side of scene.sides) if (side) this.#drawSide(scene, side);
    this.#drawScaleBar(scene);
    g.restore();
  }

  // ---- the ground ----

  #spacing() {
    const least = 64 / this.camera.scale;
    const power = 10 ** Math.floor(Math.log10(least));
    return power * [1, 2, 5, 10].find((step) => power * step >= least);
  }

  #drawGrid({ theme }) {
    const { context: g } = this;
    const spacing = this.#spacing();
    const [left, high] = this.toWorld(0, 0);
    const [right, low] = this.toWorld(this.width, this.height);
    const [bottom, top] = [Math.min(low, high), Math.max(low, high)];
    const line = (x0, y0, x1, y1) => {
      g.moveTo(Math.round(x0) + 0.5, Math.round(y0) + 0.5);
      g.lineTo(Math.round(x1) + 0.5, Math.round(y1) + 0.5);
    };
    g.lineWidth = 1;
    g.strokeStyle = theme.grid;
    g.beginPath();
    for (let i = Math.ceil(left / spacing); i * spacing <= right; i++) {
      const [x] = this.toScreen({ x: i * spacing, y: 0, z: 0 });
      line(x, 0, x, this.height);
    }
    for (let i = Math.ceil(bottom / spacing); i * spacing <= top; i++) {
      const [, y] = this.toScreen({ x: 0, y: i * spacing, z: i * spacing });
      line(0, y, this.width, y);
    }
    g.stroke();
    // The axes, and the end of the world: coordinates are int32.
    g.strokeStyle = theme.axis;
    g.beginPath();
    const [x0, y0] = this.toScreen({ x: 0, y: 0, z: 0 });
    line(x0, 0, x0, this.height);
    line(0, y0, this.width, y0);
    const [x1, y1] = this.toScreen({ x: -32768, y: -32768, z: -32768 });
    const [x2, y2] = this.toScreen({ x: 32768, y: 32768, z: 32768 });
    g.rect(x1, y2, x2 - x1, y1 - y2);
    g.stroke();
  }

  #drawScaleBar({ theme, unitMm }) {
    const { context: g } = this;
    const spacing = this.#spacing();
    const width = spacing * this.camera.scale;
    const y = this.height - 12.5;
    g.strokeStyle = theme.faint;
    g.lineWidth = 1;
    g.setLineDash([]);
    g.beginPath();
    g.moveTo(12.5, y - 4);
    g.lineTo(12.5, y);
    g.lineTo(12.5 + width, y);
    g.lineTo(12.5 + width, y - 4);
    g.stroke();
    const units = Number(spacing.toPrecision(3));
    const metres = unitMm ? ` (${Number(((spacing * unitMm) / 1000).toPrecision(3))} m)` : "";
    const text = `${units} ${units === 1 ? "unit" : "units"}${metres}`;
    const isBeside = 20 + width + 6.5 * text.length < this.width;
    this.#text(text, isBeside ? 20 + width : 14, isBeside ? y : y - 12, theme, theme.faint, "left");
  }

  #text(text, x, y, theme, colour, align = "center") {
    const { context: g } = this;
    g.font = `11px ${theme.font}`;
    g.textAlign = align;
    g.textBaseline = "middle";
    g.lineJoin = "round";
    g.lineWidth = 3;
    g.setLineDash([]);
    g.strokeStyle = theme.stage;
    g.strokeText(text, x, y);
    g.fillStyle = colour;
    g.fillText(text, x, y);
  }

  // ---- outlines ----

  #isVisible(solid) {
    const { sx, sy } = solid;
    const { scale } = this.camera;
    const reach = 12 + scale * (solid.kind === BOX ? Math.hypot(...solid.size) : solid.size[0] + halfHeight(solid));
    return sx > -reach && sy > -reach && sx < this.width + reach && sy < this.height + reach;
  }

  // Adds the outline of a placed solid to the current path, grown by `margin` pixels.
  #outline(solid, margin = 0) {
    if (this.projection === "top") this.#outlineTop(solid, margin);
    else this.#outlineSide(solid, margin);
  }

  #outlineTop(solid, margin) {
    const { context: g } = this;
    const { scale } = this.camera;
    const { sx, sy } = solid;
    const radius = solid.size[0] * scale + margin;
    if (solid.kind === BOX) {
      const [hx, hz] = [solid.size[0] * scale + margin, solid.size[2] * scale + margin];
      const [cx, cz] = [solid.c, -solid.s * this.upSign]; // the box's x axis on the screen
      const [ex, ez] = [-solid.s, -solid.c * this.upSign]; // its z axis
      g.moveTo(sx + hx * cx + hz * ex, sy + hx * cz + hz * ez);
      g.lineTo(sx - hx * cx + hz * ex, sy - hx * cz + hz * ez);
      g.lineTo(sx - hx * cx - hz * ex, sy - hx * cz - hz * ez);
      g.lineTo(sx + hx * cx - hz * ex, sy + hx * cz - hz * ez);
      g.closePath();
    } else if (solid.kind === SECTOR && solid.halfAngle < Math.PI) {
      const facing = -solid.yaw * this.upSign;
      g.moveTo(sx, sy);
      g.arc(sx, sy, radius, facing - solid.halfAngle, facing + solid.halfAngle);
      g.closePath();
    } else {
      g.moveTo(sx + radius, sy);
      g.arc(sx, sy, radius, 0, FULL_TURN);
    }
  }

  #outlineSide(solid, margin) {
    const { context: g } = this;
    const { scale } = this.camera;
    const { sx, sy } = solid;
    if (solid.kind === SPHERE || solid.kind === CAPSULE) {
      const radius = solid.size[0] * scale + margin;
      const straight = solid.kind === CAPSULE ? solid.size[1] * scale : 0;
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
      return;
    }
    const tall = solid.size[1] * scale + margin;
    const [left, right] = solid.kind === SECTOR ? sectorSpan(solid) : [-halfWidths(solid)[0], halfWidths(solid)[0]];
    g.rect(sx + left * scale - margin, sy - tall, (right - left) * scale + 2 * margin, 2 * tall);
  }

  // What tells the kinds apart that have one outline, and the edges of a turned box seen from the side.
  #details(solid) {
    const { context: g } = this;
    const { scale } = this.camera;
    const { sx, sy } = solid;
    const radius = solid.size[0] * scale;
    if (this.projection === "top") {
      if (radius < 7) return;
      if (solid.kind === SPHERE) {
        g.moveTo(sx + 1.5, sy);
        g.arc(sx, sy, 1.5, 0, FULL_TURN);
      } else if (solid.kind === CAPSULE) {
        g.moveTo(sx + radius * 0.55, sy);
        g.arc(sx, sy, radius * 0.55, 0, FULL_TURN);
      }
    } else if (solid.kind === BOX && solid.s !== 0 && solid.c !== 0) {
      // The corner nearest to a viewer who stands at the lower edge of the top view.
      const inner = Math.abs(solid.s) * solid.size[2] - Math.abs(solid.c) * solid.size[0];
      const edge = inner * scale * Math.sign(solid.c * solid.s) * (this.camera.isZDown ? -1 : 1);
      g.moveTo(sx + edge, sy - solid.size[1] * scale);
      g.lineTo(sx + edge, sy + solid.size[1] * scale);
    }
  }

  #facing(solid) {
    const { context: g } = this;
    const { scale } = this.camera;
    const { sx, sy } = solid;
    const length = solid.size[0] * scale;
    g.moveTo(sx, sy);
    g.lineTo(sx + solid.c * length, this.projection === "top" ? sy - solid.s * length * this.upSign : sy);
  }

  // ---- a match's frame ----

  #drawSide(scene, side) {
    const { options, theme } = scene;
    for (const solid of side.colliders.solids) this.#place(solid);
    const solids = side.colliders.solids.filter((solid) => options.layers.has(solid.layer) && this.#isVisible(solid));
    if (options.queries && !side.isGhost) this.#drawAreas(scene, side);
    if (options.trails && !side.isGhost) this.#drawTrails(scene, side, solids);
    this.#drawSolids(scene, side, solids);
    if (options.hits && !side.isGhost) this.#drawHits(scene, side);
    if (side.differing.size > 0) this.#drawDiffering(scene, side, solids);
    const selected = solids.find(({ id }) => id === scene.selected);
    if (selected) {
      this.#ring(selected, 4, theme.accent, 2.5, []);
    }
    if (options.labels && !side.isGhost) this.#drawLabels(scene, side, solids);
  }

  #ring(solid, margin, colour, width, dash) {
    const { context: g } = this;
    g.beginPath();
    this.#outline(solid, margin);
    g.lineWidth = width;
    g.strokeStyle = colour;
    g.setLineDash(dash);
    g.stroke();
  }

  #drawSolids({ theme, options }, side, solids) {
    const keyOf = ({ id, layer, active }) =>
      layer * 4 + (active ? 2 : 0) + (options.hits && side.hitIds.has(id) ? 1 : 0);
    for (const [key, group] of [...grouped(solids, keyOf)].sort(([a], [b]) => a - b)) {
      const [layer, isActive, isHit] = [key >> 2, (key & 2) !== 0, (key & 1) !== 0];
      const colour = side.isGhost ? theme.ink : theme.layers[layer % LAYER_COLOURS];
      const isFilled = isActive && !side.isGhost;
      const [fill, width] = isHit ? [0.5, 2.25] : [0.17, 1.25];
      this.#drawOutlines(group, colour, {
        alpha: isActive ? 1 : 0.55,
        fill: isFilled ? fill : 0,
        dash: isFilled ? dashOf(layer) : [3, 4],
        width: solids.length > CROWD ? 1 : width,
      });
      this.#drawInsides(group, isActive ? 0.75 : 0.4, options.facing);
      this.#drawDots(group, colour);
    }
  }

  // Fills are fastest as a path for each, thin lines as one path for all; lines of another width are slow as one.
  #drawOutlines(solids, colour, { alpha, fill, dash, width }) {
    const { context: g } = this;
    g.fillStyle = `${colour}${hexByte(fill)}`;
    g.strokeStyle = colour;
    g.globalAlpha = alpha;
    g.lineWidth = width;
    g.setLineDash(dash);
    for (const solid of solids) {
      g.beginPath();
      this.#outline(solid);
      if (fill > 0) g.fill();
      if (width !== 1) g.stroke();
    }
    if (width === 1) {
      g.beginPath();
      for (const solid of solids) this.#outline(solid);
      g.stroke();
    }
    g.setLineDash([]);
  }

  #drawInsides(solids, alpha, hasFacing) {
    const { context: g } = this;
    g.lineWidth = 1;
    g.globalAlpha = alpha;
    g.beginPath();
    for (const solid of solids) {
      if (hasFacing) this.#facing(solid);
      this.#details(solid);
    }
    g.stroke();
    g.globalAlpha = 1;
  }

  // What is too small to see keeps a dot, so that nothing vanishes.
  #drawDots(solids, colour) {
    const { context: g } = this;
    g.fillStyle = colour;
    for (const solid of solids) {
      if (solid.size[0] * this.camera.scale < 2) g.fillRect(solid.sx - 1.5, solid.sy - 1.5, 3, 3);
    }
  }

  // Those that matter most come first, and none is drawn over another.
  #drawLabels({ theme, names, selected }, side, solids) {
    const isAll = solids.length <= LABEL_ALL_MAX;
    const rank = ({ id, size }) => (id === selected ? 1e9 : 0) + (names.ids[id] ? 1e6 : 0) + size[0];
    const labelled = solids
      .filter(({ id, size }) => isAll || id === selected || size[0] * this.camera.scale >= LABEL_RADIUS_MIN)
      .sort((a, b) => rank(b) - rank(a))
      .slice(0, LABELS_MAX);
    const taken = [];
    for (const solid of labelled) {
      const isDiffering = side.differing.has(solid.id);
      const text = `${isDiffering ? "≠ " : ""}${names.ids[solid.id] ?? solid.id}`;
      const place = this.#labelPlaces(solid, isDiffering ? 10 : 0).find(([x, y]) => {
        const isFree = taken.every(
          (other) => Math.abs(other.y - y) > 11 || Math.abs(other.x - x) > (other.length + text.length) * 3.6,
        );
        if (isFree) taken.push({ x, y, length: text.length });
        return isFree;
      });
      if (place) this.#text(text, ...place, theme, solid.id === selected || isDiffering ? theme.ink : theme.faint);
    }
  }

  // Below a solid or above it, `margin` pixels farther off; in the middle of a large one.
  #labelPlaces(solid, margin) {
    const { sx, sy } = solid;
    const isFlat = this.projection === "top" && solid.kind === SECTOR;
    const [wx, wz] = halfWidths(solid);
    const half = isFlat ? 0 : (this.projection === "side" ? halfHeight(solid) : wz) * this.camera.scale;
    if (half > 40) return [[sx, sy]];
    const aside = Math.min(40, wx * this.camera.scale) + 12 + margin;
    const beyond = half + 9 + margin;
    return [
      [sx, sy + beyond],
      [sx, sy - beyond],
      [sx + aside, sy],
      [sx - aside, sy],
    ];
  }

  // Of a crowd, only the selected collider leaves a trail. One path for each layer.
  #drawTrails({ theme, selected }, side, solids) {
    const { context: g } = this;
    const isCrowd = solids.length > CROWD;
    const shown = isCrowd ? solids.filter(({ id }) => id === selected) : solids;
    const groups = grouped(shown, ({ id, layer }) => (id === selected ? -1 : layer % LAYER_COLOURS));
    g.lineWidth = 1.5;
    g.setLineDash([]);
    for (const [key, group] of groups) {
      g.beginPath();
      for (const solid of group) this.#trail(side, solid);
      g.globalAlpha = key < 0 ? 0.9 : 0.4;
      g.strokeStyle = theme.layers[group[0].layer % LAYER_COLOURS];
      g.stroke();
    }
    g.globalAlpha = 1;
  }

  // Adds a collider's trail to the current path. A jump much longer than the move before it is no move, but a new place.
  #trail(side, { id, size }) {
    const { context: g } = this;
    let [last, stride] = [null, 0];
    for (const wake of side.wakes) {
      const at = wake.indexOf(id);
      if (at < 0) {
        last = null;
        continue;
      }
      const [x, y, z] = wake.places.subarray(3 * at, 3 * at + 3);
      const length = last ? Math.hypot(x - last.x, y - last.y, z - last.z) : 0;
      const point = this.toScreen({ x, y, z });
      if (last && length <= 6 * (stride + size[0])) g.lineTo(...point);
      else g.moveTo(...point);
      stride = length;
      last = { x, y, z };
    }
  }

  // ---- hits ----

  #drawHits({ theme, options }, side) {
    const links = linksOf(side, options.layers);
    this.#drawLinks(theme, links);
    // Hits begin and end within one frame: their marks fade over some more.
    for (const wake of side.wakes) {
      const age = side.frame - wake.frame;
      if (age > (links.length > CROWD ? 4 : FADE_FRAMES)) continue;
      this.#drawMarks(theme, age === 0 ? wake.marks.filter(({ kind }) => kind !== ENTER) : wake.marks, age);
    }
    this.#drawMarks(theme, links, 0, links.length > CROWD);
  }

  #drawLinks(theme, links) {
    const { context: g } = this;
    g.strokeStyle = theme.ink;
    g.lineWidth = 1;
    g.globalAlpha = 0.6;
    for (const dash of [[], [2, 3]]) {
      g.setLineDash(dash);
      g.beginPath();
      for (const { solidA, solidB, contact } of links) {
        if ((contact === TOUCHING) !== dash.length > 0) continue;
        g.moveTo(solidA.sx, solidA.sy);
        g.lineTo(solidB.sx, solidB.sy);
      }
      g.stroke();
    }
    g.setLineDash([]);
    g.globalAlpha = 1;
  }

  // A mark is no larger than what it marks, within limits, and widens as it fades. In a crowd, hits that go on are small squares.
  #drawMarks(theme, marks, age, isCrowd = false) {
    const { context: g } = this;
    const taken = new Set(); // marks of one look within 3 pixels are one
    const { ratio, width, height } = this;
    const [columns, rows] = [Math.ceil(width / 3), Math.ceil(height / 3)];
    g.globalAlpha = faded(age);
    for (const mark of marks) {
      const [x, y] = this.toScreen(mark);
      if (x < -MARK_PIXELS || y < -MARK_PIXELS || x > width + MARK_PIXELS || y > height + MARK_PIXELS) continue;
      const look = mark.kind * 4 + mark.contact;
      const place = (look * (rows + 16) + Math.round(y / 3) + 8) * (columns + 16) + Math.round(x / 3) + 8;
      if (taken.has(place)) continue;
      taken.add(place);
      if (isCrowd && mark.kind === STAY) {
        g.fillStyle = theme.ink;
        g.fillRect(Math.round(x) - 1, Math.round(y) - 1, 3, 3);
        g.fillStyle = theme.stage;
        if (mark.contact === TOUCHING) g.fillRect(Math.round(x), Math.round(y), 1, 1);
        continue;
      }
      const part = Math.min(1, Math.max(0.5, (mark.size * this.camera.scale) / 12)) * (1 + age / 15);
      const size = 2 * Math.round((MARK_PIXELS / 2) * part);
      const picture = theme.marks.of(mark.kind, mark.contact === TOUCHING || age > 0, size, ratio);
      g.drawImage(picture, Math.round(x - size / 2), Math.round(y - size / 2), size, size);
    }
    g.globalAlpha = 1;
  }

  // ---- queries and casts ----

  // Areas fade over some frames too, but of one that is asked for again and again only the newest is shown.
  #drawAreas(scene, side) {
    const known = new Set();
    for (const wake of [...side.wakes].reverse()) {
      const age = side.frame - wake.frame;
      if (age > FADE_FRAMES) break;
      const shapes = wake.areas.map(({ command }) => `${command[0]} ${command[1]}`);
      for (const [i, { command, answer }] of wake.areas.entries()) {
        if (known.has(shapes[i])) continue;
        const area = this.#place(solidOf(command[1], command[2], command[3]));
        if (command[0] === "query") this.#drawQuery(scene, side, area, age === 0 ? answer : [], faded(age));
        else this.#drawCast(scene, area, command, answer, faded(age));
      }
      for (const shape of shapes) known.add(shape);
    }
    this.context.globalAlpha = 1;
  }

  #areaStyle(theme, alpha) {
    const { context: g } = this;
    g.strokeStyle = theme.area;
    g.fillStyle = theme.area;
    g.lineWidth = 1.5;
    g.globalAlpha = alpha;
  }

  #drawQuery({ theme }, side, area, found, alpha) {
    const { context: g } = this;
    if (!this.#isVisible(area)) return;
    this.#areaStyle(theme, alpha);
    g.setLineDash([7, 4]);
    g.beginPath();
    this.#outline(area);
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
  #drawCast({ theme }, start, [, , , , motion], hits, alpha) {
    const { context: g } = this;
    const along = (part) =>
      this.#place({
        ...start,
        x: start.x + (motion[0] / UNIT) * part,
        y: start.y + (motion[1] / UNIT) * part,
        z: start.z + (motion[2] / UNIT) * part,
      });
    this.#areaStyle(theme, alpha);
    g.setLineDash([7, 4]);
    g.beginPath();
    this.#outline(start);
    this.#outline(along(1));
    const end = along(1);
    g.moveTo(start.sx, start.sy);
    g.lineTo(end.sx, end.sy);
    g.stroke();
    g.setLineDash([]);
    for (const [i, [, fraction, ...normal]] of hits.entries()) {
      const at = along(fraction / 65536);
      this.#areaStyle(theme, i === 0 ? alpha : alpha * 0.5);
      g.beginPath();
      this.#outline(at);
      g.stroke();
      this.#drawNormal(at, normal);
    }
  }

  // An arrow of up to 26 pixels.
  #drawNormal(solid, [nx, ny, nz]) {
    const { context: g } = this;
    const { sx, sy } = solid;
    const [x, y] = [nx, (this.projection === "top" ? nz : ny) * -this.upSign].map((part) => (part / 2 ** 30) * 26);
    g.beginPath();
    g.moveTo(sx, sy);
    g.lineTo(sx + x, sy + y);
    g.moveTo(sx + x * 0.7 - y * 0.2, sy + y * 0.7 + x * 0.2);
    g.lineTo(sx + x, sy + y);
    g.lineTo(sx + x * 0.7 + y * 0.2, sy + y * 0.7 - x * 0.2);
    g.stroke();
  }

  // ---- differences between two logs ----

  #drawDiffering({ theme }, side, solids) {
    for (const solid of solids) {
      if (side.differing.has(solid.id)) this.#ring(solid, 8, theme.differs, 3, [5, 3]);
    }
  }
}
