// Why a pair is not a hit, and by how much it misses.
import { integer, object, optionsIn, textIn, wordIn } from "./checks.js";
import { checked, kernel, memory, putWords, results, scratch, textAt } from "./kernel.js";
import { FXS_NEVER, FXS_TOUCHING, FXS_WHY_GRAZES, fxs_explanation, fxs_name } from "./raw.js";
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
  const numbers = numbersOf(object("explanation", explanation));
  const at = results.for(TEXT_BYTES + fxs_explanation.$size + 2 * fxs_name.$size);
  const row = at + TEXT_BYTES;
  putWords(row, numbers.words);
  for (const [name, value] of Object.entries(numbers.amounts))
    memory.view.setBigInt64(row + fxs_explanation[name], value ?? FXS_NEVER, true);
  const names = [a, b].map((text, i) =>
    putName(row + fxs_explanation.$size + i * fxs_name.$size, ["a", "b"][i], text),
  );
  const room = BigInt(TEXT_BYTES);
  checked(kernel.fxs_explanation_text(row, ...names, at, room, scratch), "explanation");
  return textAt(at, at + memory.u32[scratch / 4]);
}

function numbersOf({ why, grows, sector, contact, height, planar, gap, turn }) {
  const amount = (name, value) =>
    value === null ? null : BigInt(integer(name, value, -(2 ** 34), 2 ** 34));
  return {
    words: [
      integer("why", why, 0, 2 * FXS_WHY_GRAZES - 1),
      wordIn("grows", grows, { a: 0, b: 1 }),
      sector === null ? 0 : wordIn("sector", sector, { beyond: 1, outside: 2, hole: 3 }),
      integer("contact", contact, 0, 2),
    ],
    amounts: {
      height: BigInt(integer("height", height, -(2 ** 34), 2 ** 34)),
      planar: amount("planar", planar),
      gap: amount("gap", gap),
      turn: turn === null ? null : BigInt(integer("turn", turn, 0, 32768)),
    },
  };
}

// The address of a name, or 0 for an empty one.
function putName(at, what, name) {
  const bytes = textIn(what, name);
  if (bytes.length === 0) return 0;
  integer(`bytes of ${what}`, bytes.length, 0, 60);
  memory.u8.fill(0, at, at + fxs_name.$size).set(bytes, at + fxs_name.text);
  return at;
}
