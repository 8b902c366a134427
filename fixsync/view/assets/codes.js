// The kernel's codes, shapes and commands: what csrc/fixsync.h and fixsync/log/schema.py say, which a test compares.

export const COLLIDER_BYTES = 52; // fxs_collider, also as a saved state holds it
export const COMMAND_BYTES = 60; // fxs_command
export const EVENT_BYTES = 16; // fxs_event: a, b, kind, contact
export const CAST_HIT_BYTES = 20; // fxs_cast_hit: id, fraction, normal
export const [ENTER, STAY, EXIT] = [1, 2, 3];
export const [APART, TOUCHING, OVERLAPPING] = [0, 1, 2];
export const SIZE_MAX = 2 ** 29 - 1; // raw

// Shapes as a match log writes them: the sizes behind the name. All but the half angle fill fxs_shape's `size` in order.
export const SHAPES = {
  sphere: { code: 0, sizes: ["radius"] },
  capsule: { code: 1, sizes: ["radius", "half_height"] },
  cylinder: { code: 2, sizes: ["radius", "half_height"] },
  box: { code: 3, sizes: ["half_x", "half_y", "half_z"] },
  sector: { code: 4, sizes: ["radius", "half_angle", "half_height"] },
};

// Commands as a match log writes them: the fields behind the name. All but `layers` begin with an id.
export const COMMANDS = {
  add: { type: 1, fields: ["id", "shape", "position", "yaw", "layer", "owner", "offset", "active"] },
  move: { type: 2, fields: ["id", "position"] },
  turn: { type: 3, fields: ["id", "yaw"] },
  pose: { type: 4, fields: ["id", "position", "yaw"] },
  shape: { type: 5, fields: ["id", "shape"] },
  offset: { type: 6, fields: ["id", "offset"] },
  owner: { type: 7, fields: ["id", "owner"] },
  layer: { type: 8, fields: ["id", "layer"] },
  active: { type: 9, fields: ["id", "active"] },
  remove: { type: 10, fields: ["id"] },
  layers: { type: 11, fields: ["layers"] },
};
