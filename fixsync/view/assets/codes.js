// The kernel's codes.

export const COLLIDER_BYTES = 52; // fxs_collider, also as a saved state holds it
export const SHAPE_CODES = { sphere: 0, capsule: 1, cylinder: 2, box: 3, sector: 4 };
export const [ENTER, STAY, EXIT] = [1, 2, 3];
export const [APART, TOUCHING, OVERLAPPING] = [0, 1, 2];
export const SIZE_MAX = 2 ** 29 - 1; // raw
