// Why a pair is not a hit, and by how much it misses.
import { optionsIn } from "./checks.js";
import { checked, kernel, memory, scratch } from "./kernel.js";
import { FXS_NEVER, FXS_TOUCHING, fxs_explanation } from "./raw.js";
import { hitWhenIn, putPair } from "./shapes.js";
import { CAUSES } from "./tables.js";

const AT_EXPLANATION = 256; // in the scratch memory, behind a pair or a query
const SECTORS = [null, "beyond", "outside", "hole"];

/** The explanation that `ask(out)` writes. */
export function explained(what, ask) {
  const at = scratch + AT_EXPLANATION;
  checked(ask(at), what);
  const word = (name) => memory.u32[(at + fxs_explanation[name]) / 4];
  const long = (name) => {
    const value = memory.view.getBigInt64(at + fxs_explanation[name], true);
    return value === FXS_NEVER ? null : Number(value);
  };
  const why = word("why");
  return {
    why,
    causes: CAUSES.filter(([bit]) => (why & bit) !== 0).map(([, cause]) => cause),
    grows: word("grows") === 1 ? "b" : "a",
    sector: SECTORS[word("sector")],
    contact: word("contact"),
    height: long("height"),
    planar: long("planar"),
    gap: long("gap"),
    turn: long("turn"),
  };
}

/** Why the contact of two shapes is less than hitWhen. */
export function explain(shapeA, poseA, shapeB, poseB, options) {
  const { hitWhen = FXS_TOUCHING } = optionsIn(options, "hitWhen");
  const pair = putPair(shapeA, poseA, shapeB, poseB);
  const least = hitWhenIn(hitWhen);
  return explained("explain", (out) => kernel.fxs_explain_shapes(...pair, least, out));
}
