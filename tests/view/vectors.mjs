// Asks the module of the page, under Node, what tests/vectors asks. Reads from standard input { wasm, contacts, casts, angles }, writes
// the answers in the same order, and the bytes of all directions in base64.
import { readFileSync } from "node:fs";
import { putShape as putShapeAt } from "../../fixsync/view/assets/rows.js";

const asked = JSON.parse(readFileSync(0, "utf8"));
const module = new WebAssembly.Module(Buffer.from(asked.wasm, "base64"));
const kernel = new WebAssembly.Instance(module, {}).exports;
const base = Math.ceil(kernel.__heap_base.value / 8) * 8;
kernel.memory.grow(1);
const words = new Int32Array(kernel.memory.buffer, base, 64);
const at = (word) => base + 4 * word;

function put(word, values) {
  words.set(values, word);
  return at(word);
}

function putShape(word, shape) {
  putShapeAt(new DataView(kernel.memory.buffer), at(word), shape);
  return at(word);
}

const contacts = asked.contacts.map(([a, poseA, b, poseB]) =>
  kernel.fxs_overlap(putShape(0, a), put(5, poseA), putShape(9, b), put(14, poseB)),
);
const casts = asked.casts.map(([a, poseA, motionA, b, poseB, motionB, hitWhen]) => {
  const shapes = [putShape(0, a), put(5, poseA), put(18, motionA), putShape(9, b), put(14, poseB), put(21, motionB)];
  const isHit = kernel.fxs_cast_pair(...shapes, hitWhen, at(24), at(25)) === 1;
  return isHit ? [...words.subarray(24, 28)] : null;
});
const angles = asked.angles.map(([dx, dz]) => [
  kernel.fxs_yaw_of(BigInt(dx), BigInt(dz)),
  String(kernel.fxs_length(BigInt(dx), 0n, BigInt(dz))),
]);
const directions = new Int32Array(2 * 65536);
for (let yaw = 0; yaw < 65536; yaw++) {
  kernel.fxs_direction(yaw, at(0), at(1));
  directions.set(words.subarray(0, 2), 2 * yaw);
}
const bytes = Buffer.from(directions.buffer).toString("base64");
process.stdout.write(JSON.stringify({ contacts, casts, angles, directions: bytes }));
