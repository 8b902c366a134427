// Why a pair is not a hit, and by how much it misses.
import { ArgumentTypeError, integer, optionsIn } from "./checks.js";
import { checked, kernel, memory, putWords, results, scratch } from "./kernel.js";
import { FXS_NEVER, FXS_TOUCHING, fxs_explanation, fxs_name } from "./raw.js";
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

const TEXT_BYTES = 1024;

/** The causes of an explanation as text, with names for a and b. */
export function explanationText(explanation, a = "", b = "") {
  const at = results.for(TEXT_BYTES + fxs_explanation.$size + 2 * fxs_name.$size);
  const row = at + TEXT_BYTES;
  const { why, grows, sector, contact } = explanation;
  putWords(row, [why, grows === "b" ? 1 : 0, SECTORS.indexOf(sector), contact]);
  for (const name of ["height", "planar", "gap", "turn"]) {
    const value = explanation[name] === null ? FXS_NEVER : BigInt(explanation[name]);
    memory.view.setBigInt64(row + fxs_explanation[name], value, true);
  }
  const names = [a, b].map((text, i) =>
    putName(row + fxs_explanation.$size + i * fxs_name.$size, ["a", "b"][i], text),
  );
  const room = BigInt(TEXT_BYTES);
  checked(kernel.fxs_explanation_text(row, ...names, at, room, scratch), "explanation");
  return new TextDecoder().decode(memory.u8.subarray(at, at + memory.u32[scratch / 4]));
}

// The address of a name, or 0 for an empty one.
function putName(at, what, name) {
  if (typeof name !== "string") throw new ArgumentTypeError(`${what} must be a string`);
  const bytes = new TextEncoder().encode(name);
  if (bytes.length === 0) return 0;
  integer(`bytes of ${what}`, bytes.length, 0, 60);
  memory.u8.fill(0, at, at + fxs_name.$size).set(bytes, at + fxs_name.text);
  return at;
}
