// Every function of the package with every argument replaced by what it is not: an answer, or an
// error of the package that names the thing. A new export without a row here fails the test.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as fixsync from "../index.js";
import { ROOT, test } from "./harness.mjs";

const {
  ArgumentRangeError,
  ArgumentTypeError,
  box,
  Body,
  FrameData,
  init,
  KernelArray,
  kernel,
  Level,
  MatchLog,
  MatchLogError,
  Mover,
  Random,
  Recorder,
  Replay,
  Rollback,
  sphere,
  TwoPlanes,
  World,
} = fixsync;

const BALL = ["sphere", 65536];
const POSE = { x: 1, y: 2, z: 3, yaw: 4 };
const V = [65536, 0, 5];
const HITBOX = { ground: ["circle", 9], side: [9, 9] };
const SOLID = [
  "prism",
  1,
  0,
  9,
  [
    [0, 0],
    [9, 0],
    [0, 9],
  ],
];
const WHY = {
  ...{ why: 512, causes: ["beside"], grows: "b", sector: "outside", contact: 0 },
  ...{ height: -5, planar: 7, gap: null, turn: 9 },
};
const EVENT = { a: 1, b: 2, kind: 1, contact: 2 };
const GAME = { a: 1, b: 2, kind: 16, value: 3 };
const HIT = { id: 1, fraction: 5, normal: [0, 1, 0] };
const COMMANDS = [
  ["add", 3, BALL, [1, 2, 3], 4, 5, 6, [7, 8, 9], true],
  ["move", 1, [1, 2, 3]],
  ["turn", 1, 2],
  ["pose", 1, [1, 2, 3], 4],
  ["shape", 1, BALL],
  ["offset", 1, [1, 2, 3]],
  ["owner", 1, 2],
  ["layer", 1, 2],
  ["active", 1, false],
  ["remove", 1],
  ["layers", [[1, 2]]],
];
const DOCUMENT = {
  parts: {
    torso: { shape: BALL, offset: [0, 1, 2], layer: 1, yaw: 16384, active: true, turns: false },
  },
  attacks: {
    jab: {
      frames: 9,
      active: { torso: [[2, 4]] },
      rehits: [3],
      cancels: [{ into: "jab", frames: [5, 6], on_hit: true }],
      keys: {
        torso: [{ frames: [3, 4], shape: BALL, offset: [1, 1, 1], yaw: 16384, turns: true }],
      },
      meta: { damage: 5 },
    },
  },
  meta: { name: "fighter" },
};

const world = () => {
  const made = new World(8, { level: Level.of([SOLID]) });
  for (const id of [1, 2]) made.add(id, id === 1 ? BALL : ["box", 9, 9, 9], POSE, { owner: id });
  return made;
};
const log = readFileSync(join(ROOT, "tests", "vectors", "small.jsonl"));
const planes = () => {
  const made = new TwoPlanes(8);
  for (const id of [1, 2]) made.add(id, HITBOX, [0, 0, 0]);
  return made;
};
const body = () => new Body(world(), FrameData.of(DOCUMENT), POSE, { ids: [4], owner: 7 });
const rollback = (peers = [0, 1]) => {
  const own = world();
  const play = () => ({ events: own.step() });
  return new Rollback({ world: own, play }, { players: 2, peers });
};
const rows = (count, Type = Int32Array) => new Type(count);
const state = () => world().save();
const stepped = () => {
  const own = world();
  return [own, own.step()];
};
const replay = async () => new Replay(await MatchLog.from(log));

// A function and its arguments, made anew for each call: its name is Class, Class.static,
// Class#method or Class#property=.
const of = (made, method, ...args) => [(...given) => made[method](...given), args];
const made = (Class, ...args) => [(...given) => new Class(...given), args];
const MASKED = [BALL, POSE, 7, { excludeOwner: 1 }];
const CAST = [BALL, POSE, V, 7, { excludeOwner: 1, limit: 2, hitWhen: 1 }];
const PAIR = [BALL, POSE, ["box", 1, 2, 3], POSE];
const calls = {
  init: () => [init, [undefined]],
  ...Object.fromEntries(
    [
      ["q", "1.5"],
      ["qNear", "1.55"],
      ["degrees", 90],
      ["direction", 5],
      ["yawOf", 5, 6],
      ["length", 5, 6, 7],
      ["yawBetween", 5, 6],
      ["faces", 5, 6, 7, 8],
      ["forward", 5, 6],
      ["mul", 65536, 5],
      ["div", 65536, 5],
      ["mulDiv", 65536, 5, 6],
      ["sqrt", 65536],
      ["lerp", 1, 2, 3],
      ["clamp", 1, 2, 3],
      ["approach", 1, 2, 3],
      ["turnTowards", 1, 2, 3],
      ["hypot", 1, 2, 3],
      ["dot", V, V],
      ["scale", V, 5],
      ["withLength", V, 5],
      ["sphere", 5],
      ["capsule", 5, 6],
      ["cylinder", 5, 6],
      ["box", 5, 6, 7],
      ["sector", 5, 6, 7, 2],
      ["overlap", ...PAIR],
      ["pushOut", ...PAIR],
      ["lift", ...PAIR],
      ["side", ...PAIR],
      ["castPair", BALL, POSE, V, BALL, POSE, V, { hitWhen: 1 }],
      ["outline", BALL, POSE, { segments: 8 }],
      ["explain", ...PAIR, { hitWhen: 1 }],
      ["explanationText", WHY, "hero", "boss"],
      ["hash64", new Uint8Array(3)],
      ["layerMasks", [[1, 2]]],
      ["along", V, 5, [0, 1, 0]],
      ["bounce", V, [0, 1, 0], 5],
      ["slide", V, [0, 1, 0]],
    ].map(([name, ...args]) => [name, () => [fixsync[name], structuredClone(args)]]),
  ),
  moveAndSlide: () => [fixsync.moveAndSlide, [world(), 1, V, { mask: 1, passes: 2 }]],
  separate: () => [fixsync.separate, [world(), [[1, 2]], [new Mover(2)], { passes: 2 }]],
  carry: () => [fixsync.carry, [world(), [1], V, [new Mover(2)]]],
  stateDifferences: () => [fixsync.stateDifferences, [state(), state()]],
  stateFields: () => [fixsync.stateFields, [state()]],
  KernelArray: () => made(KernelArray, Int32Array, 5),
  "KernelArray#dispose": () => of(new KernelArray(Int32Array, 5), "dispose"),
  Level: () => made(Level, Level.of([SOLID]).toBytes()),
  "Level.of": () => [(solids) => Level.of(solids), [[SOLID, ["cylinder", 1, 0, 9, [1, 2], 3]]]],
  World: () => made(World, 8, { hitWhen: 2, layers: [[1, 2]], level: Level.of([SOLID]) }),
  "World.fromBytes": () => [
    (...given) => World.fromBytes(...given),
    [new World(8).save(), 8, { level: null }],
  ],
  "MatchLog.from": () => [(source) => MatchLog.from(source), [log]],
  Mover: () =>
    made(Mover, 1, { mask: 6, oneWay: 1, passes: 2, stepHeight: 3, snap: 4, floorY: 759250125 }),
  "Mover#move": () => of(new Mover(1), "move", world(), V),
  Random: () => made(Random, 5),
  "Random#state=": () => [(value) => Object.assign(new Random(1), { state: value }), [5n]],
  FrameData: () =>
    made(FrameData, FrameData.of(DOCUMENT).toBytes(), { parts: ["torso"], attacks: ["jab"] }),
  "FrameData.of": () => [(document) => FrameData.of(document), [structuredClone(DOCUMENT)]],
  Body: () =>
    made(Body, world(), FrameData.of(DOCUMENT), POSE, { ids: [4], owner: 7, isMirrored: true }),
  "Body.strikes": () => {
    const own = world();
    const one = new Body(own, FrameData.of(DOCUMENT), POSE, { ids: [4], owner: 7 });
    return [(...given) => Body.strikes(...given), [own, [EVENT], [one], 5]];
  },
  "Body#setOwner": () => of(body(), "setOwner", 5),
  TwoPlanes: () => made(TwoPlanes, 8, { hitWhen: 2, layers: [[1, 2]] }),
  Replay: async () => made(Replay, await MatchLog.from(log), null),
  "Replay#load": async () => {
    const one = await replay();
    return of(one, "load", 0, one.world.save());
  },
  "Replay#differing": async () => {
    const one = await replay();
    one.step();
    return of(one, "differing", 5n);
  },
  Rollback: () =>
    made(
      Rollback,
      { world: world(), play: () => ({ events: [] }) },
      {
        ...{ players: 2, peers: [0, 1], predictionMax: 4, inputDelay: 1, check: 2, past: 3 },
        ...{ match: "round 1", data: 5n, random: new Uint8Array(16), numbers: 2, ownMax: 5 },
        ownNames: [["health", 4]],
      },
    ),
  DesyncError: () => made(fixsync.DesyncError, { message: "frame 5" }),
  "Rollback#tick": () => of(rollback(), "tick", [5]),
  "Rollback#packet": () => of(rollback(), "packet", 1),
  "Rollback#receive": () => of(rollback(), "receive", 1, rollback([1, 0]).packet(1)),
  "Rollback#setDelay": () => of(rollback(), "setDelay", 3),
  "Rollback#player": () => of(rollback(), "player", 1),
  "Rollback#kept": () => of(rollback(), "kept", "own", 1),
  "Rollback#differences": () => of(rollback(), "differences", state(), new Uint8Array(3)),
  Recorder: () =>
    made(Recorder, world(), {
      tickRate: [60, 1],
      meta: { who: "me" },
      names: { layers: { 1: "a" }, ids: { 1: "b" }, game: { 16: "c" } },
      build: "v1",
      data: "frames",
      sim: "duel",
      seed: 5n,
      state: new Uint8Array(0),
    }),
  "Recorder#inputs": () => of(new Recorder(world(), { sim: "duel" }), "inputs", [[1, 2n]]),
  "Recorder#frame": () =>
    of(new Recorder(world()), "frame", {
      ...{ inputs: [1], commands: [], events: [EVENT], game: [GAME], hash: 5n, state: 6n },
    }),
  "Recorder#commands": () => of(new Recorder(world()), "commands", structuredClone(COMMANDS)),
  "Recorder#query": () => of(new Recorder(world()), "query", [1], ...structuredClone(MASKED)),
  "Recorder#cast": () => of(new Recorder(world()), "cast", [HIT], ...structuredClone(CAST)),
  "Recorder#step": () => {
    const [own, events] = stepped();
    return of(new Recorder(own), "step", own, [...events], [structuredClone(GAME)]);
  },
};
// Methods that take plain arguments.
const plain = [
  [() => Level.of([SOLID]), ["outline", 0, { segments: 8 }], ["contact", 0, BALL, POSE]],
  [() => Level.of([SOLID]), ["query", BALL, POSE, 7, { hitWhen: 1 }]],
  [() => Level.of([SOLID]), ["cast", BALL, POSE, V, 7, { limit: 1, hitWhen: 1 }]],
  [world, ["has", 1], ["get", 1], ["remove", 1], ["move", 1, 2, 3, 4], ["turn", 1, 2]],
  [world, ["add", 3, BALL, POSE, { layer: 1, owner: 2, offset: [1, 2, 3], active: true }]],
  [world, ["setPose", 1, POSE], ["setShape", 1, BALL], ["setOffset", 1, V], ["setOwner", 1, 2]],
  [world, ["setLayer", 1, 2], ["setActive", 1, true], ["setLayers", [[1, 2]]]],
  [world, ["apply", COMMANDS], ["addMany", rows(0)], ["moveMany", rows(0, Uint32Array), rows(0)]],
  [world, ["setPoseMany", rows(0, Uint32Array), rows(0)], ["separate", [[0, 0]], { passes: 2 }]],
  [world, ["query", ...MASKED], ["nearest", BALL, POSE, 7, { limit: 2, hitWhen: 1 }]],
  [world, ["cast", ...CAST], ["sweep", 1, V, { limit: 1, hitWhen: 2 }], ["contact", 1, 2]],
  [world, ["sweepPairs", new Map([[1, V]]), { limit: 1, hitWhen: 2 }]],
  [world, ["outline", 1, { segments: 8 }], ["explain", 1, 2]],
  [world, ["explainQuery", BALL, POSE, 1, 7, { excludeOwner: 1, hitWhen: 1 }]],
  [world, ["pushOut", 1, 2], ["lift", 1, 2], ["side", 1, 2], ["load", state]],
  [() => new Random(1), ["below", 5], ["between", 5, 9], ["chance", 1, 2], ["shuffle", [1, 2, 3]]],
  [body, ["setPose", POSE], ["move", 1, 2, 3], ["turn", 5], ["follow", rows(4)], ["mirror", true]],
  [body, ["setActive", true, "torso"], ["start", "jab"], ["canStart", "jab"], ["strike", 5]],
  [body, ["partOf", 4], ["load", () => body().save()]],
  [planes, ["add", 3, HITBOX, V, { layer: 1, owner: 2, active: true }], ["remove", 1]],
  [planes, ["move", 1, 2, 3, 4], ["setHitbox", 1, HITBOX], ["setOwner", 1, 2], ["setLayer", 1, 2]],
  [planes, ["setActive", 1, true], ["setLayers", [[1, 2]]], ["position", 1], ["contact", 1, 2]],
  [planes, ["pushOut", 1, 2], ["lift", 1, 2], ["query", HITBOX, V, 7, { excludeOwner: 1 }]],
  [planes, ["cast", HITBOX, V, V, 7, { excludeOwner: 1, limit: 2, hitWhen: 1 }]],
  [planes, ["sweep", 1, V, { limit: 1, hitWhen: 1 }], ["combine", () => planes().world.step()]],
  [() => MatchLog.from(log), ["frame", 0]],
];
for (const [make, ...methods] of plain) {
  const name = (await (await init(), make())).constructor.name;
  for (const [method, ...args] of methods) {
    calls[`${name}#${method}`] = async () => {
      const given = args.map((arg) => (typeof arg === "function" ? arg() : structuredClone(arg)));
      return of(await make(), method, ...given);
    };
  }
}

const WRONG = [
  null,
  undefined,
  Symbol("wrong"),
  7n,
  "wrong",
  "",
  Number.NaN,
  1.5,
  -1,
  true,
  {},
  [],
  [null],
  () => 5,
  Object.create(null),
  new Date(0),
  new Uint8Array(2),
  new Proxy({}, {}),
];

const isPlain = (value) =>
  Array.isArray(value) || Object.getPrototypeOf(value ?? 0) === Object.prototype;

// The places of a value and of everything in it.
function* placesIn(value, path = []) {
  yield path;
  if (isPlain(value))
    for (const key of Object.keys(value)) yield* placesIn(value[key], [...path, key]);
}

// The same value, but for another one at a place.
function replaced(value, [key, ...path], wrong) {
  if (key === undefined) return wrong;
  const made = Array.isArray(value) ? [...value] : { ...value };
  made[key] = replaced(made[key], path, wrong);
  return made;
}

// The package alone makes these.
const PRIVATE = ["Events", "MatchLog", "MatchLogError"];
const OWN = [ArgumentTypeError, ArgumentRangeError, MatchLogError, Error];

async function complaint(call, path, wrong) {
  const [run, args] = await call();
  try {
    await run(...replaced(args, path, wrong));
  } catch (error) {
    const isOwn = OWN.includes(error?.constructor) && /[a-z]{2}/.test(error.message);
    if (!isOwn) return `${error?.constructor?.name}: ${error?.message}`;
  }
  return null;
}

test("every function refuses each wrong value by name", async () => {
  const faults = new Map();
  const turns = process.env.FIXSYNC_ALL ? 1 : 3; // a place takes one of so many of the values
  let turn = 0;
  for (const [name, call] of Object.entries(calls)) {
    const [, args] = await call();
    for (const path of [...placesIn(args)].slice(1)) {
      turn++;
      for (const wrong of WRONG.filter((_, at) => (at + turn) % turns === 0)) {
        const fault = await complaint(call, path, wrong);
        if (fault) faults.set(`${name} ${path.join(".")}: ${fault}`, wrong);
      }
    }
  }
  if (faults.size > 0) throw new Error([...faults.keys()].join("\n"));
});

// The names in `calls` that an export needs: its own, and those of its methods with arguments.
function* neededFor(name, value) {
  if (!PRIVATE.includes(name)) yield name;
  if (!/^class /.test(Function.prototype.toString.call(value))) return;
  for (const key of Object.getOwnPropertyNames(value))
    if (typeof value[key] === "function") yield `${name}.${key}`;
  const { constructor: _, ...methods } = Object.getOwnPropertyDescriptors(value.prototype);
  for (const [key, one] of Object.entries(methods)) {
    if (one.set) yield `${name}#${key}=`;
    if (one.value?.length > 0) yield `${name}#${key}`;
  }
}

test("every function that is exported is called with wrong values", () => {
  const missing = Object.entries(fixsync)
    .filter(([name, value]) => typeof value === "function" && !name.startsWith("Argument"))
    .flatMap(([name, value]) => [...neededFor(name, value)])
    .filter((needed) => !calls[needed]);
  assert.deepEqual(missing, []);
});

test("the functions of the two tests above work with the values that are right", async () => {
  const faults = [];
  for (const [name, call] of Object.entries(calls)) {
    try {
      const [run, args] = await call();
      await run(...args);
    } catch (error) {
      faults.push(`${name}: ${error.message}`);
    }
  }
  assert.deepEqual(faults, []);
});

test("a memory that its user lets grow is the memory of the next call", () => {
  const own = world();
  const before = own.hash();
  kernel.memory.grow(1);
  assert.equal(own.hash(), before);
  kernel.memory.grow(1);
  assert.equal(fixsync.mul(3, 65536), 3);
  kernel.memory.grow(1);
  assert.equal(own.step().length, 3);
  kernel.memory.grow(1);
  own.add(4, sphere(5), POSE);
  assert.deepEqual([...own.ids()], [1, 2, 4]);
  kernel.memory.grow(1);
  assert.equal(box(1, 2, 3)[1], 1);
  assert.deepEqual(own.save(), own.copy().save());
});

test("an error shows at most 80 characters of a value, and never fails itself", () => {
  const cycle = [];
  cycle.push(cycle, cycle);
  const getter = {
    get constructor() {
      throw new Error("own");
    },
  };
  const hostile = new Proxy([], {
    get() {
      throw new Error("own");
    },
  });
  const values = [
    new Array(2e6).fill(0),
    "x".repeat(1e6),
    JSON.parse("[".repeat(50_000) + "]".repeat(50_000)),
    cycle,
    10n ** 999n,
    Symbol("x".repeat(999)),
    getter,
    hostile,
  ];
  for (const value of values) {
    assert.throws(() => sphere(value), {
      name: "ArgumentTypeError",
      message: /^radius must .{1,110}$/,
    });
  }
  assert.throws(() => new Random(10n ** 999n), { message: /^seed must be .{1,120}…$/ });
  assert.throws(() => sphere([["a", [1, 2n]], null]), /not \[\["a", \[1, 2n\]\], null\]$/);
});

test("an error for a length with a fraction names q, and no other error does", () => {
  const own = world();
  assert.throws(() => own.move(1, 1.5, 0, 0), /x must be an integer, not 1\.5: write q\("1\.5"\)/);
  assert.throws(() => own.move(1, Number.NaN, 0, 0), /x must be an integer, not NaN$/);
  assert.throws(() => own.setLayer(1, 1.5), /layer must be an integer, not 1\.5$/);
});

test("a yaw is not misspelled, bytes have their count, init names a relative address", async () => {
  const own = world();
  const before = own.hash();
  for (const [act, words] of [
    [
      () => own.setPose(1, { x: 0, y: 0, z: 0, yaws: 3 }),
      /^ArgumentTypeError: a key of pose without yaw must be x, y or z, not "yaws"$/,
    ],
    [() => own.setPose(1, [0, 0, 0]), /pose must be \{ x, y, z, yaw \}, not \[0, 0, 0\]$/],
  ])
    assert.throws(act, words);
  assert.equal(own.hash(), before);
  own.setPose(1, { x: 0, y: 0, z: 0, yaw: 3, health: 9 }); // an object of the game
  assert.equal(own.get(1).pose.yaw, 3);
  await assert.rejects(
    init("./x.wasm"),
    /^ArgumentRangeError: source must be a whole address, such as .*, not "\.\/x\.wasm"$/,
  );
});
