// A world: colliders by id, their hits, and the state that is saved, compared and rolled back.
import {
  ArgumentRangeError,
  boolean,
  instance,
  int32,
  integer,
  list,
  optionsIn,
  UINT32_MAX,
  uint32,
  vector,
  wrong,
  yawIn,
} from "./checks.js";
import {
  GET,
  layerIn,
  layerMasks,
  layerPairs,
  named,
  putCollider,
  putCommand,
  rowCount,
  yieldMasks,
} from "./commands.js";
import { Events } from "./events.js";
import { explained } from "./explain.js";
import {
  addressOf,
  checked,
  Holder,
  KernelArray,
  kernel,
  memory,
  putWords,
  Room,
  results,
  scratch,
} from "./kernel.js";
import { Level } from "./level.js";
import { outlined } from "./outlines.js";
import { hitsAnswered, idsAnswered, pairsAnswered, putCast, putQuery } from "./questions.js";
import {
  FXS_CAPACITY_MAX,
  FXS_E_ROOM,
  FXS_E_UNDEFINED,
  FXS_LEVEL,
  FXS_OK,
  FXS_OUTLINE_SEGMENTS,
  FXS_TOUCHING,
  fxs_collider,
  fxs_command,
  fxs_config,
  fxs_event,
  fxs_hit,
  fxs_motion,
  fxs_moved,
  fxs_pose,
} from "./raw.js";
import { defined, hitWhenIn, motionIn, putPose, putShape } from "./shapes.js";

const AT_COUNTS = 256; // in the scratch memory, behind any structure of a call
const AT_MOTION = 320;
const AT_MASKS = 384;
// the low half of a uint64_t: no count here reaches 2^32
const count32 = (at) => memory.u32[at / 4];

// A count as a uint64_t. To make a BigInt takes as long as to move four colliders.
let [lastCount, lastWide] = [0, 0n];
function wideCount(n) {
  if (n !== lastCount) [lastCount, lastWide] = [n, BigInt(n)];
  return lastWide;
}

function integersIn(name, rows) {
  const isKnown =
    rows instanceof KernelArray ||
    (ArrayBuffer.isView(rows) && !/Float/.test(rows.constructor.name));
  if (!isKnown) throw wrong(name, "a typed array of integers", rows);
  return rows;
}

// Their address. Those that are not in the kernel's memory are copied into a room.
const integersAt = (name, rows, room) =>
  rows instanceof KernelArray ? rows.address : addressOf(integersIn(name, rows), room);

// How many rows a typed array of integers has.
function rowsIn(name, rows, rowBytes) {
  const { byteLength } = integersIn(name, rows);
  const n = byteLength / rowBytes;
  if (Number.isInteger(n)) return n;
  throw new ArgumentRangeError(
    `${name} must be rows of ${rowBytes} bytes, not ${byteLength} bytes`,
  );
}

// The fxs_collider at an address.
function colliderAt(at) {
  const [x, y, z] = GET.position(at);
  const { id, shape, layer, owner, offset, active } = GET;
  return {
    id: id(at),
    shape: shape(at),
    pose: { x, y, z, yaw: GET.yaw(at) },
    layer: layer(at),
    owner: owner(at),
    offset: offset(at),
    active: active(at),
  };
}

const NO_OFFSET = [0, 0, 0];
const HIT_CAPACITY = 64; // to begin with; it grows

export class World extends Holder {
  #block; // the fxs_world
  #events;
  #motions; // of sweepPairs
  #rows; // rows to hand in
  #eventRoom = 0n; // how many events there is room for
  #hitCapacity = 0;
  #steps = 0;
  #capacity;

  #level = null;

  /** An empty world for ids 0..capacity - 1, in a level if one is given. */
  constructor(capacity, options) {
    const {
      hitWhen = FXS_TOUCHING,
      layers = null,
      level = null,
    } = optionsIn(options, "hitWhen, layers, level");
    const rooms = [new Room(), new Room(), new Room(), new Room()];
    super(rooms);
    [this.#block, this.#events, this.#motions, this.#rows] = rooms;
    this.#capacity = integer("capacity", capacity, 1, FXS_CAPACITY_MAX);
    this.#block.at = makeWorld(capacity, HIT_CAPACITY, hitWhenIn(hitWhen), layerMasks(layers));
    this.#hitCapacity = HIT_CAPACITY;
    this.#makeEventRoom(HIT_CAPACITY);
    if (level !== null) this.#attach(level);
  }

  #attach(level) {
    instance("level", Level, "a Level", level);
    checked(kernel.fxs_world_attach(this.#block.at, level.address), "level");
    this.#level = level;
  }

  /** A world with a saved state; of one with a level, the level that it was saved with. */
  static fromBytes(data, capacity, options) {
    const { level = null } = optionsIn(options, "level");
    const world = new World(capacity, { level });
    try {
      world.load(data);
    } catch (error) {
      world.dispose();
      throw error;
    }
    return world;
  }

  get #at() {
    this.#level?.address; // an error if it is disposed
    return this.#block.live("world is");
  }

  /** Where the fxs_world stands in the kernel's memory, until the next step or load. */
  get address() {
    return this.#at;
  }

  #id(id) {
    return integer("id", id, 0, this.#capacity - 1);
  }

  // ---- its state ----

  /** Its Level, or null. */
  get level() {
    return this.#level;
  }

  get capacity() {
    return this.#capacity;
  }

  /** Steps taken, modulo 2^32. */
  get frame() {
    return kernel.fxs_world_frame(this.#at) >>> 0;
  }

  /** How many colliders there are. */
  get size() {
    return kernel.fxs_world_count(this.#at) >>> 0;
  }

  get hitWhen() {
    kernel.fxs_world_config(this.#at, scratch);
    return count32(scratch + fxs_config.hit_when);
  }

  /** The pairs of layers that meet; null if all do. */
  get layers() {
    kernel.fxs_world_config(this.#at, scratch);
    const at = (scratch + fxs_config.layers) / 4;
    return layerPairs([...memory.u32.subarray(at, at + 32)]);
  }

  has(id) {
    return kernel.fxs_world_get(this.#at, this.#id(id), scratch) === FXS_OK;
  }

  /** A collider: { id, shape, pose, layer, owner, offset, active }. */
  get(id) {
    checked(kernel.fxs_world_get(this.#at, this.#id(id), scratch), `id ${id}`);
    return colliderAt(scratch);
  }

  /** The ids in the world, ascending. */
  ids() {
    const { size } = this;
    const at = results.for(4 * size);
    kernel.fxs_world_ids(this.#at, at);
    return memory.u32.slice(at / 4, at / 4 + size);
  }

  *[Symbol.iterator]() {
    yield* this.ids();
  }

  /** All colliders as fxs_collider rows, ascending by id: a view until the next call. */
  colliders() {
    const { size } = this;
    const at = results.for(fxs_collider.$size * size);
    kernel.fxs_world_colliders(this.#at, at);
    return memory.u8.subarray(at, at + fxs_collider.$size * size);
  }

  /** The hits of the last step as rows of a, b and contact: a view until the next call. */
  hits() {
    const count = Number(kernel.fxs_world_hit_count(this.#at));
    const at = results.for(fxs_hit.$size * count);
    kernel.fxs_world_hits(this.#at, at);
    return memory.u32.subarray(at / 4, at / 4 + 3 * count);
  }

  // ---- changes ----

  add(id, shape, pose, options) {
    const {
      layer = 0,
      owner = 0,
      offset = NO_OFFSET,
      active = true,
    } = optionsIn(options, "layer, owner, offset, active");
    putPose(scratch, pose);
    const { x, y, z, yaw = 0 } = pose;
    putCollider(scratch, [this.#id(id), shape, [x, y, z], yaw, layer, owner, offset, active]);
    checked(kernel.fxs_world_add(this.#at, scratch), `id ${id}`);
  }

  remove(id) {
    checked(kernel.fxs_world_remove(this.#at, this.#id(id)), `id ${id}`);
  }

  move(id, x, y, z) {
    const status = kernel.fxs_world_move(
      this.#at,
      this.#id(id),
      int32("x", x),
      int32("y", y),
      int32("z", z),
    );
    checked(status, `id ${id}`);
  }

  turn(id, yaw) {
    checked(kernel.fxs_world_turn(this.#at, this.#id(id), yawIn("yaw", yaw)), `id ${id}`);
  }

  setPose(id, pose) {
    putPose(scratch, pose);
    checked(kernel.fxs_world_set_pose(this.#at, this.#id(id), scratch), `id ${id}`);
  }

  setShape(id, shape) {
    putShape(scratch, shape);
    checked(kernel.fxs_world_set_shape(this.#at, this.#id(id), scratch), `id ${id}`);
  }

  setOffset(id, offset) {
    checked(
      kernel.fxs_world_set_offset(this.#at, this.#id(id), ...vector("offset", offset)),
      `id ${id}`,
    );
  }

  setOwner(id, owner) {
    checked(kernel.fxs_world_set_owner(this.#at, this.#id(id), uint32("owner", owner)), `id ${id}`);
  }

  setLayer(id, layer) {
    checked(kernel.fxs_world_set_layer(this.#at, this.#id(id), layerIn(layer)), `id ${id}`);
  }

  setActive(id, active) {
    checked(
      kernel.fxs_world_set_active(this.#at, this.#id(id), boolean("active", active) ? 1 : 0),
      `id ${id}`,
    );
  }

  setLayers(layers) {
    putWords(scratch, layerMasks(layers));
    checked(kernel.fxs_world_set_layers(this.#at, scratch), "layers");
  }

  /** Makes changes in order, as match logs write them: all or, where one is refused, none. The
   * error has its `index`. */
  apply(commands) {
    list("commands", commands);
    let rows = 0;
    for (const command of commands) rows += rowCount(command);
    const bytes = rows * fxs_command.$size;
    const at = this.#rows.for(bytes);
    memory.u8.fill(0, at, at + bytes);
    let row = 0;
    for (let i = 0; i < commands.length; i++) {
      try {
        putCommand(at + row * fxs_command.$size, commands[i]);
      } catch (error) {
        // The world may refuse an earlier one, and the first is the one to name.
        this.#applyRows(at, row, commands, true);
        throw named(error, i);
      }
      row += rowCount(commands[i]);
    }
    this.#applyRows(at, row, commands, false);
  }

  // isTrial: nothing is changed.
  #applyRows(at, rows, commands, isTrial) {
    const target = isTrial ? this.copy() : this;
    try {
      const bad = scratch + AT_COUNTS;
      const status = kernel.fxs_world_apply(target.#at, at, BigInt(rows), bad);
      if (status === FXS_OK) return;
      let [index, end] = [0, rowCount(commands[0])];
      while (end <= count32(bad)) end += rowCount(commands[++index]);
      try {
        checked(status, `${commands[index][0]} ${commands[index][1]}`);
      } catch (error) {
        throw named(error, index);
      }
    } finally {
      if (isTrial) target.dispose();
    }
  }

  /** Adds colliders from fxs_collider rows. */
  addMany(rows) {
    const n = rowsIn("rows", rows, fxs_collider.$size);
    const bad = scratch + AT_COUNTS;
    const status = kernel.fxs_world_add_many(this.#at, addressOf(rows, this.#rows), BigInt(n), bad);
    if (status !== FXS_OK) checked(status, `rows[${count32(bad)}]`);
  }

  /** Moves colliders: ids in a Uint32Array, positions in an Int32Array, three for each. */
  moveMany(ids, positions) {
    this.#placeMany(ids, positions, 12, "fxs_world_move_many");
  }

  /** Poses of colliders: ids in a Uint32Array, poses in an Int32Array: x, y, z and yaw for each. */
  setPoseMany(ids, poses) {
    this.#placeMany(ids, poses, fxs_pose.$size, "fxs_world_set_pose_many");
  }

  #placeMany(ids, rows, rowBytes, name) {
    const n = ids?.byteLength / 4;
    if (rows?.byteLength !== n * rowBytes || n % 1 !== 0) {
      const [known, places] = [rowsIn("ids", ids, 4), rowsIn("places", rows, rowBytes)];
      const counts = `${known} ids, ${places} places`;
      throw new ArgumentRangeError(`there must be a place for each id: ${counts}`);
    }
    const bad = scratch + AT_COUNTS;
    const status = kernel[name](
      this.#at,
      integersAt("ids", ids, results),
      integersAt("places", rows, this.#rows),
      wideCount(n),
      bad,
    );
    if (status !== FXS_OK) checked(status, `ids[${count32(bad)}]`);
  }

  /** Pushes bodies that overlap apart, into walls and through them too; rows of id, x, y, z of those
   * moved: a view until the next call. */
  separate(yields, options) {
    const { passes = 1 } = optionsIn(options, "passes");
    putWords(scratch + AT_MASKS, yieldMasks(yields));
    const { size } = this;
    const at = results.for(fxs_moved.$size * size);
    const count = scratch + AT_COUNTS;
    const turns = integer("passes", passes, 1, UINT32_MAX);
    const status = kernel.fxs_world_separate(
      this.#at,
      scratch + AT_MASKS,
      turns,
      at,
      BigInt(size),
      count,
    );
    checked(status, `id ${count32(count)}`);
    return memory.i32.subarray(at / 4, at / 4 + 4 * count32(count));
  }

  // ---- steps ----

  /** Finds this frame's hits: the events since the last step, by (a, b). */
  step() {
    const counts = scratch + AT_COUNTS;
    for (;;) {
      const status = kernel.fxs_world_step(this.#at, this.#events.at, this.#eventRoom, counts);
      if (status !== FXS_E_ROOM) {
        checked(status, "step");
        break;
      }
      const [hits, events] = [count32(counts), count32(counts + 8)];
      this.#makeEventRoom(events);
      if (hits > this.#hitCapacity) this.#makeRoom(hits);
    }
    const step = ++this.#steps;
    return new Events(
      this.#events.at,
      count32(counts + 8),
      () => step === this.#steps && this.#events.at !== 0,
    );
  }

  #makeEventRoom(events) {
    this.#events.for(events * fxs_event.$size);
    this.#eventRoom = BigInt(Math.floor(this.#events.bytes / fxs_event.$size));
  }

  // Moves the world to a block for at least so many hits.
  #makeRoom(hits) {
    const old = this.#at;
    kernel.fxs_world_config(old, scratch);
    const layers = [
      ...memory.u32.subarray((scratch + fxs_config.layers) / 4, scratch / 4 + fxs_config.$size / 4),
    ];
    const hitWhen = count32(scratch + fxs_config.hit_when);
    const made = makeWorld(this.#capacity, 2 * hits, hitWhen, layers);
    checked(kernel.fxs_world_copy(made, old), "copy");
    this.#block.free();
    this.#block.at = made;
    this.#hitCapacity = 2 * hits;
  }

  // ---- questions ----

  /** The ids that a shape meets now, ascending. */
  query(shape, pose, mask = UINT32_MAX, options) {
    const query = putQuery(shape, pose, mask, options);
    return idsAnswered("query", (ids, room, count) =>
      kernel.fxs_world_query(this.#at, query, ids, room, count),
    );
  }

  /** The ids that a shape meets now, nearest first: the first `limit` (0: all). */
  nearest(shape, pose, mask = UINT32_MAX, options) {
    const { limit = 0, ...others } = optionsIn(options, "excludeOwner, limit, hitWhen");
    const query = putQuery(shape, pose, mask, others);
    const most = BigInt(uint32("limit", limit));
    return idsAnswered("nearest", (ids, room, count) =>
      kernel.fxs_world_nearest(this.#at, query, most, ids, room, count),
    );
  }

  /** The hits of a shape that moves straight, by (fraction, distance, id):
   * { id, fraction, normal }. */
  cast(shape, pose, motion, mask = UINT32_MAX, options = {}) {
    const cast = putCast(shape, pose, motion, mask, options);
    return hitsAnswered(
      "cast",
      (hits, room, count) => kernel.fxs_world_cast(this.#at, cast, hits, room, count),
      () => ({ shape }),
    );
  }

  /** A cast of a collider's own shape from its pose, at all that layers and owners let it hit. */
  sweep(id, motion, options) {
    const { limit = 0, hitWhen = null } = optionsIn(options, "limit, hitWhen");
    const at = scratch + AT_MOTION;
    putWords(at, motionIn("motion", motion));
    const [self, most] = [this.#id(id), uint32("limit", limit)];
    const when = hitWhen === null ? 0 : hitWhenIn(hitWhen);
    return hitsAnswered(
      `id ${id}`,
      (hits, room, count) =>
        kernel.fxs_world_sweep(this.#at, self, at, most, when, hits, room, count),
      () => ({ [`the shape of id ${id}`]: this.get(id).shape }),
    );
  }

  /** The pairs that meet while colliders move at once, each along its own motion: `motions` is a
   * Map of ids to motions; all others stand still. By (fraction, distance, a, b):
   * { a, b, fraction, normal }. The world does not change. */
  sweepPairs(motions, options) {
    const { limit = 0, hitWhen = null } = optionsIn(options, "limit, hitWhen");
    instance("motions", Map, "a Map", motions);
    const [most, when] = [uint32("limit", limit), hitWhen === null ? 0 : hitWhenIn(hitWhen)];
    const rows = [...motions]
      .map(([id, motion]) => [this.#id(id), ...motionIn(`motion of id ${id}`, motion)])
      .sort(([a], [b]) => a - b);
    const at = this.#motions.for(fxs_motion.$size * rows.length);
    rows.forEach((row, i) => {
      putWords(at + fxs_motion.$size * i, row);
    });
    const n = BigInt(rows.length);
    return pairsAnswered(
      (status, bad) => {
        const [id] = rows[bad];
        const shapes = { [`the shape of id ${id}`]: this.has(id) ? this.get(id).shape : [""] };
        defined(status, `id ${id}`, "canCast", shapes);
      },
      (hits, room, count) =>
        kernel.fxs_world_sweep_pairs(this.#at, at, n, when, most, hits, room, count),
    );
  }

  /** The contact of two colliders as they are now: 0 apart, 1 touching, 2 overlapping. */
  contact(a, b) {
    return checked(
      kernel.fxs_world_contact(this.#at, uint32("a", a), uint32("b", b)),
      `ids ${a}, ${b}`,
    );
  }

  /** Why a pair is not a hit, and by how much it misses, as the world is now. */
  explain(a, b) {
    const ids = [uint32("a", a), uint32("b", b)];
    return explained(`ids ${a}, ${b}`, (out) => kernel.fxs_world_explain(this.#at, ...ids, out));
  }

  /** Why a query does not find b. */
  explainQuery(shape, pose, b, mask, options) {
    const query = putQuery(shape, pose, mask, options);
    const id = uint32("b", b);
    return explained(`id ${b}`, (out) => kernel.fxs_world_explain_query(this.#at, query, id, out));
  }

  /** The outline of a collider or a solid as it is now, for drawing: { outer, hole, yLow, yHigh }. */
  outline(id, options) {
    const { segments = FXS_OUTLINE_SEGMENTS } = optionsIn(options, "segments");
    const one = uint32("id", id);
    return outlined(`id ${id}`, segments, (...out) =>
      kernel.fxs_world_outline(this.#at, one, ...out),
    );
  }

  // The status of a question about a pair's push.
  #pushed(status, a, b) {
    if (status !== FXS_E_UNDEFINED) return checked(status, `ids ${a}, ${b}`);
    const shapeOf = (id) => (id < FXS_LEVEL ? this.get(id).shape : ["solid"]);
    const shapes = { [`the shape of a (${a})`]: shapeOf(a), [`the shape of b (${b})`]: shapeOf(b) };
    return defined(status, "push", "canPush", shapes);
  }

  /** The shortest planar translation that moves a out of b: [x, z]. */
  pushOut(a, b) {
    const ids = [uint32("a", a), uint32("b", b)];
    this.#pushed(kernel.fxs_world_push_out(this.#at, ...ids, scratch), a, b);
    return [memory.i32[scratch / 4], memory.i32[scratch / 4 + 1]];
  }

  /** The shortest vertical translation that moves a out of b. */
  lift(a, b) {
    const ids = [uint32("a", a), uint32("b", b)];
    this.#pushed(kernel.fxs_world_lift(this.#at, ...ids, scratch), a, b);
    return memory.i32[scratch / 4];
  }

  /** The face of the box b that pushOut moves a out of: FXS_SIDE_NONE to FXS_SIDE_NEG_Z. */
  side(a, b) {
    const ids = [uint32("a", a), uint32("b", b)];
    return this.#pushed(kernel.fxs_world_side(this.#at, ...ids), a, b);
  }

  // ---- state ----

  /** The whole state as bytes, the same on every platform. */
  save() {
    const bytes = Number(kernel.fxs_world_save_size(this.#at));
    const at = results.for(bytes);
    kernel.fxs_world_save(this.#at, at);
    return memory.u8.slice(at, at + bytes);
  }

  /** Replaces everything but the capacity by a saved state. */
  load(data) {
    if (!ArrayBuffer.isView(data) || data.BYTES_PER_ELEMENT !== 1) {
      throw wrong("data", "a Uint8Array", data);
    }
    const fault = scratch + AT_COUNTS;
    for (;;) {
      const at = addressOf(data, this.#rows);
      const status = kernel.fxs_world_load(this.#at, at, BigInt(data.byteLength), fault);
      if (status === FXS_OK) return;
      if (status !== FXS_E_ROOM) checked(status, `byte ${count32(fault)}`);
      this.#makeRoom(count32(fault));
    }
  }

  /** XXH64 of the bytes that `save` gives, as an unsigned BigInt. */
  hash() {
    return BigInt.asUintN(64, kernel.fxs_world_hash(this.#at));
  }

  /** Another world with the same state. */
  copy() {
    return World.fromBytes(this.save(), this.#capacity, { level: this.#level });
  }
}

/** The address of a world. */
export function worldIn(world) {
  return instance("world", World, "a World", world).address;
}

// The address of an empty fxs_world. masks: the 32 rows of the layer matrix.
function makeWorld(capacity, hitCapacity, hitWhen, masks) {
  putWords(scratch, [capacity, hitCapacity, hitWhen, ...masks]);
  const bytes = kernel.fxs_world_size(scratch);
  checked(bytes === 0n ? -12 : FXS_OK, `capacity ${capacity}`);
  const room = new Room();
  const at = room.for(Number(bytes));
  checked(kernel.fxs_world_init(at, scratch), `capacity ${capacity}`);
  return at;
}

/** XXH64 (seed 0) of bytes, as an unsigned BigInt. */
export function hash64(data) {
  if (!ArrayBuffer.isView(data)) throw wrong("data", "a typed array", data);
  return BigInt.asUintN(
    64,
    kernel.fxs_hash64(addressOf(data, results), BigInt(data.byteLength), 0n),
  );
}
