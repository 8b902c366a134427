// The kit and levels in Node: the answers of Python, and logs that Python verifies.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as arithmetic from "../arithmetic.js";
import {
  along,
  bounce,
  box,
  carry,
  hash64,
  init,
  Level,
  Mover,
  moveAndSlide,
  ONE,
  q,
  Random,
  Recorder,
  sector,
  separate,
  slide,
  sphere,
  World,
} from "../index.js";
import * as raw from "../raw.js";
import { BODIES, fixsync, python, refuses, test, WORK } from "./harness.mjs";

const HERE = { x: 0, y: 0, z: 0 };
const SOLIDS = [
  [
    "prism",
    3,
    -ONE,
    ONE,
    [
      [2 * ONE, -ONE],
      [3 * ONE, -ONE],
      [3 * ONE, ONE],
      [2 * ONE, ONE],
    ],
  ],
  ["cylinder", 3, -ONE, ONE, [-4 * ONE, 0], ONE],
];

test("random numbers are those of Python, and their state is saved and restored", async () => {
  await init();
  const random = new Random(7);
  const found = [
    random.next(),
    random.below(100),
    random.between(-5, 5),
    random.chance(1, 3),
    random.shuffle([1, 2, 3, 4, 5]),
  ];
  const expected = python(
    "-c",
    `
from fixsync.game.random import Random
r = Random(7)
items = [1, 2, 3, 4, 5]
row = [r.next(), r.below(100), r.between(-5, 5), r.chance(1, 3)]
r.shuffle(items)
print(*row, *items, r.state)`,
  );
  const words = [...found.slice(0, 3), found[3] ? "True" : "False", ...found[4], random.state];
  assert.equal(words.join(" "), expected.trim());
  const again = new Random(random.state);
  assert.equal(again.next(), random.next());
  assert.throws(() => random.below(0), /^ArgumentRangeError: count must be 1\.\./);
  assert.throws(() => random.between(5, 1), /low 5 and high 1: .*out of range/);
});

test("a motion ends at a wall, slides along it, bounces off it", async () => {
  await init();
  const world = new World(4);
  world.add(1, sphere(ONE), HERE);
  world.add(2, box(ONE, ONE, 9 * ONE), { x: 4 * ONE, y: 0, z: 0 });
  const motion = [4 * ONE, 0, ONE];
  const [{ fraction, normal }] = world.sweep(1, motion);
  const way = along(motion, fraction, normal);
  assert.deepEqual(way, [2 * ONE, 0, ONE / 2]);
  assert.deepEqual(slide(motion, normal), [0, 0, ONE]);
  assert.deepEqual(bounce(motion, normal, 65536), [-4 * ONE, 0, ONE]);
  const hits = moveAndSlide(world, 1, motion);
  assert.deepEqual(
    [hits.length, hits[0].id, world.get(1).pose],
    [1, 2, { x: 2 * ONE, y: 0, z: ONE, yaw: 0 }],
  );
  assert.throws(() => slide(motion, [0, 0, 0]), /slide: a normal of \(0, 0, 0\)/);
});

test("a character falls to the floor of a level and walks against its wall", async () => {
  await init();
  const floor = [
    "prism",
    0,
    -2 * ONE,
    -ONE,
    [
      [-99 * ONE, -99 * ONE],
      [99 * ONE, -99 * ONE],
      [99 * ONE, 99 * ONE],
      [-99 * ONE, 99 * ONE],
    ],
  ];
  const world = new World(4, { level: Level.of([...SOLIDS, floor]) });
  world.add(1, sphere(ONE / 2), { x: 0, y: ONE, z: 0 });
  const mover = new Mover(1, { snap: ONE / 8 });
  assert.equal(mover.move(world, [0, -4 * ONE, 0]).flags & raw.FXS_ON_FLOOR, raw.FXS_ON_FLOOR);
  const { x, y, flags, floor: id, hits } = mover.move(world, [4 * ONE, 0, 0]);
  assert.deepEqual([x, y], [q("1.5"), -ONE / 2]);
  assert.equal(flags, raw.FXS_ON_FLOOR | raw.FXS_ON_WALL);
  assert.equal(id, raw.FXS_LEVEL + 2);
  assert.equal(hits[0].id, raw.FXS_LEVEL);
});

test("a lift carries who stands on it; what movers refuse", async () => {
  await init();
  const world = new World(8, { layers: [] });
  world.add(1, sphere(ONE), { x: 0, y: 2 * ONE, z: 0 });
  world.add(2, sphere(ONE), { x: 0, y: 0, z: 0 }, { layer: 1 });
  world.add(5, sphere(ONE), { x: 5 * ONE, y: 0, z: 0 });
  const movers = [new Mover(5, { mask: 2 }), new Mover(1, { mask: 2 })];
  assert.deepEqual(carry(world, [2], [4 * ONE, 7, 0], movers), [
    { id: 1, x: 4 * ONE, y: 2 * ONE + 7, z: 0, motion: [4 * ONE, 7, 0], flags: 1, by: 2 },
    { id: 5, x: 6 * ONE, y: 0, z: 0, motion: [ONE, 0, 0], flags: raw.FXS_SHOVED, by: 2 },
  ]);
  assert.deepEqual(carry(world, [], [0, 0, 0], []), []);
  world.add(6, sector(ONE, 100, ONE), HERE);
  world.add(7, sphere(ONE), HERE, { active: false });
  const mover = (id) => new Mover(id, { mask: 2 });
  const ride = (platforms, listed = []) => carry(world, platforms, [0, 0, 0], listed);
  refuses(
    { ride, mover, moveAndSlide, world, Mover },
    `
    ride([1], [mover(1)]) // id 1 must not be both a platform and a mover
    ride([2], [mover(1), mover(1)]) // id 1 must have one mover, not two
    ride([0]) // id 0: an id that is not in the world
    ride([6]) // the shape of id 6 must be a ${BODIES}, not a sector
    ride([2], [mover(6)]) // the shape of id 6 must be a ${BODIES}
    ride([2, 7]) // id 7 must be active, as a part of a platform
    mover(6).move(world, [1, 0, 0]) // ArgumentRangeError: the shape of id 6 must be a sphere
    new Mover(1, { oneWay: 2 }) // ArgumentRangeError: oneWay must be 0 without a mask
    new Mover(1, { mask: 3, oneWay: 2 }) // share no layer with mask, not 2
    moveAndSlide(world, 6, [1, 0, 0]) // ArgumentRangeError: the shape of id 6 must be a sphere
  `,
  );
});

test("a crowd gives way and goes through no wall", async () => {
  await init();
  const world = new World(8, { layers: [[0, 0]] });
  const half = ONE / 2;
  for (const [id, x] of [
    [1, 0],
    [2, -half],
  ])
    world.add(id, sphere(half), { x, y: 0, z: 0 });
  world.add(3, box(half, ONE, ONE), { x: ONE + 100, y: 0, z: 0 }, { layer: 1 });
  world.step();
  const twin = world.copy();
  const movers = [new Mover(2, { mask: 2 }), new Mover(1, { mask: 2 })];
  const quarter = ONE / 4;
  assert.deepEqual(separate(world, [[0, 0]], movers, { passes: 2 }), [
    { id: 1, x: 100, y: 0, z: 0, isHeld: true },
    { id: 2, x: -half - quarter, y: 0, z: 0, isHeld: false },
  ]);
  assert.equal(world.get(1).pose.x, 100);
  assert.equal([...twin.separate([[0, 0]])][1], quarter, "the world's own goes into the wall");
  assert.deepEqual(separate(world, [], movers), []);
  assert.throws(
    () => separate(world, [[0, 0]], [movers[0], movers[0]]),
    /id 2 must have one mover/,
  );
  assert.throws(() => separate(world, [[0, 0]], [new Mover(7)]), /id 7: an id that is not in/);
  twin.move(2, 2 ** 31 - 1, 0, 0);
  twin.move(1, 2 ** 31 - 9, 0, 0);
  twin.step();
  assert.throws(() => separate(twin, [[0, 0]], movers), /^ArgumentRangeError: id 2: a centre/);
  world.move(2, 0, 0, 0);
  world.move(3, 0, 0, 0);
  const found = carry(world, [3], [0, 0, 0], movers);
  assert.deepEqual(
    found.map(({ flags, by }) => [flags, by]),
    [
      [raw.FXS_CRUSHED, 0],
      [raw.FXS_CRUSHED, 0],
    ],
  );
});

test("a level has the bytes and the hash of Python, and is in hits, casts and states", async () => {
  await init();
  const level = Level.of(SOLIDS);
  const expected = python(
    "-c",
    `
from fixsync import *
level = Level([Prism([(2*ONE,-ONE),(3*ONE,-ONE),(3*ONE,ONE),(2*ONE,ONE)], -ONE, ONE, 3), Pillar(-4*ONE, 0, ONE, -ONE, ONE, 3)])
world = World(4, level=level)
world.add(1, Sphere(ONE), Pose(ONE, 0, 0))
world.step()
print(level.to_bytes().hex(), level.hash(), world.save().hex())`,
  );
  const world = new World(4, { level });
  world.add(1, sphere(ONE), { x: ONE, y: 0, z: 0 });
  assert.deepEqual([...world.step()], [{ a: 1, b: raw.FXS_LEVEL, kind: 1, contact: 1 }]);
  const hex = (bytes) => Buffer.from(bytes).toString("hex");
  assert.equal(`${hex(level.toBytes())} ${level.hash()} ${hex(world.save())}`, expected.trim());
  assert.equal(world.contact(1, raw.FXS_LEVEL), 1);
  assert.equal(world.cast(sphere(ONE), HERE, [-4 * ONE, 0, 0], 1 << 3)[0].id, raw.FXS_LEVEL + 1);
  assert.throws(() => world.contact(1, raw.FXS_LEVEL + 2), /ids 1, 2147483650/);
  assert.throws(() => World.fromBytes(world.save(), 4), /byte \d+: not a saved state/);
  assert.equal(world.copy().hash(), world.hash());
});

test("the recorder's log verifies in Python, and is what Python writes", async () => {
  await init();
  const world = new World(8, { level: Level.of(SOLIDS) });
  world.add(1, sphere(ONE), HERE);
  const names = { layers: { 3: "walls" }, ids: { 5: "five", 2: '"é\n' } };
  const recorder = new Recorder(world, {
    tickRate: [60000, 1001],
    meta: { map: "pit" },
    names,
    build: 'v1 "é"',
    data: "frames",
  });
  for (let frame = 0; frame < 300; frame++) {
    const commands = [["move", 1, [frame * 700, 0, 0]]];
    if (frame === 9)
      commands.push(
        ["layers", [[0, 3]]],
        ["add", 2, ["box", 9, 9, 9], [0, 0, 0], 0, 0, 0, [0, 0, 0], true],
      );
    world.apply(commands);
    recorder.commands(commands);
    const events = world.step();
    if (frame % 3 === 1) {
      const options = [
        undefined,
        { excludeOwner: 3 },
        { hitWhen: 2 },
        { excludeOwner: 1, hitWhen: 1 },
      ];
      const query = [sphere(9 * ONE), { x: frame, y: 0, z: 0, yaw: 7 }, 9, options[frame % 4]];
      recorder.query(world.query(...query), ...query);
      const cast = [box(ONE, 1, ONE), HERE, [9 * ONE, 0, -frame], 9, { limit: 1, hitWhen: 2 }];
      recorder.cast(world.cast(...cast), ...cast);
    }
    if (frame % 2 === 0) recorder.step(world, events);
    // As after a rollback, when the world is elsewhere.
    else recorder.step(world.hash(), [...events]);
    if (frame === 7) assert.match(recorder.text(), /\n\{"frames":8,"sha256":"[0-9a-f]{64}"\}\n$/);
  }
  const log = join(WORK, "recorded.jsonl");
  writeFileSync(log, recorder.text());
  recorder.commands([["remove", 1]]); // a frame that has not ended is not in the log
  assert.equal(recorder.text().length, readFileSync(log, "utf8").length);
  const { semantics, build, data } = JSON.parse(recorder.text().split("\n")[0]);
  assert.deepEqual([semantics, build], [raw.FXS_SEMANTICS, 'v1 "é"']);
  assert.equal(data, hash64(new TextEncoder().encode("frames")).toString(16).padStart(16, "0"));
  const bytes = new Recorder(world, { data: new Uint8Array([1, 2]).subarray(1) }).text();
  assert.equal(
    JSON.parse(bytes.split("\n")[0]).data,
    `${hash64(new Uint8Array([2]))
      .toString(16)
      .padStart(16, "0")}`,
  );
  const verdict = fixsync("replay", log, "-o", join(WORK, "refilled.jsonl"));
  assert.match(verdict, /^identical: compared the events of 300 frames/m);
  python(
    "-c",
    "import sys\na, b = [open(p, 'rb').read() for p in sys.argv[1:]]\nassert a == b",
    log,
    join(WORK, "refilled.jsonl"),
  );
});

test("a recorder refuses what no log may hold", async () => {
  await init();
  const world = new World(8);
  assert.equal(new Recorder(world).text().split("\n").length, 3); // no frame has ended
  const recorder = new Recorder(world);
  const inLevel = new World(8, { level: Level.of(SOLIDS) });
  const nested = (depth) => Array.from({ length: depth }).reduce((m) => ({ m }), 1);
  new Recorder(world, { meta: nested(64) });
  const log = (options) => new Recorder(world, options);
  const event = (row) => recorder.step(1n, [{ a: 1, b: 2, kind: 1, contact: 1, ...row }]);
  const before = recorder.text();
  refuses(
    { log, event, nested, inLevel, Recorder, recorder, world, ball: sphere(1), HERE },
    `
    log({ tickRate: 29.97 }) // tickRate must be an integer, not 29.97: write [30000, 1001] for 29.97
    log({ tickRate: [60, 0] }) // tickRate[1] must be 1..4294967295, not 0
    log({ tickRate: [60] }) // tickRate must be an integer or [frames, seconds], not [60]
    log({ meta: { a: [{ b: 1.5 }] } }) // meta.a[0].b must be an integer, not 1.5
    log({ build: 5 }) // ArgumentTypeError: build must be a string, not 5
    log({ data: [1] }) // data must be a string or bytes, not
    log({ data: "\ud800" }) // data has half of a surrogate pair:
    log({ meta: { a: 2 ** 53 } }) // meta.a must be -9007199254740991..
    log({ meta: { a: null } }) // meta.a must be a string, …, not null
    log({ meta: { a: new Date(0) } }) // meta.a must be …, not a Date
    log({ meta: { a: "\ud800" } }) // meta.a has half of a surrogate pair:
    log({ meta: nested(65) }) // meta must be at most 64 levels deep: meta.m
    log({ names: { teams: {} } }) // names must be one of …, not "teams"
    log({ names: { ids: { 99: "a" } } }) // a key of names.ids must be 0..7, not "99"
    log({ names: { ids: { "01": "a" } } }) // names.ids must be 0..7, not "01"
    log({ names: { game: { 3: "a" } } }) // must be 16..4294967295, not "3"
    log({ names: { ids: { 1: 5 } } }) // names.ids.1 must be a string, not 5
    new Recorder(inLevel, { names: { ids: { 2147483650: "a" } } }) // 0..7 or 2147483648..2147483649,
    new Recorder({}) // ArgumentTypeError: world must be a World, not an Object
    event({ a: 3 }) // ArgumentRangeError: events[0].a must be less than its b, 2, not 3
    event({ b: 8 }) // events[0].b must be 0..7, not 8
    event({ a: 8, b: 9 }) // events[0].a must be 0..7, not 8
    event({ contact: 3 }) // events[0].contact must be 0..2, not 3
    recorder.step(0.5, []) // ArgumentTypeError: world must be a World, not 0.5
    recorder.step(world, 7) // ArgumentTypeError: events must be a step's, not 7
    recorder.query([8], ball, HERE) // ids[0] must be 0..7, not 8
    recorder.query([0.5], ball, HERE) // ArgumentTypeError: ids[0] must be an integer, not 0.5
    recorder.cast([{ id: 8, fraction: 0, normal: [0, 0, 0] }], ball, HERE, [1, 0, 0]) // hits[0].id must
    recorder.cast([], ball, HERE, [0.5, 0, 0]) // motion x must be an integer, not 0.5
    recorder.commands([["remove", 1], ["remove", 8]]) // commands[1]: id must be 0..7, not 8
    recorder.commands([["move", 1, [0.5, 0, 0]]]) // commands[0]: position x must be an integer, not 0.5
  `,
  );
  assert.equal(recorder.text(), before);
  recorder.step(world, world.step());
  assert.throws(
    () => recorder.step(world, [], []),
    /^ArgumentTypeError: game must be null, as in the frames before, not \[\]$/,
  );
  const withGame = new Recorder(world);
  withGame.step(world, [], []);
  assert.throws(() => withGame.step(world, []), /game must be an array, as in the frames before/);
  assert.match(
    recorder.text(),
    /^\{"frame":0,"commands":\[\],"queries":\[\],"events":\[\],"hash"/m,
  );
});

test("names are written in the order of the format, without empty tables", async () => {
  await init();
  const world = new World(4);
  const game = { 4294967295: "last", 16: "hurt" };
  const header = (names) => new Recorder(world, { names }).text().split("\n")[0];
  assert.match(
    header({ game, ids: { 3: "b", 0: "a" }, layers: {} }),
    /,"names":\{"ids":\{"0":"a","3":"b"\},"game":\{"16":"hurt","4294967295":"last"\}\},"semantics"/,
  );
  assert.equal(header({ ids: {} }), header(null));
});

test("arithmetic is that of Python, and its errors name the argument or the question", async () => {
  await init();
  const random = new Random(3);
  const any = () => random.between(-(2 ** 31), 2 ** 31 - 1) >> random.below(20);
  const vectorOf = () => [any(), any(), any()];
  const calls = Array.from({ length: 400 }, (_, i) => {
    const [a, b, c] = [any(), any(), any()];
    return [
      ["mul", a, b],
      ["div", a, b],
      ["mul_div", a, b, c],
      ["sqrt", Math.abs(a)],
      ["lerp", a, b, random.below(65537)],
      ["clamp", a, Math.min(b, c), Math.max(b, c)],
      ["approach", a, b, Math.abs(c)],
      ["turn_towards", a & 65535, b & 65535, c & 65535],
      ["hypot", a, b, c],
      ["dot", vectorOf(), vectorOf()],
      ["scale", vectorOf(), a],
      ["with_length", vectorOf(), Math.abs(a)],
    ][i % 12];
  });
  const act = {
    ...arithmetic,
    mul_div: arithmetic.mulDiv,
    turn_towards: arithmetic.turnTowards,
  };
  act.with_length = arithmetic.withLength;
  const found = calls.map(([name, ...values]) => {
    try {
      return act[name](...values);
    } catch (error) {
      assert.match(error.message, /: an argument or a result out of range$/);
      return null;
    }
  });
  const file = join(WORK, "arithmetic.json");
  writeFileSync(file, JSON.stringify(calls));
  const expected = python(
    "-c",
    `
import json, sys
from fixsync.world import aim
from fixsync.game import numbers
numbers.turn_towards = aim.turn_towards
def answer(name, *values):
    try:
        found = getattr(numbers, name)(*(tuple(v) if isinstance(v, list) else v for v in values))
    except (ArithmeticError, ValueError):
        return None
    return [*found] if isinstance(found, tuple) else found
print(json.dumps([answer(*call) for call in json.load(open(sys.argv[1]))]))`,
    file,
  );
  assert.deepEqual(found, JSON.parse(expected));
  assert.ok(found.filter((value) => value === null).length < 200);
  refuses(
    arithmetic,
    `
    mul(0.5, 1) // ArgumentTypeError: a must be an integer, not 0.5
    div(1, 0) // ArgumentRangeError: div(1, 0): an argument or a result out of range
    lerp(0, 1, 65537) // fraction must be 0..65536, not 65537
    dot([0, 0.5, 0], [0, 0, 0]) // ArgumentTypeError: a y must be an integer, not 0.5
    withLength([0, 0, 0], 1) // withLength of (0,0,0): an argument or a result out of range
  `,
  );
});
