// Levels in Node: every answer of the shared vectors, and what is refused.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { init, Level, Mover, sphere, World } from "../index.js";
import * as raw from "../raw.js";
import { ROOT, test } from "./harness.mjs";

await init();
const HERE = { x: 0, y: 0, z: 0 };
const ALL = 2 ** 32 - 1;

// The rows of a file of vectors: objects by the names in its first line, with JSON as values.
function vectors(name) {
  const [head, ...lines] = readFileSync(join(ROOT, "tests", "vectors", name), "utf8")
    .trim()
    .split(/\r?\n/);
  const names = head.split(",");
  return lines.map((line) => {
    const fields = line.match(/"(?:[^"]|"")*"|[^,]+|(?<=,)(?=,|$)/g);
    assert.equal(fields.length, names.length, line);
    const values = fields.map((field) => {
      const text = field.startsWith('"') ? field.slice(1, -1).replaceAll('""', '"') : field;
      return text === "" ? null : JSON.parse(text);
    });
    return Object.fromEntries(names.map((key, i) => [key, values[i]]));
  });
}

test("every contact of the vectors is that of contact and of query", () => {
  const rows = vectors("level_contacts.csv");
  assert.ok(rows.length > 100);
  for (const { shape, x, y, z, yaw, solid, contact } of rows) {
    const level = Level.of([solid]);
    const pose = { x, y, z, yaw };
    assert.equal(level.contact(0, shape, pose), contact, JSON.stringify({ shape, pose, solid }));
    for (const hitWhen of [1, 2]) {
      const expected = contact >= hitWhen ? [raw.FXS_LEVEL] : [];
      assert.deepEqual(level.query(shape, pose, ALL, { hitWhen }), expected);
    }
    level.dispose();
  }
});

test("every cast of the vectors has its fraction and its normal", () => {
  const rows = [...vectors("level_casts.csv"), ...vectors("made/level_rim_casts.csv")];
  assert.ok(rows.length > 100);
  for (const row of rows) {
    const { shape, x, y, z, yaw, mx, my, mz, solid, hit_when: hitWhen, fraction, nx, ny, nz } = row;
    const level = Level.of([solid]);
    const hits = level.cast(shape, { x, y, z, yaw }, [mx, my, mz], ALL, { hitWhen });
    const isHit = fraction !== null && fraction >= 0;
    const expected = isHit ? [{ id: raw.FXS_LEVEL, fraction, normal: [nx, ny, nz] }] : [];
    assert.deepEqual(hits, expected, JSON.stringify(row));
    level.dispose();
  }
});

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
