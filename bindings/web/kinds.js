// The table of shape kinds.
import { FXS_BOX, FXS_CAPSULE, FXS_CYLINDER, FXS_SECTOR, FXS_SPHERE } from "./raw.js";

// The kinds: their code, and behind the name their sizes. All but the half angle fill fxs_shape's `size` in order. The last
// `optional` sizes may be left out, as 0.
export const SHAPES = {
  sphere: { code: FXS_SPHERE, sizes: ["radius"] },
  capsule: { code: FXS_CAPSULE, sizes: ["radius", "half_height"] },
  cylinder: { code: FXS_CYLINDER, sizes: ["radius", "half_height"] },
  box: { code: FXS_BOX, sizes: ["half_x", "half_y", "half_z"] },
  sector: { code: FXS_SECTOR, sizes: ["radius", "half_angle", "half_height", "inner_radius"], optional: 1 },
};

/** [name, entry] of each kind, by its code. */
export const KINDS_BY_CODE = Object.entries(SHAPES);
