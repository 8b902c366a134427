// The kit: random numbers, motion, characters, the states of past frames, match logs (fixsync_kit.h).
import { ArgumentTypeError, integer, isList, quoted, UINT32_MAX, uint32, vector, wide } from "./checks.js";
import { putCommand, rowCount } from "./commands.js";
import { checked, FREED, kernel, memory, putWords, Room, results, scratch } from "./kernel.js";
import {
  FXS_E_ROOM,
  FXS_ONE,
  FXS_PASSES_MAX,
  FXS_SIZE_MAX,
  fxs_cast_hit,
  fxs_command,
  fxs_event,
  fxs_mover,
  fxs_mover_result,
  fxs_recorder,
} from "./raw.js";
import { motionIn } from "./shapes.js";
import { Events, World } from "./world.js";

const AT_OUT = 512; // in the scratch memory, behind all arguments
const UINT64_MAX = 2n ** 64n - 1n;

function worldIn(world) {
  if (!(world instanceof World)) throw new ArgumentTypeError(`world must be a World, not ${quoted(world)}`);
  return world.address;
}

// ---- random numbers ----

/** SplitMix64. Its `state` is one BigInt, which a game saves with its own. */
export class Random {
  #state = 0n;

  constructor(seed) {
    this.state = seed;
  }

  get state() {
    return this.#state;
  }
  set state(value) {
    this.#state = wide("seed", value, 0n, UINT64_MAX);
  }

  // Calls with the state in the scratch memory, and keeps what it has become.
  #ask(act) {
    memory.view.setBigUint64(scratch, this.#state, true);
    const answer = act(scratch);
    this.#state = memory.view.getBigUint64(scratch, true);
    return answer;
  }

  /** The next number, 0..2^64 - 1. */
  nextU64() {
    return BigInt.asUintN(
      64,
      this.#ask((at) => kernel.fxs_random_next(at)),
    );
  }

  /** A number of 0..count - 1. */
  below(count) {
    const most = BigInt(integer("count", count, 1, Number.MAX_SAFE_INTEGER));
    return Number(this.#ask((at) => kernel.fxs_random_below(at, most)));
  }

  /** A number of low..high, both included. */
  between(low, high) {
    const ends = [low, high].map((end, i) => integer(["low", "high"][i], end, -(2 ** 51), 2 ** 51));
    const status = this.#ask((at) => kernel.fxs_random_between(at, BigInt(ends[0]), BigInt(ends[1]), at + 8));
    checked(status, `low ${low} and high ${high}`);
    return Number(memory.view.getBigInt64(scratch + 8, true));
  }

  /** Whether an event happens that has a chance of numerator in denominator. */
  chance(numerator, denominator) {
    const [n, d] = [uint32("numerator", numerator), integer("denominator", denominator, 1, UINT32_MAX)];
    return this.#ask((at) => kernel.fxs_random_chance(at, BigInt(n), BigInt(d))) === 1;
  }

  /** Puts an array into a random order. */
  shuffle(items) {
    if (!Array.isArray(items)) throw new ArgumentTypeError(`items must be an array, not ${quoted(items)}`);
    const at = results.for(4 * items.length);
    for (let i = 0; i < items.length; i++) memory.u32[at / 4 + i] = i;
    this.#ask((state) => kernel.fxs_random_shuffle(state, at, BigInt(items.length), 4n));
    const before = [...items];
    for (let i = 0; i < items.length; i++) items[i] = before[memory.u32[at / 4 + i]];
    return items;
  }
}

// ---- motion: what to do with the answer of a cast ----

function motionAnswer(what, ask) {
  checked(ask(scratch + AT_OUT), what);
  return [...memory.i32.subarray((scratch + AT_OUT) / 4, (scratch + AT_OUT) / 4 + 3)];
}

/** The part of a motion up to a cast's fraction. With the normal of the hit it ends outside of what it met. */
export function along(motion, fraction, normal = null) {
  putWords(scratch, motionIn("motion", motion));
  if (normal !== null) putWords(scratch + 12, vector("normal", normal));
  const part = integer("fraction", fraction, 0, FXS_ONE);
  return motionAnswer("along", (out) => kernel.fxs_along(scratch, part, normal === null ? 0 : scratch + 12, out));
}

/** A motion thrown back by a surface, which keeps `kept` (65536: all) of its speed into it. */
export function bounce(motion, normal, kept) {
  putWords(scratch, vector("motion", motion));
  putWords(scratch + 12, vector("normal", normal));
  const share = integer("kept", kept, 0, FXS_ONE);
  return motionAnswer("bounce", (out) => kernel.fxs_bounce(scratch, scratch + 12, share, out));
}

/** A motion without its part into a surface. */
export function slide(motion, normal) {
  putWords(scratch, vector("motion", motion));
  putWords(scratch + 12, vector("normal", normal));
  return motionAnswer("slide", (out) => kernel.fxs_slide(scratch, scratch + 12, out));
}

const hitsAt = (at, count) =>
  Array.from({ length: count }, (_, i) => {
    const word = (at + i * fxs_cast_hit.$size) / 4;
    const [id, fraction] = memory.u32.subarray(word, word + 2);
    return { id, fraction, normal: [...memory.i32.subarray(word + 2, word + 5)] };
  });

/** Moves a collider straight, and along what it comes to; what it came to, in order. */
export function moveAndSlide(world, id, motion, { mask = UINT32_MAX, passes = 4 } = {}) {
  const turns = integer("passes", passes, 1, FXS_PASSES_MAX);
  const hits = results.for(turns * fxs_cast_hit.$size);
  putWords(scratch, motionIn("motion", motion));
  const at = worldIn(world);
  const status = kernel.fxs_move_and_slide(
    at,
    uint32("id", id),
    scratch,
    uint32("mask", mask),
    turns,
    hits,
    scratch + AT_OUT,
  );
  checked(status, `id ${id}`);
  return hitsAt(hits, memory.u32[(scratch + AT_OUT) / 4]);
}

/** A character: it moves along walls, up steps, down to the floor. */
export class Mover {
  #words;
  #id;

  /** floorY: the least y of a floor's normal, in Q2.30; 45 degrees if it is left out. */
  constructor(id, { mask = UINT32_MAX, passes = 4, stepHeight = 0, snap = 0, floorY = 759250125 } = {}) {
    this.#id = uint32("id", id);
    this.#words = [
      this.#id,
      uint32("mask", mask),
      integer("passes", passes, 2, FXS_PASSES_MAX),
      integer("stepHeight", stepHeight, 0, FXS_SIZE_MAX),
      integer("snap", snap, 0, FXS_SIZE_MAX),
      integer("floorY", floorY, 1, 2 ** 30),
    ];
  }

  /** Moves it by a motion: { x, y, z, motion, flags, floor, hits }. flags: raw.FXS_ON_FLOOR and the like. */
  move(world, motion) {
    const hits = results.for((this.#words[2] + 1) * fxs_cast_hit.$size);
    putWords(scratch, this.#words);
    putWords(scratch + fxs_mover.$size, motionIn("motion", motion));
    const out = scratch + AT_OUT;
    const status = kernel.fxs_mover_move(worldIn(world), scratch, scratch + fxs_mover.$size, out, hits);
    checked(status, `id ${this.#id}`);
    const int = (field) => memory.i32[(out + field) / 4];
    const { x, y, z, motion: rest, flags, floor, hit_count: count } = fxs_mover_result;
    return {
      ...{ x: int(x), y: int(y), z: int(z) },
      motion: [int(rest), int(rest + 4), int(rest + 8)],
      flags: int(flags),
      floor: int(floor) >>> 0,
      hits: hitsAt(hits, int(count)),
    };
  }
}

// ---- rewind ----

/** The states of a world at its last frames, each with as many bytes of the game's own. */
export class Rewind {
  #rooms = { block: new Room(), own: new Room() };
  #ownBytes;

  /** frames: how many it keeps. stateBytes: the largest state. ownBytes: of the game's own. */
  constructor(frames, stateBytes, ownBytes = 0) {
    this.#ownBytes = integer("ownBytes", ownBytes, 0, FXS_SIZE_MAX);
    const count = integer("frames", frames, 1, UINT32_MAX);
    const state = BigInt(integer("stateBytes", stateBytes, 1, UINT32_MAX));
    const { block, own } = this.#rooms;
    const at = block.for(Number(kernel.fxs_rewind_size(count, BigInt(ownBytes), state)));
    checked(kernel.fxs_rewind_init(at, count, BigInt(ownBytes), state), "Rewind");
    own.for(ownBytes);
    const rooms = this.#rooms;
    FREED?.register(this, { free: () => freeRooms(rooms) }, this);
  }

  get #at() {
    if (this.#rooms.block.at === 0) throw new Error("the rewind is disposed");
    return this.#rooms.block.at;
  }

  /** How many frames are kept. */
  get size() {
    return kernel.fxs_rewind_count(this.#at) >>> 0;
  }

  /** The oldest frame that is kept. */
  get oldest() {
    return kernel.fxs_rewind_oldest(this.#at) >>> 0;
  }

  /** Keeps a world as it is, under its frame, and the game's own bytes. Later frames are dropped. */
  push(world, own = new Uint8Array(0)) {
    if (!(own instanceof Uint8Array) || own.length !== this.#ownBytes) {
      throw new ArgumentTypeError(`own must be a Uint8Array of ${this.#ownBytes} bytes, not ${quoted(own)}`);
    }
    memory.u8.set(own, this.#rooms.own.at);
    checked(kernel.fxs_rewind_push(this.#at, worldIn(world), this.#rooms.own.at), `frame ${world.frame}`);
  }

  /** Loads the state of a frame into a world; the game's own bytes. */
  load(frame, world) {
    const own = this.#rooms.own.at;
    const wanted = uint32("frame", frame);
    checked(kernel.fxs_rewind_load(this.#at, wanted, worldIn(world), own, scratch), `frame ${frame}`);
    return memory.u8.slice(own, own + this.#ownBytes);
  }

  dispose() {
    FREED?.unregister(this);
    freeRooms(this.#rooms);
  }
}

function freeRooms(rooms) {
  for (const room of Object.values(rooms)) room.free();
}

// ---- recorder ----

/** A match log, written by the kernel: the bytes that fixsync itself writes. Begin it with the world as the match begins. */
export class Recorder {
  #rooms = { recorder: new Room(), rows: new Room(), text: new Room() };
  #pieces = [];

  /** tickRate: frames a second. */
  constructor(world, { tickRate = 60 } = {}) {
    const at = this.#rooms.recorder.for(fxs_recorder.$size);
    const rate = integer("tickRate", tickRate, 1, UINT32_MAX);
    const rooms = this.#rooms;
    FREED?.register(this, { free: () => freeRooms(rooms) }, this);
    memory.u8.fill(0, at, at + fxs_recorder.$size);
    this.#write("Recorder", (text, room) => kernel.fxs_recorder_begin(at, worldIn(world), rate, text, room));
  }

  // Calls with room for text, more of it until it is enough, and keeps the text.
  #write(what, act) {
    for (let bytes = 4096; ; bytes *= 2) {
      const text = this.#rooms.text.for(bytes);
      const status = act(text, BigInt(this.#rooms.text.bytes));
      if (status === FXS_E_ROOM) continue;
      checked(status, what);
      const at = this.#rooms.recorder.at + fxs_recorder.size;
      const size = Number(memory.view.getBigUint64(at, true));
      this.#pieces.push(memory.u8.slice(text, text + size));
      memory.view.setBigUint64(at, 0n, true);
      return;
    }
  }

  get #at() {
    if (this.#rooms.recorder.at === 0) throw new Error("the recorder is disposed");
    return this.#rooms.recorder.at;
  }

  /** Adds commands of this frame, as the world took them. */
  commands(commands) {
    if (!isList(commands)) throw new ArgumentTypeError(`commands must be an array, not ${quoted(commands)}`);
    const rows = commands.reduce((sum, command) => sum + rowCount(command), 0);
    const at = this.#rooms.rows.for(rows * fxs_command.$size);
    memory.u8.fill(0, at, at + rows * fxs_command.$size);
    let row = at;
    for (const command of commands) {
      putCommand(row, command);
      row += rowCount(command) * fxs_command.$size;
    }
    this.#write("commands", (text, room) => kernel.fxs_recorder_commands(this.#at, at, BigInt(rows), text, room));
  }

  /** Ends a frame: the world after its step, and the events of that step. */
  step(world, events) {
    if (!(events instanceof Events)) throw new ArgumentTypeError(`events must be a step's, not ${quoted(events)}`);
    const hash = world.hash();
    const at = this.#rooms.rows.for(events.length * fxs_event.$size);
    putWords(at, events.rows);
    const count = BigInt(events.length);
    this.#write("step", (text, room) => kernel.fxs_recorder_step(this.#at, at, count, hash, text, room));
  }

  /** Ends the log with its last line. */
  end() {
    this.#write("end", (text, room) => kernel.fxs_recorder_end(this.#at, text, room));
  }

  /** The text so far. */
  text() {
    const bytes = new Uint8Array(this.#pieces.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const piece of this.#pieces) {
      bytes.set(piece, at);
      at += piece.length;
    }
    return new TextDecoder().decode(bytes);
  }

  dispose() {
    FREED?.unregister(this);
    freeRooms(this.#rooms);
  }
}

for (const Held of [Rewind, Recorder]) {
  Held.prototype[Symbol.dispose ?? Symbol.for("Symbol.dispose")] = Held.prototype.dispose;
}
