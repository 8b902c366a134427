// The kernel, compiled to WebAssembly, as a world to step. All arithmetic that decides an answer happens in there.
import { COLLIDER_BYTES, SHAPE_CODES } from "./codes.js";

export const EVENT_BYTES = 16; // fxs_event: a, b, kind, contact
const CAST_HIT_BYTES = 20; // fxs_cast_hit: id, fraction, normal

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
  [-10]: "an active flag that is no boolean",
  [-12]: "a capacity, hit_when or layer matrix out of range",
  [-14]: "bytes that are no saved state",
  [-15]: "not defined for this shape",
  [-16]: "a motion out of range",
  [-17]: "a hit_when that is neither 1 nor 2",
};

// A command that the world refuses: an error in the log, where all others are errors of the page.
export class Refused extends Error {}

export function integerIn(value, low, high, name) {
  if (!Number.isInteger(value) || value < low || value > high) {
    throw new Refused(`${name}: expected an integer in ${low}..${high}, found ${JSON.stringify(value)}`);
  }
  return value;
}

const int32 = (value, name) => integerIn(value, -2147483648, 2147483647, name);
const uint32 = (value, name) => integerIn(value, 0, 4294967295, name);
const yawOf = (value) => integerIn(value, 0, 65535, "yaw");

function checked(status) {
  if (status < 0) throw new Refused(STATUSES[status] ?? `status ${status}`);
  return status;
}

// A shape of a match log as [kind, half_angle, size, size, size] of fxs_shape.
function shapeFields(shape) {
  const kind = SHAPE_CODES[shape[0]];
  if (kind === undefined) throw new Refused(`shape: expected a kind of shape, found ${JSON.stringify(shape[0])}`);
  const sizes = shape.slice(1).map((size) => int32(size, "size"));
  if (sizes.length !== [1, 2, 2, 3, 3][kind]) throw new Refused(`shape: a ${shape[0]} has not ${sizes.length} sizes`);
  return kind === 4 ? [kind, sizes[1], sizes[0], sizes[2], 0] : [kind, 0, sizes[0], sizes[1] ?? 0, sizes[2] ?? 0];
}

const align8 = (offset) => Math.ceil(offset / 8) * 8;

// Memory of a world's instance, from __heap_base on: the arguments of calls, the world, room for results that grows.
const [AT_CONFIG, AT_COLLIDER, AT_COUNTS, AT_QUERY, AT_CAST, ARGUMENT_BYTES] = [0, 144, 200, 216, 264, 512];

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

  // Applies one command of a match log; Refused if the world does, which has then not changed.
  apply(command) {
    const kernel = this.#kernel;
    const world = this.#world;
    const id = uint32(command[1], "id");
    switch (command[0]) {
      case "move": {
        const [x, y, z] = command[2];
        return checked(kernel.fxs_world_move(world, id, int32(x, "x"), int32(y, "y"), int32(z, "z")));
      }
      case "pose": {
        const pose = this.#putPose(this.#arguments + AT_QUERY, command[2], command[3]);
        return checked(kernel.fxs_world_set_pose(world, id, pose));
      }
      case "turn":
        return checked(kernel.fxs_world_turn(world, id, yawOf(command[2])));
      case "add":
        return checked(kernel.fxs_world_add(world, this.#putCollider(command)));
      case "remove":
        return checked(kernel.fxs_world_remove(world, id));
      case "shape":
        return checked(kernel.fxs_world_set_shape(world, id, this.#putShape(this.#arguments + AT_QUERY, command[2])));
      case "offset": {
        const [x, y, z] = command[2];
        return checked(kernel.fxs_world_set_offset(world, id, int32(x, "x"), int32(y, "y"), int32(z, "z")));
      }
      case "owner":
        return checked(kernel.fxs_world_set_owner(world, id, uint32(command[2], "owner")));
      case "layer":
        return checked(kernel.fxs_world_set_layer(world, id, uint32(command[2], "layer")));
      case "active":
        if (typeof command[2] !== "boolean") checked(-10);
        return checked(kernel.fxs_world_set_active(world, id, command[2] ? 1 : 0));
      default:
        throw new Refused(`no such command: ${JSON.stringify(command[0])}`);
    }
  }

  #putShape(at, shape) {
    const [kind, halfAngle, ...sizes] = shapeFields(shape);
    this.u32[at / 4] = kind;
    this.i32.set([halfAngle, ...sizes], at / 4 + 1);
    return at;
  }

  #putPose(at, [x, y, z], yaw) {
    this.i32.set([int32(x, "x"), int32(y, "y"), int32(z, "z"), yawOf(yaw)], at / 4);
    return at;
  }

  #putCollider([, id, shape, position, yaw, layer, owner, offset, active]) {
    if (typeof active !== "boolean") checked(-10);
    const [kind, halfAngle, ...sizes] = shapeFields(shape);
    integerIn(halfAngle, 0, 32768, "half_angle");
    const at = this.#arguments + AT_COLLIDER;
    this.u32[at / 4] = id;
    this.u8.set([kind, integerIn(layer, 0, 31, "layer"), active ? 1 : 0, 0], at + 4);
    this.u32[at / 4 + 2] = yawOf(yaw) | (halfAngle << 16);
    this.u32[at / 4 + 3] = uint32(owner, "owner");
    const places = [...position, ...offset].map((value) => int32(value, "coordinate"));
    if (places.length !== 6) throw new Refused("a position and an offset have three coordinates each");
    this.i32.set([...places, ...sizes], at / 4 + 4);
    return at;
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
  query([, shape, position, yaw, mask]) {
    const query = this.#putShape(this.#arguments + AT_QUERY, shape);
    this.#putPose(query + 20, position, yaw);
    this.u32.set([uint32(mask, "mask"), 0], (query + 36) / 4);
    const counts = this.#arguments + AT_COUNTS;
    const room = this.count;
    const ids = this.#resultRoom(4 * room);
    checked(this.#kernel.fxs_world_query(this.#world, query, ids, BigInt(room), counts));
    return Array.from(this.u32.subarray(ids / 4, ids / 4 + this.u32[counts / 4]));
  }

  // What a cast command of a match log meets: rows of id, fraction and the three components of the normal.
  cast([, shape, position, yaw, motion, mask, excludeOwner, limit, hitWhen]) {
    const cast = this.#putShape(this.#arguments + AT_CAST, shape);
    this.#putPose(cast + 20, position, yaw);
    this.i32.set(
      [0, 1, 2].map((axis) => int32(motion[axis], "motion")),
      (cast + 36) / 4,
    );
    this.u32.set(
      [uint32(mask, "mask"), uint32(excludeOwner, "exclude_owner"), uint32(limit, "limit")],
      (cast + 48) / 4,
    );
    this.u32[(cast + 60) / 4] = integerIn(hitWhen, 1, 2, "hit_when");
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
