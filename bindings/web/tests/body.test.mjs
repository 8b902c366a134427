// Bodies and frame data in Node: the tables, states and hashes of Python.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Body, FrameData, init, ONE, Random, Recorder, World } from "../index.js";
import { fixsync, python, refuses, test, WORK } from "./harness.mjs";

const FIGHTER = {
  parts: {
    torso: { shape: ["cylinder", "0.5", 1] },
    fist: {
      shape: ["box", "0.5", "0.25", 16384],
      offset: ["0.75", "0.75", 0],
      layer: 1,
      active: false,
    },
    sweep: {
      shape: ["sector", 2, "60.5", "0.25", 1],
      yaw: "-90",
      offset: [0, "-0.5", "0.125"],
      layer: 1,
      active: false,
    },
    guard: { shape: ["box", 1, 2, 3], yaw: 1234, active: false },
  },
  attacks: {
    jab: {
      frames: 9,
      active: {
        fist: [
          [2, 3],
          [5, 6],
        ],
        sweep: [[2, 3]],
      },
      rehits: [5],
      cancels: [{ into: "roll", frames: [4, 8], on_hit: true }],
      keys: {
        sweep: [
          { frames: [5, 8], shape: ["sphere", "0.5"], turns: true, yaw: "33.3" },
          { frames: [2, 3], offset: ["0.5", 0, "-0.25"], turns: true },
        ],
        fist: [{ frames: [3, 3], yaw: "90", meta: { stun: 3 } }],
      },
      meta: { damage: 12 },
    },
    roll: { frames: 20, inactive: { torso: [[2, 14]] }, active: { guard: [[0, 19]] } },
    taunt: { frames: 1 },
  },
};
const HERE = { x: 0, y: 0, z: 0 };
const changed = (change) => {
  const document = structuredClone(FIGHTER);
  change(document);
  return document;
};

test("a table of frame data is that of `fixsync frame-data`, to the byte, and is read from its bytes", async () => {
  await init();
  const file = join(WORK, "fighter.json");
  const withoutKeys = changed((d) => delete d.attacks.jab.keys);
  for (const [document, magic] of [
    [withoutKeys, "FXF1"],
    [FIGHTER, "FXF2"],
  ]) {
    writeFileSync(file, JSON.stringify(document));
    const expected = python(
      "-c",
      `from fixsync.game.frame_data_file import read_frame_data\nprint(read_frame_data(${JSON.stringify(file)}).to_bytes().hex())`,
    );
    const bytes = Buffer.from(FrameData.of(document).toBytes());
    assert.equal(bytes.toString("hex"), expected.trim());
    assert.equal(bytes.toString("latin1", 0, 4), magic);
  }
  const frames = FrameData.of(FIGHTER);
  assert.equal(frames.document.attacks.jab.keys.fist[0].meta.stun, 3);
  const again = new FrameData(frames.toBytes(), frames);
  assert.deepEqual(
    [again.parts, again.attacks],
    [Object.keys(FIGHTER.parts), ["jab", "roll", "taunt"]],
  );
  assert.throws(
    () => new FrameData(frames.toBytes(), { parts: ["torso"] }),
    /^ArgumentTypeError: parts must be 4 diff/,
  );
  const bytes = frames.toBytes();
  bytes[12] = 9;
  assert.throws(
    () => new FrameData(bytes, frames),
    /not a table of frame data: byte 12 is out of range/,
  );
});

test("wrong frame data is named by its path, its value and what is allowed", async () => {
  await init();
  const of = (change) => FrameData.of(changed(change));
  refuses(
    { of },
    `
    of((d) => d.parts.fist.offset[1] = 0.5) // parts.fist.offset[1], line 1, … not: 0.5,
    of((d) => d.parts.fist.shape[1] = "0.1") // shape[1] must be a multiple of 1/65536, … not "0.1"
    of((d) => d.parts.fist.shape = ["cone", 1]) // fist.shape[0] must be one of sphere, … not "cone"
    of((d) => d.parts.fist.layer = 7n) // parts.fist.layer must be a value of JSON, not 7n
    of((d) => d.parts.fist.shape[1] = NaN) // parts.fist.shape[1] must be …, not NaN
    of((d) => d.attacks = []) // attacks must be an object, not []
    of((d) => d.parts = {}) // parts must be 1..32, not 0
    of((d) => d.parts[7] = d.parts.fist) // parts: a name must not be a whole number, not "7"
    of((d) => d.attacks.jab.keys.fist[0].layer = 1) // keys.fist[0] has shape, …, not "layer"
    of((d) => d.attacks.jab.frames = NaN) // attacks.jab.frames must be a value of JSON, not NaN
  `,
  );
});

// What two bodies do, frame by frame: [body, call, ...arguments].
function script(frames) {
  const random = new Random(11);
  const place = () => random.between(-2 * ONE, 2 * ONE);
  return Array.from({ length: frames }, () => {
    const calls = [];
    for (const body of [0, 1]) {
      const name = ["jab", "roll", "taunt"][random.below(3)];
      const pick = random.below(12);
      if (pick < 4) calls.push([body, "start", name]);
      if (pick === 4) calls.push([body, "mirror", random.chance(1, 2)]);
      if (pick === 5) calls.push([body, "turn", random.below(65536)]);
      if (pick === 6) calls.push([body, "move", place(), 0, place()]);
      if (pick === 7) calls.push([body, "cancel"]);
      if (pick === 8) calls.push([body, "set_active", random.chance(1, 2), "torso"]);
    }
    return calls;
  });
}

test("bodies attack, mirror and move as in Python, through rollbacks; a recording of them verifies", async () => {
  await init();
  const calls = script(200);
  const frames = FrameData.of(FIGHTER);
  const world = new World(16, { layers: [[0, 1]] });
  const bodies = [
    new Body(world, frames, HERE, { ids: 1, owner: 1 }),
    new Body(
      world,
      frames,
      { x: ONE, y: 0, z: 0, yaw: 32768 },
      { ids: [9, 8, 7, 6], owner: 2, isMirrored: true },
    ),
  ];
  const camel = { set_active: "setActive" };
  const lines = [];
  const recorder = new Recorder(world);
  const play = (frame, record) => {
    for (const [body, name, ...values] of calls[frame])
      record(bodies[body][camel[name] ?? name](...values));
    const events = world.step();
    const hits = [...events].map(({ a, b, kind }) => [a, b, kind]);
    let line = `${JSON.stringify(hits)} ${world.hash()}`;
    for (const [i, body] of bodies.entries()) {
      const met = hits.some(([a, b]) => body.partOf(a) !== null || body.partOf(b) !== null);
      line += ` ${met && body.strike(2 - i)} ${body.phase} ${body.hit} ${body.hash()}`;
    }
    record.step?.(events);
    for (const body of bodies) record(body.tick());
    return line;
  };
  let after = []; // commands behind a step are of the next frame
  const record = (commands) => after.push(...commands);
  record.step = (events) => {
    recorder.commands(after);
    recorder.step(world, events);
    after = [];
  };
  for (let frame = 0; frame < calls.length; frame++) {
    if (frame % 10 === 9) {
      const kept = [world.save(), ...bodies.map((body) => body.save())];
      const first = play(frame, () => {});
      world.load(kept[0]);
      for (const [i, body] of bodies.entries()) body.load(kept[i + 1]);
      lines.push(play(frame, record));
      assert.equal(lines.at(-1), first);
    } else lines.push(play(frame, record));
  }
  const log = join(WORK, "bodies.jsonl");
  writeFileSync(log, recorder.text());
  fixsync("replay", log);
  const source = `
import json, sys
from fixsync import *
from fixsync.game.frame_data_file import read_frame_data
frames = read_frame_data(sys.argv[1])
world = World(16, layers=[(0, 1)])
bodies = [Body(world, frames, Pose(0, 0, 0), ids=1, owner=1),
          Body(world, frames, Pose(ONE, 0, 0, 32768), ids=[9, 8, 7, 6], owner=2, is_mirrored=True)]
for calls in json.load(open(sys.argv[2])):
    for body, name, *values in calls:
        getattr(bodies[body], name)(*values)
    hits = [[int(e.a), int(e.b), int(e.kind)] for e in world.step()]
    line = f"{json.dumps(hits, separators=(',', ':'))} {world.hash()}"
    for i, body in enumerate(bodies):
        met = any(a in body or b in body for a, b, _ in hits)
        struck = "true" if met and body.strike(2 - i) else "false"
        line += f" {struck} {body.phase or 'null'} {body.hit} {body.hash()}"
    print(line)
    for body in bodies:
        body.tick()`;
  writeFileSync(join(WORK, "calls.json"), JSON.stringify(calls));
  writeFileSync(join(WORK, "fighter.json"), JSON.stringify(FIGHTER));
  const found = python("-c", source, join(WORK, "fighter.json"), join(WORK, "calls.json"));
  assert.deepEqual(lines, found.trim().split("\n"));
});

test("strikes are each attacker and victim once, the best part first, as in Python", async () => {
  await init();
  const frames = FrameData.of(FIGHTER);
  const world = new World(64);
  const bodies = [1, 2, 3].map(
    (owner) => new Body(world, frames, { x: owner, y: 0, z: 0 }, { ids: 8 * owner, owner }),
  );
  for (const body of bodies.slice(0, 2)) body.start("jab");
  const mask = 1 << world.get(bodies[0].ids.torso).layer;
  // fist and sweep of 1 and the torso of 2, sweep of 1 and the torso of 3; none of 3, none that ends
  const met = [
    [9, 16, 1],
    [10, 16, 2],
    [10, 24, 1],
    [8, 25, 1],
    [8, 17, 3],
  ];
  const events = met.map(([a, b, kind]) => ({ a, b, kind, contact: 2 }));
  const row = ({ attacker, victim, part }) => [attacker.owner, victim.owner, part];
  const source = `
import json, sys
from fixsync import *
from fixsync.game.frame_data_file import read_frame_data
frames = read_frame_data(sys.argv[1])
world = World(64)
bodies = [Body(world, frames, Pose(n, 0, 0), ids=8 * n, owner=n) for n in (1, 2, 3)]
for body in bodies[:2]:
    body.start("jab")
new = strikes(world, [(*row, 2) for row in ${JSON.stringify(met)}], bodies, ${mask})
print(json.dumps([[[a.owner, v.owner, part] for a, v, part in new], [str(b.hash()) for b in bodies]]))`;
  writeFileSync(join(WORK, "fighter.json"), JSON.stringify(FIGHTER));
  const [rows, hashes] = JSON.parse(python("-c", source, join(WORK, "fighter.json")));
  assert.deepEqual(rows, [
    [1, 2, "fist"],
    [1, 3, "sweep"],
  ]);
  assert.deepEqual(Body.strikes(world, events, bodies, mask).map(row), rows);
  assert.deepEqual(
    bodies.map((body) => `${body.hash()}`),
    hashes,
  );
  assert.deepEqual(Body.strikes(world, events, bodies, mask), []);
  for (let owner = 10; owner < 72; owner++) bodies[0].strike(owner);
  const full = bodies[0].hash();
  const other = new Body(world, frames, HERE, { ids: 32, owner: 9 });
  const more = [{ a: 9, b: 32, kind: 1, contact: 2 }];
  assert.throws(
    () => Body.strikes(world, more, [bodies[0], other], mask),
    /remembers 64 victims, and there are more/,
  );
  assert.equal(bodies[0].hash(), full);
});

test("the owner of a body is that of its parts in the world", async () => {
  await init();
  const frames = FrameData.of(FIGHTER);
  const world = new World(8);
  const body = new Body(world, frames, HERE, { ids: 0, owner: 1 });
  const made = world.save();
  assert.deepEqual(body.setOwner(5)[0], ["owner", 0, 5]);
  assert.deepEqual([body.owner, world.get(3).owner], [5, 5]);
  assert.throws(
    () => body.setOwner(0),
    /^ArgumentRangeError: owner must be 1\.\.4294967295, not 0/,
  );
  world.setOwner(0, 6);
  assert.equal(body.owner, 6);
  world.load(made);
  assert.equal(body.owner, 1);
  body.setOwner(7);
  body.remove();
  assert.equal(body.owner, 1);
});

test("a body refuses what its parts, attacks and numbers do not allow, and nothing has changed", async () => {
  await init();
  const frames = FrameData.of(FIGHTER);
  const world = new World(8);
  const body = new Body(world, frames, HERE, { ids: 0, owner: 1 });
  assert.equal(body.added.length, 4);
  const before = [world.hash(), body.hash()];
  const made = (options) => new Body(world, frames, HERE, options);
  refuses(
    { body, made },
    `
    body.move(0.5, 0, 0) // ArgumentTypeError: …position x must be an integer, not 0.5
    body.setPose({ x: 0, y: 0, z: 0.25 }) // ArgumentTypeError: pose.z must be an integer, not 0.25
    body.turn(65536) // pose.yaw must be 0..65535, not 65536
    body.mirror(1) // ArgumentTypeError: isMirrored must be true or false, not 1
    body.start("dash") // no attack is called "dash"; there are jab, roll, taunt
    body.setActive(true, "foot") // no part is called "foot"; there are torso, fist, sweep, guard
    body.strike(-1) // victim must be 0..4294967295, not -1
    body.move(2 ** 31 - 1, 0, 0) // a centre … or lift outside int32
    body.load(new Uint8Array(24)) // ArgumentRangeError: byte 0: not a saved state
    made({ ids: 2, owner: 2 }) // ArgumentRangeError: part "torso": id 2: an id that is already in
    made({ ids: 5, owner: 2 }) // id of part "guard" must be 0..7, not 8
    made({ ids: [4, 5], owner: 2 }) // one for each of the 4 parts, not 2
    made({ ids: 4, owner: 0 }) // owner must be 1..4294967295, not 0
    body.follow(Int32Array.of(0, 5, 0, 0, 1, 6, 0, 0)) // pushed to different places: 5,0,0; 6,0,0
    body.follow(null) // moved must be an Int32Array or rows of separate, not null
  `,
  );
  assert.deepEqual([world.hash(), body.hash()], before);
  body.start("jab");
  for (let victim = 0; victim < 64; victim++) assert.equal(body.strike(victim), true);
  assert.equal(body.strike(63), false);
  assert.throws(() => body.strike(64), /one hit remembers 64 victims/);
  assert.deepEqual(body.follow(Int32Array.of(7, 1, 1, 1, 0, 5, 0, 0)).length, 4);
  assert.equal(body.pose.x, 5);
  assert.equal(body.follow([{ id: 1, x: 6, y: 0, z: 0, isHeld: true }]).length, 4);
  assert.equal(body.pose.x, 6);
  const met = [{ a: 0, b: 7, kind: 1, contact: 2 }];
  const bodies = [body, new Body(new World(8), frames, HERE, { ids: 4, owner: 2 })];
  const strike = (events, list, mask) => Body.strikes(world, events, list, mask);
  refuses(
    { strike, met, body, bodies },
    `
    strike(met, [body, 7], 1) // bodies[1] must be a Body, not 7
    strike(met, [body, body], 1) // bodies must be of this world, each once
    strike(met, bodies, 1) // bodies must be of this world, each once
    strike(met, [body], -1) // mask must be 0..4294967295, not -1
    strike([{ ...met[0], kind: 9 }], [body], 1) // events[0].kind must be 1..3, not 9
  `,
  );
  body.remove();
  assert.throws(() => body.tick(), /part "torso": id 0: an id that is not in the world/);
  assert.throws(() => body.pose, /part "torso": id 0: an id that is not in the world/);
});
