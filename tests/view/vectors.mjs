// Asks the package, under Node, what tests/vectors asks. Reads from standard input { contacts,
// casts, angles }, writes the answers in the same order, and the bytes of all directions in base64.
import { readFileSync } from "node:fs";
import { castPair, direction, init, length, overlap, yawOf } from "../../bindings/web/index.js";

const asked = JSON.parse(readFileSync(0, "utf8"));
await init();
const pose = ([x, y, z, yaw]) => ({ x, y, z, yaw });

const contacts = asked.contacts.map(([a, poseA, b, poseB]) =>
  overlap(a, pose(poseA), b, pose(poseB)),
);
const casts = asked.casts.map(([a, poseA, motionA, b, poseB, motionB, hitWhen]) => {
  const hit = castPair(a, pose(poseA), motionA, b, pose(poseB), motionB, { hitWhen });
  return hit && [hit.fraction, ...hit.normal];
});
const angles = asked.angles.map(([dx, dz]) => [
  yawOf(BigInt(dx), BigInt(dz)),
  String(length(BigInt(dx), 0n, BigInt(dz))),
]);
const directions = new Int32Array(2 * 65536);
for (let yaw = 0; yaw < 65536; yaw++) directions.set(direction(yaw), 2 * yaw);
const bytes = Buffer.from(directions.buffer).toString("base64");
process.stdout.write(JSON.stringify({ contacts, casts, angles, directions: bytes }));
