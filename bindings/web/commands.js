// Commands: changes of a world as match logs write them, ["move", id, [x, y, z]], and as the
// kernel's rows (fxs_command).
import {
  ArgumentRangeError,
  ArgumentTypeError,
  boolean,
  integer,
  isList,
  list,
  quoted,
  uint32,
  vector,
  wordIn,
  wrong,
  yawIn,
} from "./checks.js";
import { memory, putWords, words3 } from "./kernel.js";
import { FXS_CAPACITY_MAX, FXS_LAYER_COUNT, fxs_collider, fxs_command } from "./raw.js";
import { shapeNumbers } from "./shapes.js";
import { COMMANDS, KINDS_BY_CODE } from "./tables.js";

export const layerIn = (value) => integer("layer", value, 0, FXS_LAYER_COUNT - 1);

// A field of a command into the fxs_collider at an address.
const PUT = {
  id: (at, id) => memory.view.setUint32(at + fxs_collider.id, uint32("id", id), true),
  shape(at, shape) {
    const [kind, halfAngle, ...size] = shapeNumbers("shape", shape);
    memory.view.setUint8(at + fxs_collider.kind, kind);
    memory.view.setUint16(at + fxs_collider.half_angle, halfAngle, true);
    putWords(at + fxs_collider.size, size);
  },
  layer: (at, layer) => memory.view.setUint8(at + fxs_collider.layer, layerIn(layer)),
  active: (at, active) =>
    memory.view.setUint8(at + fxs_collider.active, boolean("active", active) ? 1 : 0),
  yaw: (at, yaw) => memory.view.setUint16(at + fxs_collider.yaw, yawIn("yaw", yaw), true),
  owner: (at, owner) =>
    memory.view.setUint32(at + fxs_collider.owner, uint32("owner", owner), true),
  position: (at, position) => putWords(at + fxs_collider.x, vector("position", position)),
  offset: (at, offset) => putWords(at + fxs_collider.ox, vector("offset", offset)),
};

// The same fields of the fxs_collider at an address.
export const GET = {
  id: (at) => memory.view.getUint32(at + fxs_collider.id, true),
  shape(at) {
    const [kind, { sizes, hasHole }] = KINDS_BY_CODE[memory.view.getUint8(at + fxs_collider.kind)];
    const words = words3(at + fxs_collider.size);
    const halfAngle = memory.view.getUint16(at + fxs_collider.half_angle, true);
    const shape = [
      kind,
      ...sizes.map((size) => (size === "half_angle" ? halfAngle : words.shift())),
    ];
    if (hasHole && shape.at(-1) === 0) shape.pop();
    return shape;
  },
  layer: (at) => memory.view.getUint8(at + fxs_collider.layer),
  active: (at) => memory.view.getUint8(at + fxs_collider.active) === 1,
  yaw: (at) => memory.view.getUint16(at + fxs_collider.yaw, true),
  owner: (at) => memory.view.getUint32(at + fxs_collider.owner, true),
  position: (at) => words3(at + fxs_collider.x),
  offset: (at) => words3(at + fxs_collider.ox),
};

/** A collider's fields, by the names of an `add` command, as an fxs_collider. */
export function putCollider(at, values) {
  memory.u8.fill(0, at, at + fxs_collider.$size);
  for (const [i, field] of COMMANDS.add.fields.entries()) PUT[field](at, values[i]);
}

/** The 32 masks of a layer matrix: null for all pairs, or the pairs that meet. */
export const layerMasks = (pairs) => masksOf(pairs, FXS_LAYER_COUNT);

/** The masks of a matrix of so many layers. */
export function masksOf(pairs, count) {
  if (pairs === null) return new Array(count).fill(2 ** count - 1);
  if (!isList(pairs)) throw wrong("layers", "null or pairs of layers", pairs);
  const masks = new Array(count).fill(0);
  for (const pair of pairs) {
    if (!isList(pair) || pair.length !== 2)
      throw new ArgumentTypeError(`layers: a pair is [i, j], not ${quoted(pair)}`);
    const [i, j] = [0, 1].map((at) => integer("layer", pair[at], 0, count - 1));
    masks[i] = (masks[i] | (1 << j)) >>> 0;
    masks[j] = (masks[j] | (1 << i)) >>> 0;
  }
  return masks;
}

/** 32 masks of who gives way: pairs of [layer, to layer]. */
export function yieldMasks(yields) {
  const masks = new Array(FXS_LAYER_COUNT).fill(0);
  for (const [i, pair] of list("yields", yields, " of [layer, to layer]").entries()) {
    const [layer, to] = list(`yields[${i}]`, pair, " [layer, to layer]");
    masks[layerIn(layer)] |= 1 << layerIn(to);
  }
  return masks;
}

/** The pairs of a layer matrix that meet; null if all do. */
export function layerPairs(masks) {
  const pairs = [];
  for (let i = 0; i < masks.length; i++) {
    for (let j = i; j < masks.length; j++) if ((masks[i] >>> j) & 1) pairs.push([i, j]);
  }
  return pairs.length === (masks.length * (masks.length + 1)) / 2 ? null : pairs;
}

/** How many rows a command is. */
export const rowCount = (command) => (command?.[0] === "layers" ? FXS_LAYER_COUNT : 1);

/** Writes a command as rows from an address on, where all is 0. */
export function putCommand(at, command) {
  if (!isList(command))
    throw new ArgumentTypeError(
      `a command is ["move", id, [x, y, z]] or the like, not ${quoted(command)}`,
    );
  const [name, ...values] = command;
  const { type, fields } = wordIn("a command", name, COMMANDS);
  if (values.length !== fields.length) {
    throw new ArgumentRangeError(
      `${name} has ${fields.join(", ")}, not ${values.length} values: ${quoted(values)}`,
    );
  }
  if (name === "layers") {
    for (const [layer, mask] of layerMasks(values[0]).entries()) {
      const row = at + layer * fxs_command.$size;
      putWords(row, [type, mask]);
      memory.view.setUint8(row + fxs_command.collider + fxs_collider.layer, layer);
    }
    return;
  }
  putWords(at + fxs_command.type, [type]);
  for (let i = 0; i < fields.length; i++) PUT[fields[i]](at + fxs_command.collider, values[i]);
}

/** How many rows commands are. */
export const rowTotal = (commands) => commands.reduce((sum, command) => sum + rowCount(command), 0);

/** An error about the command of a list that has an index. */
export function named(error, index, name = "commands") {
  error.message = `${name}[${index}]: ${error.message}`;
  error.index = index;
  return error;
}

/** Writes lists of commands, each by its name, as rows into a room; { at, count } of the rows.
 * capacity: their ids are below it. */
export function putCommands(lists, room, capacity = FXS_CAPACITY_MAX) {
  const entries = Object.entries(lists);
  let count = 0;
  for (const [name, commands] of entries)
    for (const command of list(name, commands)) count += rowCount(command);
  const at = room.for(count * fxs_command.$size);
  memory.u8.fill(0, at, at + count * fxs_command.$size);
  let row = at;
  for (const [name, commands] of entries) {
    for (const [i, command] of commands.entries()) {
      try {
        putCommand(row, command);
        if (command[0] !== "layers") integer("id", command[1], 0, capacity - 1);
      } catch (error) {
        throw named(error, i, name);
      }
      row += rowCount(command) * fxs_command.$size;
    }
  }
  return { at, count };
}

/** The commands that `count` rows from an address on are. */
export function commandsAt(at, count) {
  const commands = [];
  for (let i = 0; i < count; i += rowCount(commands.at(-1))) {
    const row = at + i * fxs_command.$size;
    const [name, { fields }] = Object.entries(COMMANDS).find(
      ([, { type }]) => type === memory.u32[row / 4],
    );
    commands.push(
      name === "layers"
        ? [name, layerPairs(masksAt(row))]
        : [name, ...fields.map((field) => GET[field](row + fxs_command.collider))],
    );
  }
  return commands;
}

// The masks of the rows of a `layers` command.
const masksAt = (at) =>
  Array.from(
    { length: FXS_LAYER_COUNT },
    (_, layer) => memory.u32[(at + layer * fxs_command.$size + fxs_command.mask) / 4],
  );
