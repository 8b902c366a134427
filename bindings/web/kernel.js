// The kernel's module, one for all worlds: its memory, room in it, and its statuses as errors.
import { ArgumentRangeError, integer, UINT32_MAX, wrong } from "./checks.js";

function notReady() {
  throw new Error("fixsync is not ready: await init() first");
}
const NOT_READY = new Proxy({}, { get: notReady, set: notReady });

/** The functions of fixsync.h, as raw.d.ts declares them. */
export let kernel = NOT_READY;

let views = { u8: NOT_READY, u32: NOT_READY, i32: NOT_READY, view: NOT_READY };

/** The module's memory as typed arrays. A memory that grows, here or by its user's call of
 * `kernel.memory.grow`, replaces them, so they are never kept. */
export const memory = {
  get u8() {
    return fresh().u8;
  },
  get u32() {
    return fresh().u32;
  },
  get i32() {
    return fresh().i32;
  },
  get view() {
    return fresh().view;
  },
};

/** Where arguments and counts of a call stand: 1 KB that every call overwrites. */
export let scratch = 0;

/** Makes the kernel ready, of a compiled module. A second call changes nothing. */
export async function start(module) {
  const made = await WebAssembly.instantiate(module, {});
  if (scratch !== 0) return;
  kernel = (made.instance ?? made).exports;
  end = align(kernel.__heap_base.value);
  views = { u8: [] }; // made by the first use
  scratch = reserve(1024);
}

// An array over memory that has grown has no elements.
function fresh() {
  if (views.u8.length === 0) {
    const { buffer } = kernel.memory;
    views = {
      u8: new Uint8Array(buffer),
      u32: new Uint32Array(buffer),
      i32: new Int32Array(buffer),
      view: new DataView(buffer),
    };
  }
  return views;
}

// ---- room: blocks of multiples of 16 bytes, the free ones by address, joined to neighbours ----

const PAGE = 65536;
const ADDRESS_MAX = 2 ** 32;
const align = (bytes) => Math.ceil(bytes / 16) * 16;

let end = 0; // behind the last block
const used = new Map(); // bytes of a block, by its address
const gaps = []; // { at, bytes }

/** The address of so many bytes, aligned to 16. They hold anything. */
export function reserve(bytes) {
  const size = Math.max(16, align(bytes));
  const found = gaps.findIndex((gap) => gap.bytes >= size);
  let at = end;
  if (found >= 0) {
    const gap = gaps[found];
    at = gap.at;
    gap.at += size;
    gap.bytes -= size;
    if (gap.bytes === 0) gaps.splice(found, 1);
  } else {
    grow(end + size);
    end += size;
  }
  used.set(at, size);
  return at;
}

function grow(to) {
  const missing = to - kernel.memory.buffer.byteLength;
  if (missing <= 0) return;
  try {
    if (to > ADDRESS_MAX) throw new RangeError();
    kernel.memory.grow(Math.ceil(missing / PAGE));
  } catch {
    throw new ArgumentRangeError(`${to} bytes of memory are needed, more than can be had here`);
  }
}

/** Gives a block back. */
export function release(at) {
  const bytes = used.get(at);
  used.delete(at);
  let i = gaps.findIndex((gap) => gap.at > at);
  if (i < 0) i = gaps.length;
  gaps.splice(i, 0, { at, bytes });
  joinGaps(i);
  joinGaps(i - 1);
  const last = gaps.at(-1);
  if (last && last.at + last.bytes === end) {
    end = last.at;
    gaps.pop();
  }
}

function joinGaps(i) {
  const [gap, next] = [gaps[i], gaps[i + 1]];
  if (!gap || !next || gap.at + gap.bytes !== next.at) return;
  gap.bytes += next.bytes;
  gaps.splice(i + 1, 1);
}

/** A block that grows; its content is lost then. */
export class Room {
  at = 0;
  bytes = 0;

  /** Where it is, until it is freed. what: such as "world is". */
  live(what) {
    if (this.at === 0) throw new Error(`the ${what} disposed`);
    return this.at;
  }

  /** Its address, with room for so many bytes. */
  for(bytes) {
    if (bytes > this.bytes || this.at === 0) {
      this.free();
      this.at = reserve(Math.max(bytes, 2 * this.bytes));
      this.bytes = used.get(this.at);
    }
    return this.at;
  }

  free() {
    if (this.at !== 0) release(this.at);
    this.at = 0;
    this.bytes = 0;
  }
}

function freeRooms(rooms) {
  for (const room of Object.values(rooms)) room.free();
}

const FREED = globalThis.FinalizationRegistry && new FinalizationRegistry(freeRooms);

/** Answers of calls, until the next call. */
export const results = new Room();

/** The method that `using` calls; older engines have no name for it. */
export const DISPOSE = Symbol.dispose ?? Symbol.for("Symbol.dispose");

/** An object with rooms, which are freed when it is disposed or nobody has it any more. */
export class Holder {
  #rooms;

  constructor(rooms) {
    this.#rooms = rooms;
    FREED?.register(this, rooms, this);
  }

  /** Gives the memory back. `using` calls it. */
  dispose() {
    FREED?.unregister(this);
    freeRooms(this.#rooms);
  }

  [DISPOSE]() {
    this.dispose();
  }
}

/** A typed array in the kernel's own memory, for rows that are handed over without a copy. */
export class KernelArray extends Holder {
  #type;
  #room;

  /** type: Int32Array, Uint32Array or Uint8Array. */
  constructor(type, length) {
    if (![Int32Array, Uint32Array, Uint8Array].includes(type)) {
      const known = "Int32Array, Uint32Array or Uint8Array";
      throw wrong("type", known, type);
    }
    const room = new Room();
    super([room]);
    this.#room = room;
    this.#type = type;
    this.length = integer("length", length, 0, UINT32_MAX);
    this.byteLength = length * type.BYTES_PER_ELEMENT;
    room.for(this.byteLength);
    this.array.fill(0);
  }

  /** The array itself. Ask again after calls that may need memory: it moves then. */
  get array() {
    return new this.#type(kernel.memory.buffer, this.address, this.length);
  }

  get address() {
    return this.#room.live("array is");
  }
}

/** Copies rows in, if they are not in the kernel's memory already; their address. */
export function addressOf(rows, room) {
  if (rows instanceof KernelArray) return rows.address;
  const at = room.for(rows.byteLength);
  memory.u8.set(new Uint8Array(rows.buffer, rows.byteOffset, rows.byteLength), at);
  return at;
}

/** Three signed words at an address: a vector. */
export function words3(at) {
  const { i32 } = memory;
  const word = at / 4;
  return [i32[word], i32[word + 1], i32[word + 2]];
}

/** The text between two addresses. */
export const textAt = (at, end) => new TextDecoder().decode(memory.u8.subarray(at, end));

/** Fills a structure, with its layout in raw.js: a bigint has 64 bits, a number 32. */
export function putRow(at, layout, fields) {
  memory.u8.fill(0, at, at + layout.$size);
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value === "bigint") memory.view.setBigUint64(at + layout[name], value, true);
    else memory.view.setUint32(at + layout[name], value, true);
  }
  return at;
}

/** Writes 32-bit words from an address on. */
export function putWords(at, words) {
  for (let i = 0; i < words.length; i++) memory.u32[at / 4 + i] = words[i];
}

// ---- statuses ----

/** The status, or an error with its words, after `what`. */
export function checked(status, what) {
  if (status < 0) {
    const at = kernel.fxs_status_text(status);
    const error = new ArgumentRangeError(`${what}: ${textAt(at, memory.u8.indexOf(0, at))}`);
    error.status = status;
    throw error;
  }
  return status;
}
