// The place of the fight: sizes in Q16.16, ids and layers.
import { q } from "../../../bindings/web/numbers.js";
import { box, cylinder } from "../../../bindings/web/shapes.js";

export const HALF_WIDTH = q("8");
export const HALF_DEPTH = q("5");
const WALL_HEIGHT = q("1");
const THICK = q("0.5");

export const LAYER_NAMES = { 0: "fighters", 1: "attacks", 2: "shots", 3: "walls" };
export const [BODY, ATTACK, SHOTS, WALL] = [0, 1, 2, 3];
export const MEETING = [
  [BODY, ATTACK],
  [BODY, SHOTS],
  [SHOTS, WALL],
];

// Ids: fighter p is 1 + p, its slash 11 + p, its ring 21 + p, its shots 31 + 2p and the next; walls begin at 41.
export const CAPACITY = 64;
export const FIRST_WALL = 41;

const long = box(HALF_WIDTH + 2 * THICK, WALL_HEIGHT, THICK);
const deep = box(THICK, WALL_HEIGHT, HALF_DEPTH);
const pillar = cylinder(q("0.75"), WALL_HEIGHT);
const plank = box(q("1.25"), WALL_HEIGHT, q("0.25"));

// [shape, x, z, yaw] of each wall.
export const WALLS = [
  [long, 0, HALF_DEPTH + THICK, 0],
  [long, 0, -HALF_DEPTH - THICK, 0],
  [deep, HALF_WIDTH + THICK, 0, 0],
  [deep, -HALF_WIDTH - THICK, 0, 0],
  [pillar, 0, 0, 0],
  [plank, q("-4"), q("2"), 8192],
  [plank, q("4"), q("-2"), 8192],
  [plank, q("-4"), q("-2.25"), 57344],
  [plank, q("4"), q("2.25"), 57344],
];

export const SPAWNS = [
  [q("-6"), 0],
  [q("6"), 0],
  [0, q("-3.5")],
];

export const wallCommands = () =>
  WALLS.map(([shape, x, z, yaw], i) => ["add", FIRST_WALL + i, shape, [x, 0, z], yaw, WALL, 0, [0, 0, 0], true]);
