// Frame data: the parts of a fighter and the attacks that switch them, as a table that the kernel
// reads (docs/frames.md).
import {
  ArgumentRangeError,
  boolean,
  bytesIn,
  INT32_MAX,
  int32,
  integer,
  isList,
  list,
  object,
  quoted,
  wrong,
} from "./checks.js";
import { layerIn } from "./commands.js";
import { KernelArray, kernel, memory, scratch } from "./kernel.js";
import { degrees, q } from "./numbers.js";
import { FXS_ATTACK_FRAMES_MAX, FXS_OK, FXS_PARTS_MAX } from "./raw.js";
import { shapeNumbers } from "./shapes.js";
import { SHAPES } from "./tables.js";

const MAGIC = 0x31465846; // "FXF1"
const KEYED_MAGIC = 0x32465846; // "FXF2": attacks have keys, or the offset of a part turns
const ATTACK_WORDS = 7;
const QUARTER = 16384;

/** The parts and attacks of one kind of fighter. */
export class FrameData {
  #table;
  #parts;
  #attacks;
  #document = null;

  /** table: bytes, as `fixsync frame-data -o` writes them. parts, attacks: their names, in order. */
  constructor(table, names) {
    const { parts, attacks = [] } = object("names", names);
    bytesIn("table", table);
    this.#table = new KernelArray(Uint8Array, table.length);
    this.#table.array.set(table);
    if (kernel.fxs_frame_data_check(this.address, BigInt(table.length), scratch) !== FXS_OK) {
      throw new ArgumentRangeError(
        `not a table of frame data: byte ${memory.u32[scratch / 4]} is out of range`,
      );
    }
    this.#parts = namesIn("parts", parts, memory.u32[this.address / 4 + 1]);
    this.#attacks = namesIn("attacks", attacks, memory.u32[this.address / 4 + 2]);
  }

  /** The frame data of a JSON file (docs/frames.md), parsed. */
  static of(document) {
    const { parts, attacks = {} } = entry("frame data", document, ["parts", "attacks", "meta"]);
    const [partNames, attackNames] = [keys("parts", parts), keys("attacks", attacks)];
    integer("the number of parts", partNames.length, 1, FXS_PARTS_MAX);
    const rows = partNames.flatMap((name) => partWords(`parts.${name}`, parts[name]));
    const found = attackNames.map((name) =>
      attackWords(`attacks.${name}`, attacks[name], parts, partNames, attackNames),
    );
    const isKeyed =
      found.some(({ keyCount }) => keyCount > 0) || partNames.some((name) => parts[name].turns);
    const magic = isKeyed ? KEYED_MAGIC : MAGIC;
    const words = [magic, partNames.length, attackNames.length, ...rows];
    const end = words.length + (ATTACK_WORDS + isKeyed) * attackNames.length;
    const tail = [];
    for (const { head, rows, keyCount } of found) {
      words.push(...head, 4 * (end + tail.length), ...(isKeyed ? [keyCount] : []));
      tail.push(...rows);
    }
    const table = new Uint8Array(Uint32Array.from([...words, ...tail]).buffer);
    const made = new FrameData(table, { parts: partNames, attacks: attackNames });
    made.#document = document;
    return made;
  }

  /** The document that `of` was given, with the game's own `meta`; null without one. */
  get document() {
    return this.#document;
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
  if (
    !isList(names) ||
    names.some((name) => typeof name !== "string") ||
    new Set(names).size !== count
  ) {
    throw wrong(what, `${count} different names`, names);
  }
  return Object.freeze([...names]);
}

// ---- the JSON form ----

// An object that has these keys alone.
function entry(name, value, known) {
  object(name, value);
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
    throw new ArgumentRangeError(
      `${name}: a name must not be empty or a whole number, not ${quoted(wrong)}`,
    );
  }
  return names;
}

// A number is raw; a string is a decimal, in units or degrees.
const rawOf = (value, convert = q) => (typeof value === "string" ? convert(value) : value);

function partWords(name, value) {
  const known = ["shape", "offset", "layer", "yaw", "active", "turns", "meta"];
  const found = entry(name, value, known);
  const { shape, offset = [0, 0, 0], layer = 0, yaw = 0, active = true, turns = false } = found;
  const [kind, ...sizes] = list(`${name}.shape`, shape);
  const kindOf = typeof kind === "string" ? SHAPES[kind] : null;
  const units = sizes.map((size, i) =>
    rawOf(size, kindOf?.sizes[i] === "half_angle" ? degrees : q),
  );
  const [code, halfAngle, ...numbers] = shapeNumbers(`${name}.shape`, [kind, ...units]);
  if (list(`${name}.offset`, offset).length !== 3) {
    throw wrong(`${name}.offset`, "[x, y, z]", offset);
  }
  const [ox, oy, oz] = offset.map((part, i) => int32(`${name}.offset[${i}]`, rawOf(part)));
  boolean(`${name}.turns`, turns);
  // A number that a mirror negates must not be -2^31.
  const { hasFront } = SHAPES[kind];
  if (!(turns && hasFront)) integer(`${name}.offset[0]`, ox, -INT32_MAX, INT32_MAX);
  if (hasFront || !turns) integer(`${name}.offset[2]`, oz, -INT32_MAX, INT32_MAX);
  const turn = integer(`${name}.yaw`, rawOf(yaw, degrees), 0, 65535);
  if (!turns && turn % QUARTER !== 0 && (ox !== 0 || oz !== 0)) {
    throw new ArgumentRangeError(
      `${name}.yaw must be 0, 16384, 32768 or 49152 off the centre, not ${turn}`,
    );
  }
  const isOn = boolean(`${name}.active`, active);
  const flags = (layerIn(layer) << 8) | (isOn << 16) | (turns << 24);
  return [code | flags, turn | (halfAngle << 16), ox, oy, oz, ...numbers];
}

// The words of the keys of an attack, by part and first frame.
function keyRows(name, value, frames, partEntries, parts) {
  const rows = [];
  for (const part of keys(name, value)) {
    const place = `${name}.${part}`;
    const index = indexIn(place, parts, part);
    for (const [i, key] of list(place, value[part]).entries()) {
      const known = ["frames", "shape", "offset", "yaw", "turns", "meta"];
      const { frames: span, meta, ...own } = entry(`${place}[${i}]`, key, known);
      const [first, end] = spanIn(`${place}[${i}].frames`, span, frames);
      const { shape, offset, yaw } = partEntries[part];
      const whole = { shape, offset, yaw, ...own, layer: 0, active: false };
      rows.push([first, end, index, ...partWords(`${place}[${i}]`, whole)]);
    }
  }
  rows.sort((a, b) => a[2] - b[2] || a[0] - b[0]);
  for (const [i, [first, , index]] of rows.entries()) {
    if (i > 0 && rows[i - 1][2] === index && first < rows[i - 1][1]) {
      const [[a, aEnd], [b, bEnd]] = [rows[i - 1], rows[i]];
      const words = `the frames [${a}, ${aEnd - 1}] and [${b}, ${bEnd - 1}] overlap`;
      throw new ArgumentRangeError(`${name}.${parts[index]}: ${words}`);
    }
  }
  return rows;
}

// { head: the words of an attack's row up to the offset, rows: those that stand there, keyCount }.
function attackWords(name, value, partEntries, parts, attacks) {
  const known = ["frames", "active", "inactive", "rehits", "cancels", "keys", "meta"];
  const found = entry(name, value, known);
  const { frames, active = {}, inactive = {}, rehits = [], cancels = [] } = found;
  integer(`${name}.frames`, frames, 1, FXS_ATTACK_FRAMES_MAX);
  // by their frames: first, the one after the last, and a bit for each part
  const windows = new Map();
  const setOf = (place, spans) => {
    let set = 0;
    for (const part of keys(place, spans)) {
      const bit = 1 << indexIn(`${place}.${part}`, parts, part);
      set |= bit;
      for (const [i, pair] of list(`${place}.${part}`, spans[part]).entries()) {
        const [first, end] = spanIn(`${place}.${part}[${i}]`, pair, frames);
        windows.set(`${first} ${end}`, [
          first,
          end,
          (windows.get(`${first} ${end}`)?.[2] ?? 0) | bit,
        ]);
      }
    }
    return set;
  };
  const sets = [setOf(`${name}.active`, active), setOf(`${name}.inactive`, inactive)];
  const both = parts.find((_, i) => ((sets[0] & sets[1]) >>> i) & 1);
  if (both !== undefined)
    throw new ArgumentRangeError(
      `${name}: ${quoted(both)} must be in active or inactive, not in both`,
    );
  const starts = list(`${name}.rehits`, rehits).map((frame, i) =>
    integer(`${name}.rehits[${i}]`, frame, i === 0 ? 1 : rehits[i - 1] + 1, frames - 1),
  );
  const rules = list(`${name}.cancels`, cancels).map((cancel, i) => {
    const place = `${name}.cancels[${i}]`;
    const {
      into,
      frames: span,
      on_hit: onHit = false,
    } = entry(place, cancel, ["into", "frames", "on_hit"]);
    const index = indexIn(`${place}.into`, attacks, into);
    return [
      ...spanIn(`${place}.frames`, span, frames),
      index,
      boolean(`${place}.on_hit`, onHit) ? 1 : 0,
    ];
  });
  const rows = [...windows.values()].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const keyed = keyRows(`${name}.keys`, found.keys ?? {}, frames, partEntries, parts);
  const head = [frames, ...sets, rows.length, starts.length, rules.length];
  const all = [...rows.flat(), ...starts, ...rules.flat(), ...keyed.flat()];
  return { head, rows: all, keyCount: keyed.length };
}

function indexIn(place, names, wanted) {
  const index = names.indexOf(wanted);
  if (index < 0)
    throw new ArgumentRangeError(
      `${place}: must be one of ${names.join(", ")}, not ${quoted(wanted)}`,
    );
  return index;
}

// [first, last] as written: the first frame, and the one after the last.
function spanIn(place, pair, frames) {
  const [first, last] = list(place, pair);
  integer(`${place}[0]`, first, 0, frames - 1);
  return [first, integer(`${place}[1]`, last, first, frames - 1) + 1];
}
