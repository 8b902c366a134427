// Queries and casts and their answers, of a world and of a level.
import { optionsIn, UINT32_MAX, uint32 } from "./checks.js";
import { checked, memory, putWords, results, scratch, words3 } from "./kernel.js";
import { FXS_E_ROOM, fxs_cast, fxs_cast_hit, fxs_pair_hit, fxs_query } from "./raw.js";
import { defined, hitWhenIn, motionIn, putPose, putShape } from "./shapes.js";

const AT_ANSWERS = 256; // in the scratch memory, behind the question
const answerCount = () => memory.u32[(scratch + AT_ANSWERS) / 4];

// A hitWhen of null is the kernel's 0: the world's.
const leastIn = (hitWhen) => (hitWhen === null ? 0 : hitWhenIn(hitWhen));

/** An fxs_query in the scratch memory; its address. */
export function putQuery(shape, pose, mask = UINT32_MAX, options) {
  const { excludeOwner = 0, hitWhen = null } = optionsIn(options, "excludeOwner, hitWhen");
  putShape(scratch + fxs_query.shape, shape);
  putPose(scratch + fxs_query.pose, pose);
  putWords(scratch + fxs_query.mask, [
    uint32("mask", mask),
    uint32("excludeOwner", excludeOwner),
    leastIn(hitWhen),
  ]);
  return scratch;
}

/** An fxs_cast in the scratch memory; its address. */
export function putCast(shape, pose, motion, mask, options) {
  const {
    excludeOwner = 0,
    limit = 0,
    hitWhen = null,
  } = optionsIn(options, "excludeOwner, limit, hitWhen");
  putShape(scratch + fxs_cast.shape, shape);
  putPose(scratch + fxs_cast.pose, pose);
  putWords(scratch + fxs_cast.motion, motionIn("motion", motion));
  putWords(scratch + fxs_cast.mask, [
    uint32("mask", mask),
    uint32("excludeOwner", excludeOwner),
    uint32("limit", limit),
    leastIn(hitWhen),
  ]);
  return scratch;
}

// Calls `ask(rows, room, count)`, again with more room if it needs it; where the answers are.
// refused(status): throws the error of a status below 0.
function answersOf(rowBytes, refused, ask) {
  results.for(64 * rowBytes);
  for (;;) {
    const room = Math.floor(results.bytes / rowBytes);
    const status = ask(results.at, BigInt(room), scratch + AT_ANSWERS);
    if (status !== FXS_E_ROOM) {
      if (status < 0) refused(status);
      return results.at;
    }
    results.for(rowBytes * answerCount());
  }
}

/** The ids that `ask(rows, room, count)` writes. */
export function idsAnswered(what, ask) {
  const at = answersOf(4, (status) => checked(status, what), ask) / 4;
  return [...memory.u32.subarray(at, at + answerCount())];
}

/** The hits that `ask(rows, room, count)` writes: { id, fraction, normal }. shapes(): by name, the
 * shape that is cast. */
/** The pairs that `ask(rows, room, count)` writes: { a, b, fraction, normal }.
 * refused(status, row): throws the error of a row. */
export function pairsAnswered(refused, ask) {
  const faulty = (status) => refused(status, answerCount());
  const at = answersOf(fxs_pair_hit.$size, faulty, ask);
  return Array.from({ length: answerCount() }, (_, i) => {
    const row = at + i * fxs_pair_hit.$size;
    const [a, b, fraction] = memory.u32.subarray(row / 4, row / 4 + 3);
    return { a, b, fraction, normal: words3(row + fxs_pair_hit.normal) };
  });
}

/** The hits of a cast in rows from an address on. */
export const hitsAt = (at, count) =>
  Array.from({ length: count }, (_, i) => {
    const row = at + i * fxs_cast_hit.$size;
    const [id, fraction] = memory.u32.subarray(row / 4, row / 4 + 2);
    return { id, fraction, normal: words3(row + fxs_cast_hit.normal) };
  });

export function hitsAnswered(what, ask, shapes = null) {
  const refused = (status) =>
    shapes === null ? checked(status, what) : defined(status, what, "canCast", shapes());
  const at = answersOf(fxs_cast_hit.$size, refused, ask);
  return hitsAt(at, answerCount());
}
