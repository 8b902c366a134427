// Matches of two planes (fixsync.game.flat.TwoPlanes): each hitbox is two colliders, the ground
// view under its own id and layer, the side view under id + capacity and layer + 16. Two hitboxes
// hit each other when both of their views do.
import { FXS_ENTER, FXS_EXIT, FXS_SIZE_MAX, FXS_STAY } from "../../../bindings/web/raw.js";

const PLANE_LAYERS = 16;

// How many ids a plane has, or 0 for a match that is not of two planes: the layers of the planes
// must never meet and be enabled alike, and each collider added in the first frame must reach
// through all of the axis that its plane does not show.
export function planeSize({ capacity, layers }, commands) {
  if (capacity % 2 !== 0 || !layers?.length) return 0;
  const [ground, side] = [0, 1].map((plane) =>
    layers
      .filter(([i]) => Math.floor(i / PLANE_LAYERS) === plane)
      .map((pair) => pair.map((i) => i % PLANE_LAYERS)),
  );
  const isCrossing = ([i, j]) => Math.floor(i / PLANE_LAYERS) !== Math.floor(j / PLANE_LAYERS);
  const keys = (pairs) =>
    JSON.stringify(pairs.map((pair) => pair.sort((i, j) => i - j).join()).sort());
  if (layers.some(isCrossing) || keys(ground) !== keys(side)) return 0;
  const size = capacity / 2;
  const isOfPlane = ([, id, [kind, ...sizes], , , layer]) =>
    layer >= PLANE_LAYERS === id >= size &&
    (id < size ? sizes[1] : kind === "box" && sizes[2]) === FXS_SIZE_MAX;
  return commands.every((command) => command[0] !== "add" || isOfPlane(command)) ? size : 0;
}

// The events of hitboxes, by (a, b), from those of a world of two planes.
export function joined(events, size) {
  const planes = [new Map(), new Map()];
  for (let at = 0; at < events.length; at += 4) {
    const [a, b, kind, contact] = events.subarray(at, at + 4);
    const pairs = planes[a < size ? 0 : 1];
    const key = `${a % size} ${b % size}`;
    const known = pairs.get(key);
    if (!known)
      pairs.set(key, {
        a: a % size,
        b: b % size,
        had: kind !== FXS_ENTER,
        has: kind !== FXS_EXIT,
        isNew: false,
        contact,
      });
    // FXS_EXIT, then FXS_ENTER: an id was taken away and came back.
    else Object.assign(known, { has: true, isNew: true, contact });
  }
  const rows = [];
  for (const [key, ground] of planes[0]) {
    const side = planes[1].get(key);
    if (!side) continue;
    const [had, has] = [ground.had && side.had, ground.has && side.has];
    const goesOn = had && has && !ground.isNew && !side.isNew;
    if (had && !goesOn) rows.push([ground.a, ground.b, FXS_EXIT, 0]);
    if (has)
      rows.push([
        ground.a,
        ground.b,
        goesOn ? FXS_STAY : FXS_ENTER,
        Math.min(ground.contact, side.contact),
      ]);
  }
  return Uint32Array.from(rows.flat());
}
