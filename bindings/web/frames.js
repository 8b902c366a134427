// Frame data: the parts of a fighter and the attacks that switch them, as a table that the kernel
// reads (docs/frames.md).
import { ArgumentRangeError, ArgumentTypeError, boolean, INT32_MAX, int32, integer, isList, quoted } from "./checks.js";
import { layerIn } from "./commands.js";
import { KernelArray, kernel, memory, scratch } from "./kernel.js";
import { SHAPES } from "./kinds.js";
import { degrees, q } from "./numbers.js";
import { FXS_FRAMES_MAX, FXS_OK, FXS_PARTS_MAX } from "./raw.js";
import { shapeNumbers } from "./shapes.js";

const MAGIC = 0x31465846; // "FXF1"
const ATTACK_WORDS = 7;
const QUARTER = 16384;

/** The parts and attacks of one kind of fighter. */
export class FrameData {
  #table;
  #parts;
  #attacks;

  /** table: bytes, as `fixsync frames -o` writes them. parts, attacks: their names, in order. */
  constructor(table, { parts, attacks = [] }) {
    if (!(table instanceof Uint8Array)) throw new ArgumentTypeError(`table must be a Uint8Array, not ${quoted(table)}`);
    this.#table = new KernelArray(Uint8Array, table.length);
    this.#table.array.set(table);
    if (kernel.fxs_frames_check(this.address, BigInt(table.length), scratch) !== FXS_OK) {
      throw new ArgumentRangeError(`not a table of frame data: byte ${memory.u32[scratch / 4]} is out of range`);
    }
    this.#parts = namesIn("parts", parts, memory.u32[this.address / 4 + 1]);
    this.#attacks = namesIn("attacks", attacks, memory.u32[this.address / 4 + 2]);
  }

  /** The frame data of a JSON file (docs/frames.md), parsed. */
  static of(document) {
    const { parts, attacks = {} } = entry("frame data", document, ["parts", "attacks"]);
    const [partNames, attackNames] = [keys("parts", parts), keys("attacks", attacks)];
    integer("the number of parts", partNames.length, 1, FXS_PARTS_MAX);
    const words = [MAGIC, partNames.length, attackNames.length];
    for (const name of partNames) words.push(...partWords(`parts.${name}`, parts[name]));
    const end = words.length + ATTACK_WORDS * attackNames.length;
    const tail = [];
    for (const name of attackNames) {
      const [head, rows] = attackWords(`attacks.${name}`, attacks[name], partNames, attackNames);
      words.push(...head, 4 * (end + tail.length));
      tail.push(...rows);
    }
    const table = new Uint8Array(Uint32Array.from([...words, ...tail]).buffer);
    return new FrameData(table, { parts: partNames, attacks: attackNames });
  }

  /** The names of the parts. */
  get parts() {
    return this.#parts;
  }

  /** The names of the attacks. */
  get attacks() {
    return this.#attacks;
  }

  /** Where the table stands in the kernel's memory. */
  get address() {
    return this.#table.address;
  }

  /** The table: the same parts and attacks give the same bytes. */
  toBytes() {
    return this.#table.array.slice();
  }
}

function namesIn(what, names, count) {
  if (!isList(names) || names.some((name) => typeof name !== "string") || new Set(names).size !== count) {
    throw new ArgumentTypeError(`${what} must be ${count} different names, not ${quoted(names)}`);
  }
  return Object.freeze([...names]);
}

// ---- the JSON form ----

// An object that has these keys alone.
function entry(name, value, known) {
  if (typeof value !== "object" || value === null || isList(value)) {
    throw new ArgumentTypeError(`${name} must be an object, not ${quoted(value)}`);
  }
  const wrong = Object.keys(value).find((key) => !known.includes(key));
  if (wrong !== undefined) {
    throw new ArgumentRangeError(`${name} has ${known.join(", ")}, not ${quoted(wrong)}`);
  }
  return value;
}

// JavaScript puts keys that are whole numbers first, so their order would not be the file's.
function keys(name, value) {
  const names = Object.keys(entry(name, value, Object.keys(value ?? {})));
  const wrong = names.find((key) => /^\d*$/.test(key));
  if (wrong !== undefined) {
    throw new ArgumentRangeError(`${name}: a name must not be empty or a whole number, not ${quoted(wrong)}`);
  }
  return names;
}

const list = (name, value) => {
  if (!isList(value)) throw new ArgumentTypeError(`${name} must be an array, not ${quoted(value)}`);
  return value;
};

// A number is raw; a string is a decimal, in units or degrees.
const rawOf = (value, convert = q) => (typeof value === "string" ? convert(value) : value);

function partWords(name, value) {
  const known = ["shape", "offset", "layer", "yaw", "active"];
  const { shape, offset = [0, 0, 0], layer = 0, yaw = 0, active = true } = entry(name, value, known);
  const [kind, ...sizes] = list(`${name}.shape`, shape);
  const units = sizes.map((size, i) => rawOf(size, SHAPES[kind]?.sizes[i] === "half_angle" ? degrees : q));
  const [code, halfAngle, ...numbers] = shapeNumbers(`${name}.shape`, [kind, ...units]);
  if (list(`${name}.offset`, offset).length !== 3) {
    throw new ArgumentTypeError(`${name}.offset must be [x, y, z], not ${quoted(offset)}`);
  }
  const [ox, oy, oz] = offset.map((part, i) => int32(`${name}.offset[${i}]`, rawOf(part)));
  for (const [i, part] of [
    [0, ox],
    [2, oz],
  ])
    integer(`${name}.offset[${i}]`, part, -INT32_MAX, INT32_MAX);
  const turn = integer(`${name}.yaw`, rawOf(yaw, degrees), 0, 65535);
  if (turn % QUARTER !== 0 && (ox !== 0 || oz !== 0)) {
    throw new ArgumentRangeError(`${name}.yaw must be 0, 16384, 32768 or 49152 off the centre, not ${turn}`);
  }
  const flags = (layerIn(layer) << 8) | (boolean(`${name}.active`, active) ? 1 << 16 : 0);
  return [code | flags, turn | (halfAngle << 16), ox, oy, oz, ...numbers];
}

function attackWords(name, value, parts, attacks) {
  const known = ["frames", "active", "inactive", "rehits", "cancels"];
  const { frames, active = {}, inactive = {}, rehits = [], cancels = [] } = entry(name, value, known);
  integer(`${name}.frames`, frames, 1, FXS_FRAMES_MAX);
  const windows = new Map(); // by their frames: first, the one after the last, and a bit for each part
  const setOf = (place, spans) => {
    let set = 0;
    for (const part of keys(place, spans)) {
      const bit = 1 << indexIn(`${place}.${part}`, parts, part);
      set |= bit;
      for (const [i, pair] of list(`${place}.${part}`, spans[part]).entries()) {
        const [first, end] = spanIn(`${place}.${part}[${i}]`, pair, frames);
        windows.set(`${first} ${end}`, [first, end, (windows.get(`${first} ${end}`)?.[2] ?? 0) | bit]);
      }
    }
    return set;
  };
  const sets = [setOf(`${name}.active`, active), setOf(`${name}.inactive`, inactive)];
  const both = parts.find((_, i) => ((sets[0] & sets[1]) >>> i) & 1);
  if (both !== undefined)
    throw new ArgumentRangeError(`${name}: ${quoted(both)} must be in active or inactive, not in both`);
  const starts = list(`${name}.rehits`, rehits).map((frame, i) =>
    integer(`${name}.rehits[${i}]`, frame, i === 0 ? 1 : rehits[i - 1] + 1, frames - 1),
  );
  const rules = list(`${name}.cancels`, cancels).map((cancel, i) => {
    const place = `${name}.cancels[${i}]`;
    const { into, frames: span, on_hit: onHit = false } = entry(place, cancel, ["into", "frames", "on_hit"]);
    const index = indexIn(`${place}.into`, attacks, into);
    return [...spanIn(`${place}.frames`, span, frames), index, boolean(`${place}.on_hit`, onHit) ? 1 : 0];
  });
  const rows = [...windows.values()].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const head = [frames, ...sets, rows.length, starts.length, rules.length];
  return [head, [...rows.flat(), ...starts, ...rules.flat()]];
}

function indexIn(place, names, wanted) {
  const index = names.indexOf(wanted);
  if (index < 0) throw new ArgumentRangeError(`${place}: must be one of ${names.join(", ")}, not ${quoted(wanted)}`);
  return index;
}

// [first, last] as written: the first frame, and the one after the last.
function spanIn(place, pair, frames) {
  const [first, last] = list(place, pair);
  integer(`${place}[0]`, first, 0, frames - 1);
  return [first, integer(`${place}[1]`, last, first, frames - 1) + 1];
}
