// Matches of two planes (fixsync.game.flat.TwoPlanes): each hitbox is two colliders, the ground view under its own id and layer, the
// side view under id + capacity and layer + 16. Two hitboxes hit each other when both of their views do.
import { checked, kernel, memory, putWords, results, scratch } from "../../../bindings/web/kernel.js";
import { FXS_SIZE_MAX, fxs_event } from "../../../bindings/web/raw.js";

const PLANE_LAYERS = 16;

// How many ids a plane has, or 0 for a match that is not of two planes: the layers of the planes must never meet and be enabled alike,
// and each collider added in the first frame must reach through all of the axis that its plane does not show.
export function planeSize({ capacity, layers }, commands) {
  if (capacity % 2 !== 0 || !layers?.length) return 0;
  const [ground, side] = [0, 1].map((plane) =>
    layers.filter(([i]) => Math.floor(i / PLANE_LAYERS) === plane).map((pair) => pair.map((i) => i % PLANE_LAYERS)),
  );
  const isCrossing = ([i, j]) => Math.floor(i / PLANE_LAYERS) !== Math.floor(j / PLANE_LAYERS);
  const keys = (pairs) => JSON.stringify(pairs.map((pair) => pair.sort((i, j) => i - j).join()).sort());
  if (layers.some(isCrossing) || keys(ground) !== keys(side)) return 0;
  const size = capacity / 2;
  const isOfPlane = ([, id, [kind, ...sizes], , , layer]) =>
    layer >= PLANE_LAYERS === id >= size && (id < size ? sizes[1] : kind === "box" && sizes[2]) === FXS_SIZE_MAX;
  return commands.every((command) => command[0] !== "add" || isOfPlane(command)) ? size : 0;
}

// The events of hitboxes, by (a, b), of those of one step of a world of two planes.
export function joined(world, events) {
  const bytes = 4 * events.length;
  const at = results.for(2 * bytes);
  putWords(at, events);
  checked(kernel.fxs_planes_events(world.address, at, BigInt(bytes / fxs_event.$size), at + bytes, scratch), "events");
  const end = at + bytes + memory.u32[scratch / 4] * fxs_event.$size;
  return memory.u32.slice((at + bytes) / 4, end / 4);
}
