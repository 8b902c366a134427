// Levels in Node: ids and layers, and what is refused.
import assert from "node:assert/strict";
import { init, Level, Mover, sphere, World } from "../index.js";
import * as raw from "../raw.js";
import { test } from "./harness.mjs";

await init();
const HERE = { x: 0, y: 0, z: 0 };
const ALL = 2 ** 32 - 1;

test("solids are named by layer, in order of id, and only those that there are", () => {
  const level = Level.of([
    ["cylinder", 3, -9, 9, [0, 0], 5],
    ["cylinder", 4, -9, 9, [0, 0], 5],
  ]);
  assert.deepEqual(level.query(sphere(2), HERE), [raw.FXS_LEVEL, raw.FXS_LEVEL + 1]);
  assert.deepEqual(level.query(sphere(2), HERE, 1 << 4), [raw.FXS_LEVEL + 1]);
  const hits = level.cast(sphere(2), { x: -30, y: 0, z: 0 }, [60, 0, 0], ALL, { limit: 1 });
  assert.deepEqual(
    hits.map((hit) => hit.id),
    [raw.FXS_LEVEL],
  );
  assert.throws(() => level.contact(2, sphere(2), HERE), {
    name: "ArgumentRangeError",
    message: /index must be 0..1/,
  });
  assert.throws(() => level.contact(0.5, sphere(2), HERE), { name: "ArgumentTypeError" });
  assert.throws(() => level.query(sphere(2), HERE, ALL, { hitWhen: 3 }), {
    name: "ArgumentRangeError",
  });
  level.dispose();
  assert.throws(() => level.query(sphere(2), HERE), /disposed/);
});

test("a world whose level is disposed is an error in each call, until it is disposed too", () => {
  const level = Level.of([["cylinder", 3, -9, 9, [0, 0], 5]]);
  const worlds = [new World(4, { level }), new World(4, { level })];
  for (const world of worlds) {
    world.add(1, sphere(2), HERE);
    world.step();
  }
  const saved = worlds[0].save();
  level.dispose();
  const others = Array.from({ length: 20 }, () => Level.of([["cylinder", 1, 0, 1, [9, 9], 1]]));
  for (const world of worlds) {
    const gone = { message: "the level is disposed" };
    for (const call of [
      () => world.step(),
      () => world.save(),
      () => world.load(saved),
      () => world.query(sphere(2), HERE),
      () => world.size,
      () => world.copy(),
      () => new World(4, { level }),
      () => new Mover(1).move(world, [1, 0, 0]),
    ])
      assert.throws(call, gone);
    world.dispose();
    assert.throws(() => world.step(), gone);
  }
  for (const other of others) other.dispose();
});
