// The side of web.py that a browser has: `web.mjs COUNT FRAMES ROUNDS [MODULE]`, as web.c.
import { readFileSync } from "node:fs";

import { init, KernelArray, ONE, Random, sphere, World } from "../bindings/web/index.js";

const [count, frames, rounds] = process.argv.slice(2).map(Number);
await init(process.argv[5] ? readFileSync(process.argv[5]) : undefined);

const width = Math.ceil(Math.sqrt(4 * count));
const random = new Random(1);
const places = Array.from({ length: frames + 1 }, () => new KernelArray(Int32Array, 3 * count));
for (let i = 0; i < 3 * count; i++)
  places[0].array[i] = i % 3 === 1 ? 0 : random.below(width * ONE);
for (let frame = 1; frame <= frames; frame++) {
  const [before, now] = [places[frame - 1].array, places[frame].array];
  for (let i = 0; i < 3 * count; i++)
    now[i] = before[i] + (i % 3 === 1 ? 0 : random.below(ONE / 4) - ONE / 8);
}
const world = new World(count);
const ids = new KernelArray(Uint32Array, count);
for (let id = 0; id < count; id++) {
  ids.array[id] = id;
  world.add(id, sphere(ONE / 2), { x: 0, y: 0, z: 0 });
}
const times = Array.from({ length: rounds }, () => {
  const start = performance.now();
  for (const one of places) {
    world.moveMany(ids, one);
    world.step();
  }
  return (performance.now() - start) / places.length;
});
console.log(Math.round(1e6 * Math.min(...times)), world.hash());
