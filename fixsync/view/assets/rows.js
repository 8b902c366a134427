// Commands and shapes of a match log as the kernel's structures (fxs_command, fxs_shape, fxs_pose), written into its memory.
import { COMMAND_BYTES, COMMANDS, SHAPES } from "./codes.js";
import { layerMasks } from "./matchlog.js";

// A command that the world refuses: an error in the log, where all others are errors of the page.
export class Refused extends Error {}

export function integerIn(value, low, high, name) {
  if (!Number.isInteger(value) || value < low || value > high) {
    throw new Refused(`${name}: expected an integer in ${low}..${high}, found ${JSON.stringify(value)}`);
  }
  return value;
}

const int32 = (value, name) => integerIn(value, -2147483648, 2147483647, name);
export const uint32 = (value, name) => integerIn(value, 0, 4294967295, name);
const yawOf = (value) => integerIn(value, 0, 65535, "yaw");

export function vector(values, name) {
  if (values?.length !== 3) throw new Refused(`${name}: expected three integers, found ${JSON.stringify(values)}`);
  return values.map((value, axis) => int32(value, "xyz"[axis]));
}

// A shape's code, half angle, and three sizes.
function shapeParts([name, ...values]) {
  const kind = SHAPES[name];
  if (!kind) throw new Refused(`shape: expected a kind of shape, found ${JSON.stringify(name)}`);
  if (values.length !== kind.sizes.length) throw new Refused(`shape: a ${name} has not ${values.length} sizes`);
  const size = [];
  let halfAngle = 0;
  for (const [i, part] of kind.sizes.entries()) {
    if (part === "half_angle") halfAngle = integerIn(values[i], 0, 32768, part);
    else size.push(int32(values[i], part));
  }
  return { code: kind.code, halfAngle, size: [size[0], size[1] ?? 0, size[2] ?? 0] };
}

// fxs_shape. view: a DataView of the memory.
export function putShape(view, at, shape) {
  const { code, halfAngle, size } = shapeParts(shape);
  putWords(view, at, [code, halfAngle, ...size]);
}

// fxs_pose.
export function putPose(view, at, position, yaw) {
  putWords(view, at, [...vector(position, "position"), yawOf(yaw)]);
}

export function putWords(view, at, words) {
  for (const [i, word] of words.entries()) view.setUint32(at + 4 * i, word, true);
}

// A field of a command into the collider at `at`.
const PUT = {
  id: (view, at, id) => view.setUint32(at, uint32(id, "id"), true),
  shape(view, at, shape) {
    const { code, halfAngle, size } = shapeParts(shape);
    view.setUint8(at + 4, code);
    view.setUint16(at + 10, halfAngle, true);
    putWords(view, at + 40, size);
  },
  layer: (view, at, layer) => view.setUint8(at + 5, integerIn(layer, 0, 31, "layer")),
  active(view, at, active) {
    if (typeof active !== "boolean")
      throw new Refused(`active: expected true or false, found ${JSON.stringify(active)}`);
    view.setUint8(at + 6, active ? 1 : 0);
  },
  yaw: (view, at, yaw) => view.setUint16(at + 8, yawOf(yaw), true),
  owner: (view, at, owner) => view.setUint32(at + 12, uint32(owner, "owner"), true),
  position: (view, at, position) => putWords(view, at + 16, vector(position, "position")),
  offset: (view, at, offset) => putWords(view, at + 28, vector(offset, "offset")),
};

// How many rows a command is.
export const rowCount = ([name]) => (name === "layers" ? 32 : 1);

// A command as rows; the room for them must be zero.
export function putCommand(view, at, [name, ...values]) {
  const command = COMMANDS[name];
  if (!command) throw new Refused(`no such command: ${JSON.stringify(name)}`);
  if (name === "layers") {
    for (const [layer, mask] of layerMasks(values[0]).entries()) {
      const row = at + layer * COMMAND_BYTES;
      putWords(view, row, [command.type, mask]);
      view.setUint8(row + 8 + 5, layer);
    }
    return;
  }
  view.setUint32(at, command.type, true);
  for (const [i, field] of command.fields.entries()) PUT[field](view, at + 8, values[i]);
}
