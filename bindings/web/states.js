// Saved states as named fields, and what differs between two of them.
import { ArgumentRangeError } from "./checks.js";
import { KINDS_BY_CODE } from "./tables.js";
import { fxs_collider, fxs_hit } from "./raw.js";

const AT_LEVEL = 140; // behind the magic, frame, hit_when and 32 layer masks
const [WITHOUT_LEVEL, WITH_LEVEL] = [0x31535846, 0x32535846]; // FXS1, FXS2

// Fields of what a saved state holds: a Map from "collider 7" to a Map of its fields.
export function stateFields(state) {
  const view = new DataView(state.buffer, state.byteOffset, state.byteLength);
  const groups = new Map();
  const magic = view.byteLength < AT_LEVEL + 12 ? 0 : view.getUint32(0, true);
  if (magic !== WITHOUT_LEVEL && magic !== WITH_LEVEL) {
    throw new ArgumentRangeError("a saved state begins with FXS1 or FXS2");
  }
  const word = (at) => view.getUint32(at, true);
  const world = { frame: word(4), hit_when: word(8) };
  for (let i = 0; i < 32; i++) world[`layers[${i}]`] = word(12 + 4 * i);
  let at = AT_LEVEL;
  if (magic === WITH_LEVEL) {
    world.level = view.getBigUint64(at, true).toString(16).padStart(16, "0");
    at += 8;
  }
  groups.set("world", world);
  at += 4;
  for (let n = word(at - 4); n > 0; n--, at += fxs_collider.$size) {
    groups.set(`collider ${word(at)}`, colliderFields(view, at));
  }
  at += 4;
  for (let n = word(at - 4); n > 0; n--, at += fxs_hit.$size) {
    groups.set(`hit ${word(at)}, ${word(at + 4)}`, { contact: word(at + 8) });
  }
  at += 4;
  for (let n = word(at - 4); n > 0; n--, at += 4) groups.set(`changed ${word(at)}`, { since_last_step: true });
  return groups;
}

function colliderFields(view, at) {
  const [kind, { sizes }] = KINDS_BY_CODE[view.getUint8(at + fxs_collider.kind)];
  const fields = { kind };
  let next = at + fxs_collider.size;
  for (const size of sizes) {
    if (size === "half_angle") {
      fields[size] = view.getUint16(at + fxs_collider.half_angle, true);
      continue;
    }
    fields[size] = view.getInt32(next, true);
    next += 4;
  }
  for (const name of ["x", "y", "z", "ox", "oy", "oz"]) fields[name] = view.getInt32(at + fxs_collider[name], true);
  fields.yaw = view.getUint16(at + fxs_collider.yaw, true);
  fields.layer = view.getUint8(at + fxs_collider.layer);
  fields.owner = view.getUint32(at + fxs_collider.owner, true);
  fields.active = view.getUint8(at + fxs_collider.active) === 1;
  return fields;
}

/** What differs between two saved states: { group, field, a, b }, such as "collider 7", "x" and both values. */
export function differences(stateA, stateB) {
  const [a, b] = [stateFields(stateA), stateFields(stateB)];
  const found = [];
  for (const group of new Set([...a.keys(), ...b.keys()])) {
    const [left, right] = [a.get(group), b.get(group)];
    if (!left || !right) {
      found.push({ group, field: "is there", a: Boolean(left), b: Boolean(right) });
      continue;
    }
    for (const field of new Set([...Object.keys(left), ...Object.keys(right)])) {
      if (left[field] !== right[field]) found.push({ group, field, a: left[field], b: right[field] });
    }
  }
  return found;
}
