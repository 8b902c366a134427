// Causes of a miss, and which of two is the nearer one.
import { FXS_WHY_SECTORS } from "../../../bindings/web/raw.js";

// The causes of the shapes alone: this one and all after it.
export const OF_SHAPES = -FXS_WHY_SECTORS;

// How near a pair came to a hit, the nearest first: without another cause than the shapes, then by
// gap, and those that no size makes meet last, by height.
export const rankOf = ({ why, gap, height }) => [
  (why & ~OF_SHAPES) !== 0,
  gap === null,
  gap ?? height,
];

export function isNearer(a, b) {
  const at = a.findIndex((value, i) => value !== b[i]);
  return at >= 0 && a[at] < b[at];
}
