// The level of a match: its solids in units, as floating point, and their drawing under everything
// else. Nothing here decides an answer.
import { UNIT } from "./colliders.js";
import { FULL_TURN } from "./kinds.js";
import { dashOf, LAYER_COLOURS } from "./theme.js";

export const LEVEL = 2 ** 31; // the id of the first solid
const NAMES_MAX = 100;
const LABEL_PIXELS_MIN = 20;

// A solid of a row as a log's header has it: { id, kind, layer, low, high, vertices (null of a
// cylinder), x, z, radius (of a prism 0), box: [least x, least z, greatest x, greatest z], row }.
function levelSolid(row, i) {
  const [kind, layer, low, high, place, radius = 0] = row;
  const vertices = kind === "prism" ? place.map(([x, z]) => [x / UNIT, z / UNIT]) : null;
  const r = radius / UNIT;
  const [x, z] = vertices ? middleOf(vertices) : [place[0] / UNIT, place[1] / UNIT];
  const box = vertices ? boxAround(vertices) : [x - r, z - r, x + r, z + r];
  return {
    id: LEVEL + i,
    kind,
    layer,
    low: low / UNIT,
    high: high / UNIT,
    vertices,
    x,
    z,
    radius: r,
    box,
    row,
  };
}

const middleOf = (points) =>
  [0, 1].map((axis) => points.reduce((sum, point) => sum + point[axis], 0) / points.length);

function boxAround(points) {
  const [xs, zs] = [points.map(([x]) => x), points.map(([, z]) => z)];
  return [Math.min(...xs), Math.min(...zs), Math.max(...xs), Math.max(...zs)];
}

// The part of an edge ab that is nearest to (x, z).
function nearestOnEdge([ax, az], [bx, bz], x, z) {
  const [ux, uz] = [bx - ax, bz - az];
  const t = Math.max(0, Math.min(1, ((x - ax) * ux + (z - az) * uz) / (ux * ux + uz * uz)));
  return [ax + t * ux, az + t * uz];
}

function coversPlan({ vertices, x, z, radius }, atX, atZ) {
  if (!vertices) return Math.hypot(atX - x, atZ - z) <= radius;
  return vertices.every(([ax, az], i) => {
    const [bx, bz] = vertices[(i + 1) % vertices.length];
    return (bx - ax) * (atZ - az) - (bz - az) * (atX - ax) >= 0;
  });
}

function nearestOnSolid(solid, x, z) {
  if (coversPlan(solid, x, z)) return [x, z];
  const { vertices, radius } = solid;
  if (!vertices) {
    const part = radius / Math.hypot(x - solid.x, z - solid.z);
    return [solid.x + (x - solid.x) * part, solid.z + (z - solid.z) * part];
  }
  const points = vertices.map((a, i) =>
    nearestOnEdge(a, vertices[(i + 1) % vertices.length], x, z),
  );
  const distance = (point) => Math.hypot(point[0] - x, point[1] - z);
  return points.reduce((best, point) => (distance(point) < distance(best) ? point : best));
}

export class Solids {
  #paths = new Map(); // by layer: { top, side }, of all its solids, in units
  #pictures = new WeakMap(); // by view: { canvas, key, theme }

  constructor(rows = []) {
    this.solids = rows.map(levelSolid);
    this.box = null; // around all, in units: { low, high } by axis
    for (const { box, low, high } of this.solids) {
      this.box ??= { low: [box[0], low, box[1]], high: [box[2], high, box[3]] };
      [box[0], low, box[1]].forEach((value, axis) => {
        this.box.low[axis] = Math.min(this.box.low[axis], value);
      });
      [box[2], high, box[3]].forEach((value, axis) => {
        this.box.high[axis] = Math.max(this.box.high[axis], value);
      });
    }
  }

  solid(id) {
    return this.solids[id - LEVEL] ?? null;
  }

  // Where a collider meets a solid: at the solid's point that is nearest to the collider's centre.
  place(collider, solid, halfHeight) {
    const [x, z] = nearestOnSolid(solid, collider.x, collider.z);
    const low = Math.max(solid.low, collider.y - halfHeight);
    return {
      x,
      y: (low + Math.min(solid.high, collider.y + halfHeight)) / 2,
      z,
      size: collider.size[0],
    };
  }

  // The ids of the visible solids at a place of a view, the smallest first.
  pick(projection, x, up, layers) {
    const size = ({ box, low, high }) =>
      (box[2] - box[0]) * (projection === "top" ? box[3] - box[1] : high - low);
    const isThere = (solid) =>
      layers.has(solid.layer) &&
      (projection === "top"
        ? coversPlan(solid, x, up)
        : solid.low <= up && up <= solid.high && solid.box[0] <= x && x <= solid.box[2]);
    const found = this.solids.filter(isThere);
    return found.sort((a, b) => size(a) - size(b)).map(({ id }) => id);
  }

  // Draws all solids. Those that a collider hits, and the selected one, once more.
  draw(view, scene, side) {
    if (this.solids.length === 0) return;
    const { theme, options, selected } = scene;
    this.#drawPicture(view, scene);
    const isShown = (solid) => solid && options.layers.has(solid.layer);
    const met = options.hits
      ? [...side.hitIds].filter((id) => id >= LEVEL).map((id) => this.solid(id))
      : [];
    for (const solid of met.filter(isShown)) {
      const colour = theme.layers[solid.layer % LAYER_COLOURS];
      paintPath(view, pathOf(view, [solid]), {
        colour,
        fill: view.projection === "top" ? "50" : "00",
        alpha: 1,
        width: 2,
        dash: dashOf(solid.layer),
      });
    }
    const chosen = selected >= LEVEL ? this.solid(selected) : null;
    const accent = { colour: theme.accent, fill: "00", alpha: 1, width: 2.5, dash: [] };
    if (isShown(chosen)) paintPath(view, pathOf(view, [chosen]), accent);
  }

  // What no frame changes is drawn into a picture, again only when the view has moved: 5,000 solids
  // take a tenth of a second.
  #drawPicture(view, scene) {
    const { canvas, camera, context: g } = view;
    const { theme, options, names } = scene;
    const place = [
      camera.x,
      camera.y,
      camera.z,
      camera.scale,
      camera.isZDown,
      canvas.width,
      canvas.height,
    ];
    const key = [...place, options.labels, Object.keys(names.ids).length, ...options.layers].join();
    const known = this.#pictures.get(view);
    const picture = known ?? { canvas: document.createElement("canvas"), key: "", theme: null };
    if (picture.key !== key || picture.theme !== theme) {
      Object.assign(picture, { key, theme });
      Object.assign(picture.canvas, { width: canvas.width, height: canvas.height });
      const context = picture.canvas.getContext("2d");
      context.setTransform(g.getTransform());
      this.#drawAll(Object.create(view, { context: { value: context } }), scene);
      this.#pictures.set(view, picture);
    }
    g.save();
    g.setTransform(1, 0, 0, 1, 0, 0);
    g.drawImage(picture.canvas, 0, 0);
    g.restore();
  }

  // A path for each layer, and the names.
  #drawAll(view, scene) {
    const { theme, options } = scene;
    for (const [layer, paths] of this.#layers()) {
      if (!options.layers.has(layer)) continue;
      const colour = theme.layers[layer % LAYER_COLOURS];
      paintPath(view, paths[view.projection], {
        colour,
        fill: view.projection === "top" ? "1c" : "00",
        alpha: 0.75,
        width: 1,
        dash: dashOf(layer),
      });
    }
    if (options.labels) this.#drawNames(view, scene);
  }

  #layers() {
    if (this.#paths.size === 0) {
      for (const layer of [...new Set(this.solids.map((solid) => solid.layer))].sort(
        (a, b) => a - b,
      )) {
        const solids = this.solids.filter((solid) => solid.layer === layer);
        this.#paths.set(layer, {
          top: pathOf({ projection: "top" }, solids),
          side: pathOf({ projection: "side" }, solids),
        });
      }
    }
    return this.#paths;
  }

  // The names of solids that have one and room for it. A name that many pieces share stands once.
  #drawNames(view, scene) {
    const { names, options, theme } = scene;
    const seen = new Set();
    const placed = []; // names: the middle, and half the width in pixels
    for (const [key, name] of Object.entries(names.ids)) {
      const solid = Number(key) >= LEVEL ? this.solid(Number(key)) : null;
      if (!solid || !options.layers.has(solid.layer) || seen.has(name) || seen.size === NAMES_MAX)
        continue;
      const wide = (solid.box[2] - solid.box[0]) * view.camera.scale;
      const [x, y] = view.toScreen({ x: solid.x, y: (solid.low + solid.high) / 2, z: solid.z });
      const isInView = x > 0 && y > 0 && x < view.width && y < view.height;
      if (!isInView || wide < LABEL_PIXELS_MIN) continue;
      // Seen from the side, walls stand behind each other: the first name stays.
      const half = 3.5 * name.length;
      const isFree = placed.every(
        (other) => Math.abs(other.y - y) > 14 || Math.abs(other.x - x) > other.half + half,
      );
      if (!isFree) continue;
      placed.push({ x, y, half });
      seen.add(name);
      view.text(name, x, y, theme, theme.faint);
    }
  }
}

// The outlines of solids as one path in units.
function pathOf({ projection }, solids) {
  const path = new Path2D();
  for (const { vertices, x, z, radius, box, low, high } of solids) {
    if (projection === "side") path.rect(box[0], low, box[2] - box[0], high - low);
    else if (vertices) {
      path.moveTo(...vertices[0]);
      for (const vertex of vertices.slice(1)) path.lineTo(...vertex);
      path.closePath();
    } else {
      path.moveTo(x + radius, z);
      path.arc(x, z, radius, 0, FULL_TURN);
    }
  }
  return path;
}

// Fills and strokes a path in units. Overlapping solids of a path are filled once.
function paintPath(view, path, { colour, fill, alpha, width, dash }) {
  const { context: g, camera } = view;
  const { scale } = camera;
  g.save();
  g.translate(
    view.width / 2 - camera.x * scale,
    view.height / 2 + camera[view.upAxis] * scale * view.upSign,
  );
  g.scale(scale, -scale * view.upSign);
  g.fillStyle = `${colour}${fill}`;
  g.fill(path);
  g.globalAlpha = alpha;
  g.strokeStyle = colour;
  g.lineWidth = width / scale;
  g.setLineDash(dash.map((part) => part / scale));
  g.stroke(path);
  g.restore();
}
