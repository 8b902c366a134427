// The kernel, compiled to WebAssembly, as a world to step. All arithmetic that decides an answer happens in there.
import { CAST_HIT_BYTES, COLLIDER_BYTES, COMMAND_BYTES, EVENT_BYTES } from "./codes.js";
import { integerIn, putCommand, putPose, putShape, putWords, Refused, rowCount, uint32, vector } from "./rows.js";

const E_ROOM = -11;
const STATUSES = {
  [-1]: "no such kind of shape",
  [-2]: "a size out of range",
  [-3]: "a half angle out of range",
  [-4]: "a yaw out of range",
  [-5]: "the centre would be outside int32",
  [-6]: "an id not below the capacity",
  [-7]: "an id that is in the world already",
  [-8]: "an id that is not in the world",
  [-9]: "a layer outside 0..31",
  [-10]: "an active flag that is neither true nor false",
  [-12]: "a capacity, hit_when or layer matrix out of range",
  [-14]: "not a saved state",
  [-15]: "not defined for this shape",
  [-16]: "a motion out of range",
  [-17]: "a hit_when that is neither 1 nor 2",
};

function checked(status) {
  if (status < 0) throw new Refused(STATUSES[status] ?? `status ${status}`);
  return status;
}

const align8 = (offset) => Math.ceil(offset / 8) * 8;

// Memory of a world's instance, from __heap_base on: the arguments of calls, the world, room for results that grows.
const [AT_CONFIG, AT_COUNTS, AT_QUERY, AT_CAST, ARGUMENT_BYTES] = [0, 144, 160, 208, 272];

export class World {
  #kernel;
  #arguments;
  #world;
  #results; // offset
  #resultBytes = 0;
  #config;

  // config: { capacity, hitWhen, masks }, masks the 32 rows of the layer matrix.
  constructor(module, config) {
    this.#kernel = new WebAssembly.Instance(module, {}).exports;
    this.#arguments = align8(this.#kernel.__heap_base.value);
    this.#world = this.#arguments + ARGUMENT_BYTES;
    this.#config = config;
    this.#layOut(64);
  }

  #layOut(hitCapacity) {
    const { capacity, hitWhen, masks } = this.#config;
    this.#reserve(this.#world);
    const at = this.#arguments + AT_CONFIG;
    this.u32.set([capacity, hitCapacity, hitWhen, ...masks], at / 4);
    const size = Number(this.#kernel.fxs_world_size(at));
    if (size === 0) checked(-12);
    this.#results = align8(this.#world + size);
    this.#resultBytes = 0;
    this.hitCapacity = hitCapacity;
    this.#resultRoom(1 << 16);
    checked(this.#kernel.fxs_world_init(this.#world, at));
  }

  #reserve(end) {
    const missing = end - this.#kernel.memory.buffer.byteLength;
    if (missing > 0) {
      try {
        this.#kernel.memory.grow(Math.ceil(missing / 65536));
      } catch {
        throw new Error(
          `a world of capacity ${this.#config.capacity} needs ${end} bytes, more than this browser gives`,
        );
      }
    }
    if (this.u8?.buffer !== this.#kernel.memory.buffer) {
      this.u8 = new Uint8Array(this.#kernel.memory.buffer);
      this.u32 = new Uint32Array(this.#kernel.memory.buffer);
      this.i32 = new Int32Array(this.#kernel.memory.buffer);
      this.view = new DataView(this.#kernel.memory.buffer);
    }
  }

  #resultRoom(bytes) {
    if (bytes > this.#resultBytes) {
      this.#reserve(this.#results + bytes);
      this.#resultBytes = bytes;
    }
    return this.#results;
  }

  // A copy of the first `bytes` of the results.
  #taken(bytes) {
    return this.u8.slice(this.#results, this.#results + bytes);
  }

  get frame() {
    return this.#kernel.fxs_world_frame(this.#world) >>> 0;
  }

  get count() {
    return this.#kernel.fxs_world_count(this.#world);
  }

  // Applies commands of a match log, in one call: all, or none. Refused, with the command, if the world refuses one.
  apply(commands) {
    const ends = []; // behind the rows of each command
    for (const command of commands) ends.push((ends.at(-1) ?? 0) + rowCount(command));
    const bytes = (ends.at(-1) ?? 0) * COMMAND_BYTES;
    const rows = this.#resultRoom(bytes);
    this.u8.fill(0, rows, rows + bytes);
    let fault = null;
    let done = 0; // commands that are rows
    for (const command of commands) {
      try {
        putCommand(this.view, rows + (ends[done - 1] ?? 0) * COMMAND_BYTES, command);
      } catch (error) {
        fault = error;
        break;
      }
      done++;
    }
    const bad = this.#arguments + AT_COUNTS;
    const status = this.#kernel.fxs_world_apply(this.#world, rows, BigInt(ends[done - 1] ?? 0), bad);
    const index = status === 0 ? done : ends.findIndex((end) => end > this.u32[bad / 4]);
    if (status !== 0) fault = new Refused(STATUSES[status] ?? `status ${status}`);
    if (fault instanceof Refused) fault.command = commands[index];
    if (fault) throw fault;
  }

  // One step. The events are in `events` until the next call of anything here: rows of a, b, kind, contact.
  step() {
    const counts = this.#arguments + AT_COUNTS;
    for (;;) {
      const room = Math.floor(this.#resultBytes / EVENT_BYTES);
      const status = this.#kernel.fxs_world_step(this.#world, this.#results, BigInt(room), counts);
      if (status === 0) break;
      if (status !== E_ROOM) checked(status);
      const [hits, , events] = this.u32.subarray(counts / 4, counts / 4 + 3);
      if (hits > this.hitCapacity) {
        const saved = this.save();
        this.#layOut(hits * 2);
        this.load(saved);
      }
      this.#resultRoom(events * 2 * EVENT_BYTES);
    }
    const count = this.u32[counts / 4 + 2];
    this.events = this.u32.subarray(this.#results / 4, this.#results / 4 + 4 * count);
    return count;
  }

  // The ids that a query command of a match log finds.
  query([, shape, position, yaw, mask, excludeOwner = 0]) {
    const query = this.#arguments + AT_QUERY;
    putShape(this.view, query, shape);
    putPose(this.view, query + 20, position, yaw);
    putWords(this.view, query + 36, [uint32(mask, "mask"), uint32(excludeOwner, "exclude_owner")]);
    const counts = this.#arguments + AT_COUNTS;
    const room = this.count;
    const ids = this.#resultRoom(4 * room);
    checked(this.#kernel.fxs_world_query(this.#world, query, ids, BigInt(room), counts));
    return Array.from(this.u32.subarray(ids / 4, ids / 4 + this.u32[counts / 4]));
  }

  // What a cast command of a match log meets: rows of id, fraction and the three components of the normal.
  cast([, shape, position, yaw, motion, mask, excludeOwner, limit, hitWhen]) {
    const cast = this.#arguments + AT_CAST;
    putShape(this.view, cast, shape);
    putPose(this.view, cast + 20, position, yaw);
    const rest = [uint32(mask, "mask"), uint32(excludeOwner, "exclude_owner"), uint32(limit, "limit")];
    putWords(this.view, cast + 36, [...vector(motion, "motion"), ...rest, integerIn(hitWhen, 1, 2, "hit_when")]);
    const counts = this.#arguments + AT_COUNTS;
    const room = this.count;
    const hits = this.#resultRoom(CAST_HIT_BYTES * room);
    checked(this.#kernel.fxs_world_cast(this.#world, cast, hits, BigInt(room), counts));
    const row = (i) => [this.u32[i], this.u32[i + 1], ...this.i32.subarray(i + 2, i + 5)];
    return Array.from({ length: this.u32[counts / 4] }, (_, i) => row((hits + CAST_HIT_BYTES * i) / 4));
  }

  // All colliders as fxs_collider records, ascending by id, in a buffer of their own.
  colliders() {
    const bytes = this.count * COLLIDER_BYTES;
    this.#kernel.fxs_world_colliders(this.#world, this.#resultRoom(bytes));
    return this.#taken(bytes).buffer;
  }

  hash() {
    return BigInt.asUintN(64, this.#kernel.fxs_world_hash(this.#world));
  }

  save() {
    const bytes = Number(this.#kernel.fxs_world_save_size(this.#world));
    this.#kernel.fxs_world_save(this.#world, this.#resultRoom(bytes));
    return this.#taken(bytes);
  }

  // Replaces the state by a saved one.
  load(saved) {
    for (;;) {
      const bytes = this.#resultRoom(saved.length);
      this.u8.set(saved, bytes);
      const counts = this.#arguments + AT_COUNTS;
      const status = this.#kernel.fxs_world_load(this.#world, bytes, BigInt(saved.length), counts);
      if (status !== E_ROOM) return checked(status);
      this.#layOut(this.u32[counts / 4] * 2);
    }
  }

  // (cos, sin) of a yaw in Q2.30.
  direction(yaw) {
    const at = this.#arguments + AT_COUNTS;
    this.#kernel.fxs_direction(yaw, at, at + 4);
    return [this.i32[at / 4], this.i32[at / 4 + 1]];
  }
}

export const hex16 = (hash) => hash.toString(16).padStart(16, "0");
