// The package in Node: answers, errors, memory.
import assert from "node:assert/strict";
import { join } from "node:path";
import * as fixsync from "../index.js";
import {
  box,
  capsule,
  castPair,
  degrees,
  EXIT,
  explain,
  explanationText,
  hash64,
  init,
  KernelArray,
  Level,
  ONE,
  outline,
  q,
  qNear,
  sector,
  sphere,
  stateDifferences,
  stateFields,
  World,
} from "../index.js";
import { kernel } from "../kernel.js";
import * as raw from "../raw.js";
import { BODIES, python, ran, refuses, test, WEB } from "./harness.mjs";

await init();
const HERE = { x: 0, y: 0, z: 0 };

test("nothing works before init, and the error says so", () => {
  const program = `
import { length, Level, World } from ${JSON.stringify(join(WEB, "index.js"))};
for (const act of [() => new World(4), () => length(1, 2, 3), () => Level.of([])]) {
  try { act(); } catch (error) { console.log(error.message); }
}`;
  const said = "fixsync is not ready: await init() first\n";
  assert.equal(ran("node", ["--input-type=module", "--eval", program]), said.repeat(3));
});

test("init is ready for any number of callers at once", async () => {
  await Promise.all([init(), init()]);
  await init();
  assert.equal(kernel.fxs_semantics(), raw.FXS_SEMANTICS);
});

test("a match has the events, the bytes and the hash that Python has", () => {
  const world = new World(64, { layers: [[0, 1]] });
  const body = capsule(q("0.375"), q("0.5"));
  world.add(1, body, HERE, { layer: 0, owner: 1 });
  world.add(2, body, { x: q(2), y: 0, z: q("0.5") }, { layer: 0, owner: 2 });
  world.add(
    9,
    sector(q("2.5"), degrees(60), q("0.5"), q(1)),
    { ...HERE, yaw: 300 },
    { layer: 1, owner: 1 },
  );
  const events = [...world.step()].map(({ a, b, kind, contact }) => [a, b, kind, contact]);
  const saved = world.save();
  world.move(2, q(5), 0, 0);
  assert.deepEqual([...world.step()], [{ a: 2, b: 9, kind: EXIT, contact: 0 }]);
  const found = python(
    "-c",
    `
from fixsync import *
world = World(64, layers=[(0, 1)])
body = Capsule(q("0.375"), q("0.5"))
world.add(1, body, Pose(0, 0, 0), layer=0, owner=1)
world.add(2, body, Pose(q(2), 0, q("0.5")), layer=0, owner=2)
world.add(9, Sector(q("2.5"), degrees(60), q("0.5"), q(1)), Pose(0, 0, 0, 300), layer=1, owner=1)
print([[int(v) for v in e] for e in world.step()], world.save().hex(), world.hash())`,
  );
  const hash = hash64(saved);
  assert.equal(found.trim(), `[[2, 9, 1, 2]] ${Buffer.from(saved).toString("hex")} ${hash}`);
  assert.deepEqual(events, [[2, 9, 1, 2]]);
  world.load(saved);
  assert.equal(world.frame, 1);
  assert.equal(world.hash(), hash);
});

test("numbers are integers: others raise a TypeError or a RangeError with name, value and range", () => {
  const world = new World(8);
  world.add(1, sphere(ONE), HERE);
  const before = world.hash();
  refuses(
    { ...fixsync, world, HERE, ball: sphere(ONE), by: { exclude: 1 } },
    `
    world.move(1, 0.5, 0, 0) // TypeError: x must be an integer, not 0.5
    world.move(1, "0", 0, 0) // TypeError: x must be an integer, not "0"
    world.move(1, 0, 2 ** 31, 0) // RangeError: y must be -2147483648..2147483647, not 2147483648
    world.move(8, 0, 0, 0) // RangeError: id must be 0..7, not 8
    world.move(2, 0, 0, 0) // RangeError: id 2: an id that is not in the world
    world.add(1, ball, HERE) // RangeError: id 1: an id that is already
    world.turn(1, 65536) // RangeError: yaw must be 0..65535, not 65536
    sphere(0) // RangeError: radius must be 1..536870911, not 0
    sector(ONE, 9, 9, ONE) // RangeError: inner_radius must be 1..65535, not 65536
    world.add(2, ["cone", 1], HERE) // RangeError: …must be one of sphere, capsule, cylinder, box, sector
    world.add(2, ["box", 1], HERE) // TypeError: …a box has half_x, half_y, half_z, not 1 numbers
    world.setActive(1, 1) // TypeError: active must be true or false, not 1
    world.query(ball, HERE, -1) // RangeError: mask must be 0..4294967295, not -1
    world.cast(ball, HERE, [0, 2 ** 29, 0]) // RangeError: motion y must be -536870911..536870911
    world.load(new Uint8Array(9)) // RangeError: byte 0: not a saved state
    world.load("FXS1") // TypeError: data must be a Uint8Array
    world.moveMany(new Float32Array(1), new Int32Array(3)) // ids must be a typed array of integers
    world.moveMany(new Uint32Array(2), new Int32Array(3)) // RangeError: …2 ids, 1 places
    length(0.5, 0, 0) // TypeError: dx must be a BigInt or a safe integer
    length(2n ** 32n, 0, 0) // RangeError: dx must be -4294967295..4294967295
    q(0.5) // TypeError: …not the float 0.5: write q("0.5")
    q(NaN) // TypeError: q takes an integer or a decimal string, not NaN
    qNear(-1 / 0) // TypeError: qNear takes an integer or a decimal string, not -Infinity
    q(1e-7) // TypeError: …decimal string, not 1e-7
    q("-0.1") // RangeError: …its neighbours are -6554 and -6553; qNear
    new World(0) // RangeError: capacity must be 1..2147483648, not 0
    new World(4, { layers: [[0, 32]] }) // RangeError: layer must be 0..31, not 32
    world.query(ball, HERE, 1, by) // TypeError: an option must be one of …, not "exclude"
    world.nearest(ball, HERE, 1, by) // TypeError: an option must be one of …, not "exclude"
    world.cast(ball, HERE, [1, 0, 0], 1, by) // TypeError: an option must be one of …, not "exclude"
    world.sweep(1, [1, 0, 0], by) // TypeError: an option must be one of …, not "exclude"
    world.separate([], by) // TypeError: an option must be one of …, not "exclude"
    world.outline(1, by) // TypeError: an option must be one of …, not "exclude"
    moveAndSlide(world, 1, [1, 0, 0], by) // TypeError: an option must be one of …, not "exclude"
    new World(4, { layer: [[0, 1]] }) // must be one of hitWhen, layers, level, not "layer"
    world.add(2, ball, HERE, { Layer: 3 }) // TypeError: …not "Layer"
    new Mover(1, { step_height: 1 }) // TypeError: …stepHeight, … not "step_height"
    new Recorder(world, { tick: 60 }) // TypeError: …tickRate, … not "tick"
    new TwoPlanes(4, { layer: [] }) // TypeError: …not "layer"
    new Rollback({ world }, { players: 2, delays: 1 }) // TypeError: …ownMax, ownNames, …not "delays"
  `,
  );
  assert.equal(world.hash(), before);
  assert.equal(qNear("0.1"), 6554);
});

test("a refused command is named by its index, and none is applied", () => {
  const world = new World(8);
  world.add(1, sphere(ONE), HERE);
  const before = world.hash();
  const good = ["move", 1, [5, 0, 0]];
  for (const [bad, words] of [
    [["move", 3, [0, 0, 0]], "commands[1]: move 3: an id that is not in the world"],
    [["move", 1, [0.5, 0, 0]], "commands[1]: position x must be an integer, not 0.5"],
    [["fly", 1], "commands[1]: a command must be one of add, move, "],
  ]) {
    assert.throws(
      () => world.apply([good, bad, ["remove", 7]]),
      ({ message, index }) => message.startsWith(words) && index === 1,
    );
  }
  assert.equal(world.hash(), before);
  world.apply([good, ["layers", [[0, 0]]]]);
  assert.deepEqual([world.get(1).pose.x, world.layers], [5, [[0, 0]]]);
});

test("rows in bulk are read in place, and answers are views", () => {
  const world = new World(1000);
  const rows = new KernelArray(Uint8Array, 52 * 1000);
  const view = new DataView(rows.array.buffer, rows.array.byteOffset);
  for (let id = 0; id < 1000; id++) {
    view.setUint32(52 * id, id, true);
    view.setUint8(52 * id + raw.fxs_collider.active, 1);
    view.setInt32(52 * id + raw.fxs_collider.size, ONE, true);
  }
  world.addMany(rows);
  const ids = Uint32Array.from({ length: 1000 }, (_, id) => id);
  world.moveMany(
    ids,
    Int32Array.from({ length: 3000 }, (_, i) => (i % 3 === 0 ? i * 60000 : 0)),
  );
  const events = world.step();
  assert.equal(events.rows.buffer, kernel.memory.buffer);
  assert.equal(events.rows.length, 4 * events.length);
  assert.deepEqual(world.ids(), ids);
  assert.deepEqual(Uint8Array.from(world.colliders().subarray(0, 4)), new Uint8Array(4));
  world.step();
  assert.throws(() => events.rows, /gone after the next/);
});

test("a query may have another least contact than its world", () => {
  const other = { x: 2 * ONE, y: 0, z: 0 };
  for (const own of [1, 2]) {
    const world = new World(4, { hitWhen: own });
    world.add(1, sphere(ONE), other);
    for (const hitWhen of [undefined, null, 1, 2]) {
      const found = (hitWhen ?? own) === 1 ? [1] : [];
      const asked = [sphere(ONE), HERE];
      assert.deepEqual(world.query(...asked, 2 ** 32 - 1, { hitWhen }), found);
      assert.deepEqual(world.nearest(...asked, 1, { hitWhen, limit: 1 }), found);
      const { why } = world.explainQuery(...asked, 1, 1, { hitWhen });
      assert.equal(why === 0, found.length === 1);
    }
    for (const hitWhen of [0, 3])
      assert.throws(
        () => world.query(sphere(1), HERE, 1, { hitWhen }),
        /^ArgumentRangeError: hitWhen must be 1..2, not /,
      );
  }
});

test("a step with more events than ever makes room for them, and answers as one that had it", () => {
  const world = new World(300);
  for (let id = 0; id < 300; id++) world.add(id, box(ONE, ONE, ONE), { x: id, y: 0, z: 0 });
  assert.equal(world.step().length, (300 * 299) / 2);
  assert.equal(world.query(sphere(ONE), HERE).length, 300);
  const other = world.copy();
  assert.equal(other.hash(), world.hash());
  assert.equal(other.step().length, world.step().length);
});

test("using and dispose give memory back, and a disposed world says so", () => {
  const grown = () => {
    for (let i = 0; i < 50; i++) new World(20_000).dispose();
    return kernel.memory.buffer.byteLength;
  };
  const before = grown();
  assert.equal(grown(), before);
  const world = new World(4);
  world[Symbol.dispose]();
  world.dispose();
  assert.throws(() => world.step(), /the world is disposed/);
});

test("pairs that meet while all move are those of casts of the two, in order of time", () => {
  const world = new World(4);
  const there = { x: 500, y: 0, z: 400 };
  world.add(0, sphere(10), HERE);
  world.add(1, sphere(10), there);
  world.add(2, sector(500, 8192, 10), HERE);
  const [bullet, walker] = [
    [1000, 0, 0],
    [0, 0, -800],
  ];
  const expected = castPair(sphere(10), HERE, bullet, sphere(10), there, walker);
  const ways = new Map([
    [1, walker],
    [0, bullet],
  ]);
  assert.deepEqual(world.sweepPairs(ways), [{ a: 0, b: 1, ...expected }]);
  assert.deepEqual(world.sweepPairs(new Map([[0, [0, 0, 0]]])), []);
  assert.deepEqual(world.sweepPairs(new Map()), []);
  for (const [motions, message] of [
    [new Map([[2, [0, 0, 0]]]), "the shape of id 2 must be"],
    [new Map([[3, [0, 0, 0]]]), "id 3"],
    [new Map([[4, [0, 0, 0]]]), "id must be 0..3"],
    [[0], "motions must be a Map,"],
  ])
    assert.throws(
      () => world.sweepPairs(motions),
      (error) => error.message.includes(message),
    );
});

test("casts, sweeps and nearest answer in order", () => {
  const world = new World(8);
  world.add(1, sphere(ONE), { x: 4 * ONE, y: 0, z: 0 });
  world.add(2, sphere(ONE), { x: 8 * ONE, y: 0, z: 0 });
  world.add(3, sphere(ONE), HERE, { active: false });
  const hits = world.cast(sphere(ONE), HERE, [16 * ONE, 0, 0]);
  assert.deepEqual(hits, [
    { id: 1, fraction: 8192, normal: [-(2 ** 30), 0, 0] },
    { id: 2, fraction: 24576, normal: [-(2 ** 30), 0, 0] },
  ]);
  assert.deepEqual(world.sweep(3, [16 * ONE, 0, 0], { limit: 1 }), hits.slice(0, 1));
  assert.deepEqual(
    world.nearest(sphere(20 * ONE), { x: 7 * ONE, y: 0, z: 0 }, undefined, { limit: 1 }),
    [2],
  );
});

test("two states name what differs", () => {
  const world = new World(4);
  world.add(2, sphere(ONE), HERE);
  const before = world.save();
  world.move(2, 1, 0, 0);
  assert.deepEqual(stateDifferences(before, world.save()), [
    { group: "collider 2", field: "x", a: 0, b: 1 },
  ]);
});

test("states have the fields and differences that Python finds, in the same order", () => {
  const worlds = [new World(70), new World(70)];
  for (const [side, world] of worlds.entries()) {
    for (let id = side; id < 70; id++)
      world.add(id, id % 2 ? sphere(ONE) : box(ONE, ONE, side + 1), HERE);
    world.step();
    world.remove(3 + side);
  }
  const states = worlds.map((world) => world.save());
  const program = `
import json, sys
from fixsync.match import differences, world_fields
a, b = (bytes.fromhex(text) for text in sys.argv[1:])
rows = [[d.owner, d.field] for d in differences(world_fields(a), world_fields(b))]
print(json.dumps([rows, {" ".join([k[0], ", ".join(map(str, k[1:]))]).strip(): [*v] for k, v in world_fields(a).items()}]))`;
  const hex = (state) => Buffer.from(state).toString("hex");
  const [rows, fields] = JSON.parse(python("-c", program, ...states.map(hex)));
  const found = stateDifferences(...states);
  assert.deepEqual(
    found.map(({ group, field }) => [group, field]),
    rows,
  );
  assert.ok(found.length > 64); // more than the first room
  assert.deepEqual(
    found.find(({ group }) => group === "collider 0"),
    { group: "collider 0", field: "is there", a: true, b: false },
  );
  const read = stateFields(states[0]);
  assert.deepEqual(
    Object.fromEntries([...read].map(([group, values]) => [group, Object.keys(values)])),
    fields,
  );
  assert.equal(read.get("collider 2").kind, "box");
  const short = states[1].subarray(1);
  assert.throws(() => stateDifferences(states[0], short), /not a saved state.*byte 0/);
});

test("a pair says why it is not a hit", () => {
  const world = new World(8);
  world.add(1, sphere(32768), HERE, { owner: 4 });
  world.add(7, capsule(32768, ONE), { x: 85852, y: 0, z: 0 }, { owner: 4 });
  assert.deepEqual(world.explain(7, 1), {
    why: raw.FXS_WHY_BESIDE | raw.FXS_WHY_OWNER,
    causes: ["owner", "beside"],
    grows: "b",
    sector: null,
    contact: 0,
    height: -131072,
    planar: 20316,
    gap: 20316,
    turn: 0,
  });
  const swing = sector(ONE, 8192, ONE);
  const missed = world.explainQuery(swing, { x: 2 * ONE, y: 0, z: 0 }, 7, 0, { excludeOwner: 4 });
  assert.deepEqual(missed.causes, ["mask", "excluded", "beside"]);
  assert.deepEqual([missed.sector, missed.grows, missed.turn > 0], ["outside", "b", true]);
  assert.equal(world.explainQuery(sphere(ONE), HERE, 7).why, 0);
  const sectors = explain(swing, HERE, sector(ONE, 8192, ONE, 1), HERE);
  assert.deepEqual([sectors.causes, sectors.gap, sectors.turn], [["sectors"], null, null]);
  const touching = [sphere(320), HERE, sphere(320), { x: 640, y: 0, z: 0 }];
  assert.deepEqual(explain(...touching).causes, []);
  assert.deepEqual(explain(...touching, { hitWhen: 2 }).causes, ["beside", "grazes"]);
  assert.throws(() => world.explain(1, 5), /not in the world/);
  const text = "beside: they would meet if é were 0.31 units thicker; the owner is the same";
  assert.equal(explanationText(world.explain(1, 7), "é"), text);
  assert.equal(explanationText(sectors), "two sectors, one with a hole, never meet");
  assert.match(
    explanationText(missed, "the swing", "boss"),
    /the layer of boss is not in the mask/,
  );
  assert.throws(() => explanationText(missed, "é".repeat(31)), /bytes of a must be 0..60, not 62/);
});

test("a pair that is not pushed or cast names the shape, and why", () => {
  const ball = sphere(ONE);
  const swing = sector(ONE, 8192, ONE);
  const allowed = `must be a ${BODIES}, not a sector, which cannot be`;
  const world = new World(8, { level: Level.of([["cylinder", 0, -9, 9, [0, 0], 5]]) });
  world.add(1, ball, HERE);
  world.add(2, swing, HERE);
  const still = [0, 0, 0];
  refuses(
    { ...fixsync, ball, swing, HERE, still, world },
    `
    castPair(swing, HERE, still, ball, HERE, still) // ArgumentRangeError: shapeA ${allowed} cast
    castPair(ball, HERE, still, swing, HERE, still) // ArgumentRangeError: shapeB ${allowed} cast
    pushOut(ball, HERE, swing, HERE) // shapeB ${allowed} pushed
    lift(swing, HERE, ball, HERE) // shapeA ${allowed} pushed
    side(ball, HERE, ball, HERE) // shapeB must be a box, not a sphere
    world.cast(swing, HERE, still) // Error: shape ${allowed} cast
    world.level.cast(swing, HERE, still) // Error: shape ${allowed} cast
    world.sweep(2, still) // the shape of id 2 ${allowed} cast
    world.pushOut(1, 2) // the shape of b (2) ${allowed} pushed
    world.lift(2, 1) // the shape of a (2) ${allowed} pushed
    world.side(1, ${raw.FXS_LEVEL}) // the shape of b (${raw.FXS_LEVEL}) must be a box, not a solid
  `,
  );
  const refused = { status: raw.FXS_E_UNDEFINED };
  assert.throws(() => world.sweep(2, still), refused);
});

test("outlines are those of the kernel in Python, of shapes, colliders and solids", () => {
  const shapes = [
    sphere(ONE),
    capsule(ONE, 9),
    ["cylinder", 3, 5],
    box(3, 5, 7),
    sector(ONE, degrees(60), 9),
    sector(ONE, 32768, 9, 7),
    sector(ONE, degrees(100), 9, 99),
  ];
  const said = python(
    "-c",
    `
import json, sys
from fixsync import *
def shape(kind, *sizes):
    return {"sphere": Sphere, "capsule": Capsule, "cylinder": Cylinder, "box": Box, "sector": Sector}[kind](*sizes)
for row in json.loads(sys.argv[1]):
    for yaw in 0, 16384, 12345:
        for segments in 3, 32, 100:
            o = outline(shape(*row), Pose(5, -6, 7, yaw), segments=segments)
            print(json.dumps({"outer": o.outer, "hole": o.hole, "yLow": o.y_low, "yHigh": o.y_high}, separators=(",", ":")))`,
    JSON.stringify(shapes),
  );
  const lines = shapes.flatMap((shape) =>
    [0, 16384, 12345].flatMap((yaw) =>
      [3, 32, 100].map((segments) => {
        const pose = { x: 5, y: -6, z: 7, yaw };
        const found = outline(shape, pose, { segments });
        const world = new World(1);
        world.add(0, shape, pose, { active: false });
        assert.deepEqual(world.outline(0, { segments }), found);
        world.dispose();
        return JSON.stringify(found);
      }),
    ),
  );
  assert.equal(`${lines.join("\n")}\n`, said);
  assert.deepEqual(outline(box(3, 5, 7), HERE).outer, [
    [3, 7],
    [-3, 7],
    [-3, -7],
    [3, -7],
  ]);
  const wall = [
    [0, 0],
    [9, 0],
    [0, 9],
  ];
  const level = Level.of([
    ["prism", 0, -1, 2, wall],
    ["cylinder", 0, 3, 4, [5, 6], 2],
  ]);
  const world = new World(1, { level });
  const prism = { outer: wall, hole: [], yLow: -1, yHigh: 2 };
  assert.deepEqual(level.outline(0), prism);
  assert.deepEqual(world.outline(raw.FXS_LEVEL), prism);
  assert.deepEqual(level.outline(1, { segments: 4 }).outer, [
    [7, 6],
    [5, 8],
    [3, 6],
    [5, 4],
  ]);
  assert.throws(
    () => outline(sphere(1), HERE, { segments: 2 }),
    /^ArgumentRangeError: segments must be 3\.\.65536, not 2/,
  );
  assert.throws(() => world.outline(0), /not in the world/);
  assert.throws(() => level.outline(2), /index must be 0\.\.1, not 2/);
});
