// The kit: random numbers, motion, characters, the states of past frames, match logs
// (fixsync_kit.h).
import {
  ArgumentRangeError,
  bytesIn,
  integer,
  isList,
  itemsOf,
  list,
  object,
  optionsIn,
  quoted,
  short,
  textIn,
  UINT32_MAX,
  UINT64_MAX,
  uint32,
  unitsIn,
  vector,
  wide,
  wrong,
} from "./checks.js";
import { putCommands, yieldMasks } from "./commands.js";
import { eventWords, gameWords } from "./events.js";
import {
  addressOf,
  checked,
  Holder,
  kernel,
  memory,
  putRow,
  putWords,
  Room,
  release,
  results,
  scratch,
  textAt,
  words3,
} from "./kernel.js";
import { hex16 } from "./logs.js";
import { hitsAt, putCast, putQuery } from "./questions.js";
import {
  FXS_E_CENTRE,
  FXS_E_ROOM,
  FXS_E_UNDEFINED,
  FXS_GAME_EVENT,
  FXS_LAYER_COUNT,
  FXS_LEVEL,
  FXS_ONE,
  FXS_PASSES_MAX,
  FXS_SIZE_MAX,
  fxs_carried,
  fxs_cast_hit,
  fxs_mover,
  fxs_mover_result,
  fxs_recorded,
  fxs_recorder,
  fxs_separated,
} from "./raw.js";
import { defined, motionIn } from "./shapes.js";
import { SHAPES } from "./tables.js";
import { hash64, worldIn } from "./world.js";

const AT_OUT = 512; // in the scratch memory, behind all arguments

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

  // Calls with the state in the scratch memory, and keeps the new state.
  #ask(act) {
    memory.view.setBigUint64(scratch, this.#state, true);
    const answer = act(scratch);
    this.#state = memory.view.getBigUint64(scratch, true);
    return answer;
  }

  /** The next number, 0..2^64 - 1. */
  next() {
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
    const status = this.#ask((at) =>
      kernel.fxs_random_between(at, BigInt(ends[0]), BigInt(ends[1]), at + 8),
    );
    checked(status, `low ${low} and high ${high}`);
    return Number(memory.view.getBigInt64(scratch + 8, true));
  }

  /** Whether an event happens that has a chance of numerator in denominator. */
  chance(numerator, denominator) {
    const [n, d] = [
      uint32("numerator", numerator),
      integer("denominator", denominator, 1, UINT32_MAX),
    ];
    return this.#ask((at) => kernel.fxs_random_chance(at, BigInt(n), BigInt(d))) === 1;
  }

  /** Puts an array into a random order. */
  shuffle(items) {
    if (!Array.isArray(items)) throw wrong("items", "an array", items);
    const at = results.for(4 * items.length);
    for (let i = 0; i < items.length; i++) memory.u32[at / 4 + i] = i;
    this.#ask((state) => kernel.fxs_random_shuffle(state, at, BigInt(items.length), 4n));
    const before = [...items];
    for (let i = 0; i < items.length; i++) items[i] = before[memory.u32[at / 4 + i]];
    return items;
  }
}

// ---- motion: after a cast ----

function motionAnswer(what, ask) {
  checked(ask(scratch + AT_OUT), what);
  return words3(scratch + AT_OUT);
}

/** The part of a motion up to a cast's fraction. With the normal of the hit it ends outside of what
 * it met. */
export function along(motion, fraction, normal = null) {
  putWords(scratch, motionIn("motion", motion));
  if (normal !== null) putWords(scratch + 12, vector("normal", normal));
  const part = integer("fraction", fraction, 0, FXS_ONE);
  return motionAnswer("along", (out) =>
    kernel.fxs_along(scratch, part, normal === null ? 0 : scratch + 12, out),
  );
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

/** As C has it: 0 for the row of the layer matrix. */
const maskIn = (mask) => (mask === undefined ? 0 : integer("mask", mask, 1, UINT32_MAX));

/** Moves a collider straight, and slides it along obstacles; its hits, in order. */
export function moveAndSlide(world, id, motion, options) {
  const { mask, passes = 4 } = optionsIn(options, "mask, passes");
  const turns = integer("passes", passes, 1, FXS_PASSES_MAX);
  const hits = results.for(turns * fxs_cast_hit.$size);
  putWords(scratch, motionIn("motion", motion));
  const at = worldIn(world);
  const status = kernel.fxs_move_and_slide(
    at,
    uint32("id", id),
    scratch,
    maskIn(mask),
    turns,
    hits,
    scratch + AT_OUT,
  );
  moverAnswered(status, world, id);
  return hitsAt(hits, memory.u32[(scratch + AT_OUT) / 4]);
}

/** The status of a call that casts a collider, or an error that names the refused value. */
function moverAnswered(status, world, id) {
  const shapes =
    status === FXS_E_UNDEFINED ? { [`the shape of id ${id}`]: world.get(id).shape } : {};
  return defined(status, `id ${id}`, "canCast", shapes);
}

let wordsOf; // of a Mover

/** A character: it moves along walls, up steps, down to the floor. */
export class Mover {
  #words;
  #id;

  static {
    wordsOf = (mover) => mover.#words;
  }

  /** floorY: the least y of a floor's normal, in Q2.30; 45 degrees if it is left out. */
  constructor(id, options) {
    const {
      mask,
      oneWay = 0,
      passes = 4,
      stepHeight = 0,
      snap = 0,
      floorY = 759250125,
    } = optionsIn(options, "mask, oneWay, passes, stepHeight, snap, floorY");
    this.#id = uint32("id", id);
    const layers = maskIn(mask);
    const both = integer("oneWay", oneWay, 0, UINT32_MAX) & (mask ?? ~0);
    if (both !== 0) {
      const wanted = mask === undefined ? "be 0 without a mask" : "share no layer with mask";
      throw new ArgumentRangeError(`oneWay must ${wanted}, not ${both >>> 0}`);
    }
    this.#words = [
      this.#id,
      layers,
      integer("passes", passes, 2, FXS_PASSES_MAX),
      unitsIn("stepHeight", stepHeight, 0, FXS_SIZE_MAX),
      unitsIn("snap", snap, 0, FXS_SIZE_MAX),
      integer("floorY", floorY, 1, 2 ** 30),
      oneWay,
    ];
  }

  /** Moves it by a motion: { x, y, z, motion, flags, floor, hits }. flags: raw.FXS_ON_FLOOR and the
   * like. */
  move(world, motion) {
    const hits = results.for((this.#words[2] + 1) * fxs_cast_hit.$size);
    putWords(scratch, this.#words);
    putWords(scratch + fxs_mover.$size, motionIn("motion", motion));
    const out = scratch + AT_OUT;
    const status = kernel.fxs_mover_move(
      worldIn(world),
      scratch,
      scratch + fxs_mover.$size,
      out,
      hits,
    );
    moverAnswered(status, world, this.#id);
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

// The rows of movers, by id.
function moverWords(movers) {
  const words = itemsOf("movers", movers).map((mover, i) => {
    if (mover instanceof Mover) return wordsOf(mover);
    throw wrong(`movers[${i}]`, "a Mover", mover);
  });
  return words.sort((a, b) => a[0] - b[0]);
}

/** `World.separate` for characters: none is pushed through a wall, or into one. For each collider
 * that is pushed to another place, by ascending id, { id, x, y, z, isHeld }. */
export function separate(world, yields, movers, options) {
  const { passes = 1 } = optionsIn(options, "passes");
  const masks = yieldMasks(yields);
  const words = moverWords(movers);
  const turns = integer("passes", passes, 1, UINT32_MAX);
  const at = worldIn(world);
  const { size } = world;
  const listed = results.for(words.length * fxs_mover.$size + size * fxs_separated.$size);
  const rows = listed + words.length * fxs_mover.$size;
  const count = scratch + AT_OUT;
  putWords(scratch, masks);
  putWords(listed, words.flat());
  const status = kernel.fxs_movers_separate(
    at,
    scratch,
    turns,
    listed,
    BigInt(words.length),
    rows,
    BigInt(size),
    count,
  );
  if (status === FXS_E_CENTRE) checked(status, `id ${memory.u32[count / 4]}`);
  if (status < 0) refuseMovers(status, world, [], words);
  return Array.from({ length: memory.u32[count / 4] }, (_, i) => {
    const [id, x, y, z, isHeld] = memory.i32.subarray((rows + i * fxs_separated.$size) / 4);
    return { id: id >>> 0, x, y, z, isHeld: isHeld !== 0 };
  });
}

/** Moves a platform, with the movers on it, and pushes those in its way: for each mover, by
 * ascending id, { id, x, y, z, motion, flags, by }. flags: raw.FXS_RODE and the like. */
export function carry(world, platforms, motion, movers) {
  const ids = [...new Set(itemsOf("platforms", platforms))]
    .map((id) => uint32("id", id))
    .sort((a, b) => a - b);
  const words = moverWords(movers);
  const listed = results.for(4 * ids.length + words.length * (fxs_mover.$size + fxs_carried.$size));
  const listedMovers = listed + 4 * ids.length;
  const rows = listedMovers + words.length * fxs_mover.$size;
  putWords(listed, ids);
  putWords(listedMovers, words.flat());
  putWords(scratch, motionIn("motion", motion));
  const at = worldIn(world);
  const [n, count] = [BigInt(ids.length), BigInt(words.length)];
  const status = kernel.fxs_carry(at, listed, n, scratch, listedMovers, count, rows);
  if (status < 0) refuseMovers(status, world, ids, words);
  return words.map((_, i) => {
    const [id, x, y, z, mx, my, mz, flags, by] = memory.i32.subarray(
      (rows + i * fxs_carried.$size) / 4,
    );
    return { id: id >>> 0, x, y, z, motion: [mx, my, mz], flags, by: by >>> 0 };
  });
}

/** Names the first collider that `carry` or `separate` refuses. */
function refuseMovers(status, world, platforms, words) {
  const movers = words.map(([id]) => id);
  const refuse = (id, rule) => {
    throw new ArgumentRangeError(`id ${id} must ${rule}`);
  };
  for (const [i, id] of movers.entries()) {
    if (id === movers[i - 1]) refuse(id, "have one mover, not two");
    if (platforms.includes(id)) refuse(id, "not be both a platform and a mover");
  }
  for (const id of [...platforms, ...movers]) {
    const { shape, active } = world.get(id); // it must be in the world
    if (!SHAPES[shape[0]].canCast) moverAnswered(FXS_E_UNDEFINED, world, id);
    if (!active && platforms.includes(id)) refuse(id, "be active, as a part of a platform");
  }
  checked(status, "a place of platforms or movers");
}

// ---- recorder ----

const DEPTH_MAX = 64; // of lists and objects in meta
const NO_STATE = new Uint8Array(0);

// A number in one of the ranges. given: as an error shows it.
function oneIn(name, number, ranges, given = number) {
  if (!ranges.some(([low, high]) => number >= low && number <= high)) {
    const allowed = ranges.map((ends) => ends.join("..")).join(" or ");
    throw new ArgumentRangeError(`${name} must be ${allowed}, not ${quoted(given)}`);
  }
  return number;
}

const rateIn = (name, value) =>
  integer(name, value, 1, UINT32_MAX, ": write [30000, 1001] for 29.97");

function tickRateIn(rate) {
  if (!Array.isArray(rate)) return rateIn("tickRate", rate);
  if (rate.length !== 2) throw wrong("tickRate", "an integer or [frames, seconds]", rate);
  return [rateIn("tickRate[0]", rate[0]), rateIn("tickRate[1]", rate[1])];
}

// Refuses a value of `meta` that a log does not keep as it is.
function checkPlain(path, value, depth) {
  const name = short(path);
  if (depth > DEPTH_MAX)
    throw new ArgumentRangeError(`meta must be at most ${DEPTH_MAX} levels deep: ${name}`);
  if (typeof value === "boolean") return;
  if (typeof value === "string") textIn(name, value);
  else if (typeof value === "number")
    integer(name, value, Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
  else if (Array.isArray(value)) {
    for (const [i, one] of value.entries()) checkPlain(`${path}[${i}]`, one, depth + 1);
  } else if (Object.prototype.toString.call(value) === "[object Object]") {
    for (const [key, one] of Object.entries(value)) {
      textIn(`a key of ${name}`, key);
      checkPlain(`${path}.${key}`, one, depth + 1);
    }
  } else throw wrong(name, "a string, an integer, a boolean, an array or an object", value);
}

// The tables of names as a log has them: in its order, without empty ones. ids: their ranges.
function nameTables(names, ids) {
  const tables = { layers: [[0, FXS_LAYER_COUNT - 1]], ids, game: [[FXS_GAME_EVENT, UINT32_MAX]] };
  const given = optionsIn(names, Object.keys(tables).join(", "), "names", "a key of names");
  const found = {};
  for (const [table, ranges] of Object.entries(tables)) {
    const path = `names.${table}`;
    const rows = Object.entries(object(path, given[table] ?? {}));
    for (const [key, name] of rows) {
      const number = /^(0|[1-9]\d*)$/.test(key) ? Number(key) : Number.NaN;
      oneIn(`a key of ${path}`, number, ranges, key);
      textIn(`${path}.${key}`, name);
    }
    if (rows.length > 0) found[table] = Object.fromEntries(rows);
  }
  return found;
}

// Of what a game plays with, as a log has it.
function digestOf(data) {
  if (typeof data !== "string" && !ArrayBuffer.isView(data))
    throw wrong("data", "a string or bytes", data);
  return hex16(hash64(typeof data === "string" ? textIn("data", data) : data));
}

/** A match log, written by the kernel: the bytes that fixsync itself writes. */
export class Recorder extends Holder {
  #rooms;
  #answers = []; // of the frame's questions, which come after all questions
  #capacity;
  #ids; // ranges: of colliders and solids
  #hasGame = null; // whether frames have events of the game; null before the first
  #hasInputs; // or commands

  /** Begins with the world as it is. tickRate: frames a second, or [frames, seconds]. meta: what
   * the game likes to say. names: { layers, ids, game }, each by number. build: the game's build.
   * data: text or bytes of what it plays with. sim: the simulation's name: frames then have inputs,
   * no commands. seed: its seed. state: the bytes of its save, if it does not begin at frame 0. */
  constructor(world, options) {
    const rooms = { recorder: new Room(), rows: new Room(), text: new Room() };
    super(rooms);
    this.#rooms = rooms;
    const known = "tickRate, meta, names, build, data, sim, seed, state";
    const {
      tickRate = 60,
      meta = {},
      names = null,
      build = null,
      data = null,
      sim = null,
      seed = null,
      state = NO_STATE,
    } = optionsIn(options, known);
    const address = worldIn(world);
    const solids = world.level?.size ?? 0;
    this.#capacity = world.capacity;
    this.#ids = [[0, this.#capacity - 1]];
    if (solids > 0) this.#ids.push([FXS_LEVEL, FXS_LEVEL + solids - 1]);
    checkPlain("meta", object("meta", meta), 0);
    const tables = nameTables(names ?? undefined, this.#ids);
    const about = { tick_rate: tickRateIn(tickRate) };
    if (sim !== null) {
      textIn("sim", sim);
      about.sim = sim;
    }
    const number = seed === null ? 0n : wide("seed", seed, 0n, UINT64_MAX);
    if (seed !== null) about.seed = ""; // a text of JSON cannot hold a BigInt
    about.meta = meta;
    if (Object.keys(tables).length > 0) about.names = tables;
    if (build !== null) {
      textIn("build", build);
      about.build = build;
    }
    if (data !== null) about.data = digestOf(data);
    const at = rooms.recorder.for(2 * fxs_recorder.$size); // the second: a copy, for `text`
    const json = JSON.stringify(about).replace('"seed":""', `"seed":${number}`);
    const bytes = new TextEncoder().encode(json);
    const from = rooms.rows.for(bytes.length);
    memory.u8.set(bytes, from);
    memory.u8.fill(0, at, at + fxs_recorder.$size);
    const saved = addressOf(bytesIn("state", state), results);
    const sizes = [bytes, state].map(({ length }) => BigInt(length));
    const first = [address, from, sizes[0], state.length === 0 ? 0 : saved, sizes[1]];
    this.#hasInputs = sim !== null;
    this.#write("Recorder", (text, room) =>
      kernel.fxs_recorder_begin(at, ...first, text, room, scratch),
    );
  }

  get #at() {
    return this.#rooms.recorder.live("recorder is");
  }

  // Calls with room for more text, again with more of it until it is enough.
  #write(what, act) {
    const { text } = this.#rooms;
    text.for(4096);
    for (;;) {
      const status = act(text.at, BigInt(text.bytes));
      if (status !== FXS_E_ROOM) return checked(status, what);
      const [old, bytes] = [text.at, text.bytes];
      text.at = 0;
      const at = text.for(2 * bytes);
      memory.u8.copyWithin(at, old, old + bytes);
      release(old);
    }
  }

  /** Adds commands of this frame, as the world took them. */
  commands(commands) {
    const { at, count } = putCommands({ commands }, this.#rooms.rows, this.#capacity);
    this.#write("commands", (text, room) =>
      kernel.fxs_recorder_commands(this.#at, at, BigInt(count), text, room),
    );
  }

  /** Adds the inputs of all players of this frame: numbers, or arrays of them. */
  inputs(inputs) {
    for (const [i, input] of list("inputs", inputs).entries()) {
      const numbers = isList(input) ? Array.from(input) : [input];
      const name = `inputs[${i}]`;
      const values = numbers.map((one) => wide(name, one, -(2n ** 63n), 2n ** 63n - 1n));
      const at = this.#rooms.rows.for(8 * values.length);
      for (const [k, one] of values.entries()) memory.view.setBigInt64(at + 8 * k, one, true);
      const add = isList(input) ? kernel.fxs_recorder_input_list : kernel.fxs_recorder_inputs;
      const count = BigInt(values.length);
      this.#write(name, (text, room) => add(this.#at, at, count, text, room));
    }
  }

  /** Adds a frame that `Rollback` has confirmed. */
  frame(confirmed) {
    const { inputs, commands, events, game, ...hashes } = object("confirmed", confirmed);
    if (this.#hasInputs) this.inputs(inputs);
    else this.commands(commands);
    const { hash, worldHash, state } = hashes;
    this.step(...(this.#hasInputs ? [worldHash, events, game, state] : [hash, events, game]));
  }

  /** Adds a query that was made after the step of this frame: the ids that it gave, then its
   * arguments. */
  query(ids, shape, pose, mask = UINT32_MAX, options) {
    const answer = Array.from(list("ids", ids), (id, i) =>
      oneIn(`ids[${i}]`, uint32(`ids[${i}]`, id), this.#ids),
    );
    const query = putQuery(shape, pose, mask, options);
    this.#write("query", (text, room) => kernel.fxs_recorder_query(this.#at, query, text, room));
    this.#answers.push({ words: answer, count: answer.length, add: kernel.fxs_recorder_ids });
  }

  /** Adds a cast that was made after the step of this frame: the hits that it gave, then its
   * arguments. */
  cast(hits, shape, pose, motion, mask = UINT32_MAX, options = {}) {
    const words = Array.from(list("hits", hits)).flatMap((hit, i) => {
      const { id, fraction, normal } = object(`hits[${i}]`, hit);
      return [
        oneIn(`hits[${i}].id`, uint32(`hits[${i}].id`, id), this.#ids),
        integer(`hits[${i}].fraction`, fraction, 0, FXS_ONE),
        ...vector(`hits[${i}].normal`, normal),
      ];
    });
    const cast = putCast(shape, pose, motion, mask, options);
    this.#write("cast", (text, room) => kernel.fxs_recorder_cast(this.#at, cast, text, room));
    this.#answers.push({ words, count: hits.length, add: kernel.fxs_recorder_hits });
  }

  /** Ends a frame. world: after its step, or the hash that it had then. events: those of that
   * step. game: the game's own, of every frame or of none. state: fxs_hash64 of all that the
   * simulation saves then. */
  step(world, events, game = null, state = null) {
    const hash =
      typeof world === "bigint"
        ? wide("world", world, 0n, UINT64_MAX)
        : worldIn(world) && world.hash();
    const met = eventWords(events);
    for (let i = 0; i < met.length; i += 4) this.#checkPair(`events[${i / 4}]`, met[i], met[i + 1]);
    const words = [...met, ...gameWords(game ?? [])];
    const hasGame = game !== null;
    if (hasGame !== (this.#hasGame ?? hasGame))
      throw wrong("game", `${hasGame ? "null" : "an array"}, as in the frames before`, game);
    const rooms = this.#rooms;
    const put = (numbers) => {
      const at = rooms.rows.for(4 * numbers.length);
      putWords(at, numbers);
      return at;
    };
    for (const { words: answer, count, add } of this.#answers.splice(0)) {
      const at = put(answer);
      this.#write("answers", (text, room) => add(this.#at, at, BigInt(count), text, room));
    }
    const at = put(words);
    const own = words.length - met.length;
    putRow(scratch, fxs_recorded, {
      hash,
      state: state === null ? 0n : wide("state", state, 0n, UINT64_MAX),
      event_count: BigInt(met.length / 4),
      game_count: BigInt(own / 4),
      has_events: 1,
      has_game: hasGame ? 1 : 0,
      has_hash: 1,
      has_state: state === null ? 0 : 1,
    });
    this.#write("step", (text, room) =>
      kernel.fxs_recorder_step(this.#at, scratch, at, text, room),
    );
    this.#hasGame = hasGame;
  }

  #checkPair(name, a, b) {
    integer(`${name}.a`, a, 0, this.#capacity - 1);
    oneIn(`${name}.b`, b, this.#ids);
    if (a >= b) throw new ArgumentRangeError(`${name}.a must be less than its b, ${b}, not ${a}`);
  }

  /** The log so far, with its last line: all frames that have ended. Recording may go on. */
  text() {
    const [at, copy] = [this.#at, this.#at + fxs_recorder.$size];
    this.#write("text", (text, room) => {
      memory.u8.copyWithin(copy, at, at + fxs_recorder.$size);
      return kernel.fxs_recorder_end(copy, text, room);
    });
    const size = Number(memory.view.getBigUint64(copy + fxs_recorder.size, true));
    return textAt(this.#rooms.text.at, this.#rooms.text.at + size);
  }
}
