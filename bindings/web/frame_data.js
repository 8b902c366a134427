// Frame data: the parts of a fighter and the attacks that switch them, as a table that the kernel
// reads (docs/frames.md).
import { ArgumentRangeError, bytesIn, isList, object, quoted, wrong } from "./checks.js";
import { KernelArray, kernel, memory, results, scratch, textAt } from "./kernel.js";
import { FXS_FRAME_DATA_MESSAGE_MAX, FXS_OK } from "./raw.js";

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
    const { table, names } = read(jsonOf(document));
    const count = new DataView(table.buffer).getUint32(4, true);
    const [parts, attacks] = [names.slice(0, count), names.slice(count)];
    const made = new FrameData(table, { parts, attacks });
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

// The text of a document, whose names and values JSON keeps as they are.
function jsonOf(document) {
  for (const [what, entries] of Object.entries(object("frame data", document)))
    if (["parts", "attacks"].includes(what)) checkOrder(what, Object.keys(entries ?? {}));
  const paths = new Map(); // of objects and lists
  return JSON.stringify(document, function (key, value) {
    const above = paths.get(this);
    const path = Array.isArray(this) ? `${above}[${key}]` : above ? `${above}.${key}` : key;
    const isInfinite = typeof value === "number" && !Number.isFinite(value);
    if (isInfinite || ["bigint", "function", "symbol"].includes(typeof value))
      throw wrong(path || "frame data", "a value of JSON", value);
    paths.set(value, path);
    return value;
  });
}

// JavaScript puts keys that are whole numbers first, so their order would not be the file's.
function checkOrder(what, names) {
  const number = names.find((name) => /^\d+$/.test(name));
  if (number !== undefined) {
    throw new ArgumentRangeError(
      `${what}: a name must not be a whole number, not ${quoted(number)}`,
    );
  }
}

// The table and the names that the kernel reads of a text.
function read(json) {
  const text = new TextEncoder().encode(json);
  const room = 4 * text.length + FXS_FRAME_DATA_MESSAGE_MAX;
  const at = results.for(room + text.length);
  memory.u8.set(text, at + room);
  const given = [at + room, BigInt(text.length), at, BigInt(room)];
  const status = kernel.fxs_frame_data_read(...given, scratch, scratch + 8);
  const [size, rest] = [memory.u32[scratch / 4], memory.u32[scratch / 4 + 2]];
  const table = memory.u8.slice(at, at + size);
  const names = textAt(at + size, at + size + rest)
    .split("\0")
    .slice(0, -1);
  if (status !== FXS_OK) throw new ArgumentRangeError(new TextDecoder().decode(table));
  return { table, names };
}
