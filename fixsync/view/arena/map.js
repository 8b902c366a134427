// The place of the fight: sizes in Q16.16, ids and layers.
import { q } from "../../../bindings/web/numbers.js";

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

// Ids: fighter p is 1 + p, its slash 11 + p, its ring 21 + p, its shots 31 + 2p and the next.
export const CAPACITY = 64;

const prism = (...vertices) => ["prism", WALL, -WALL_HEIGHT, WALL_HEIGHT, vertices];

// A wall with its sides along x and z.
const straight = (low, high) =>
  prism([low[0], low[1]], [high[0], low[1]], [high[0], high[1]], [low[0], high[1]]);

// A wall at 45 degrees, rising to the right or falling.
function across(x, z, isRising) {
  const [far, near] = [q("1.0625"), q("0.6875")];
  return isRising
    ? prism([x - near, z - far], [x + far, z + near], [x + near, z + far], [x - far, z - near])
    : prism([x - far, z + near], [x + near, z - far], [x + far, z - near], [x - near, z + far]);
}

// The walls, as the solids of a level.
export const SOLIDS = [
  straight([-HALF_WIDTH - THICK, HALF_DEPTH], [HALF_WIDTH + THICK, HALF_DEPTH + THICK]),
  straight([-HALF_WIDTH - THICK, -HALF_DEPTH - THICK], [HALF_WIDTH + THICK, -HALF_DEPTH]),
  straight([HALF_WIDTH, -HALF_DEPTH], [HALF_WIDTH + THICK, HALF_DEPTH]),
  straight([-HALF_WIDTH - THICK, -HALF_DEPTH], [-HALF_WIDTH, HALF_DEPTH]),
  ["cylinder", WALL, -WALL_HEIGHT, WALL_HEIGHT, [0, 0], q("0.75")],
  across(q("-4"), q("2.25"), true),
  across(q("4"), q("-2.25"), true),
  across(q("-4"), q("-2.25"), false),
  across(q("4"), q("2.25"), false),
];

export const SPAWNS = [
  [q("-6"), 0],
  [q("6"), 0],
  [0, q("-3.5")],
];
