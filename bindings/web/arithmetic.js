// Arithmetic in Q16.16, exact and rounded halves away from zero: as fixsync.game.numbers.
import { INT32_MAX, int32, integer, unitsIn, vector, yawIn } from "./checks.js";
import { checked, kernel, memory, putWords, scratch, words3 } from "./kernel.js";
import { FXS_ONE, FXS_TURN } from "./raw.js";

const AT_B = 16;
const AT_RESULT = 32;

// The result of a call. An error begins with what() gives, the call as it was made.
function numberOf(what, call) {
  const status = call(scratch + AT_RESULT);
  if (status < 0) checked(status, what());
  return memory.i32[(scratch + AT_RESULT) / 4];
}

function vectorOf(what, call) {
  numberOf(what, call);
  return words3(scratch + AT_RESULT);
}

const put = (offset, name, value) => putWords(scratch + offset, vector(name, value));

/** a · b. */
export const mul = (a, b) =>
  numberOf(
    () => `mul(${a}, ${b})`,
    (out) => kernel.fxs_mul(int32("a", a), int32("b", b), out),
  );

/** a / b. */
export const div = (a, b) =>
  numberOf(
    () => `div(${a}, ${b})`,
    (out) => kernel.fxs_div(int32("a", a), int32("b", b), out),
  );

/** a · b / c of plain integers, rounded once: 30 percent of a damage. */
export const mulDiv = (a, b, c) =>
  numberOf(
    () => `mulDiv(${a}, ${b}, ${c})`,
    (out) => kernel.fxs_mul_div(int32("a", a), int32("b", b), int32("c", c), out),
  );

export const sqrt = (a) =>
  numberOf(
    () => `sqrt(${a})`,
    (out) => kernel.fxs_sqrt(int32("a", a), out),
  );

/** The number at a fraction, 0..65536, of the way from a to b. */
export const lerp = (a, b, fraction) =>
  numberOf(
    () => "lerp",
    (out) =>
      kernel.fxs_lerp(int32("a", a), int32("b", b), integer("fraction", fraction, 0, FXS_ONE), out),
  );

/** The number of low..high that is nearest to a value. */
export const clamp = (value, low, high) =>
  numberOf(
    () => `clamp to ${low}..${high}`,
    (out) => kernel.fxs_clamp(int32("value", value), int32("low", low), int32("high", high), out),
  );

/** A value moved towards a target by `most` at most. */
export const approach = (value, target, most) =>
  numberOf(
    () => "approach",
    (out) =>
      kernel.fxs_approach(
        int32("value", value),
        int32("target", target),
        unitsIn("most", most, 0, INT32_MAX),
        out,
      ),
  );

/** A yaw turned towards another the shorter way, by `most` steps at most. */
export const turnTowards = (yaw, end, most) =>
  checked(
    kernel.fxs_turn_towards(
      yawIn("yaw", yaw),
      yawIn("end", end),
      integer("most", most, 0, FXS_TURN),
    ),
    "turnTowards",
  );

/** The length of a vector, rounded. */
export const hypot = (x, y, z = 0) =>
  numberOf(
    () => `hypot(${x}, ${y}, ${z})`,
    (out) => kernel.fxs_hypot(int32("x", x), int32("y", y), int32("z", z), out),
  );

/** The dot product of two vectors. */
export function dot(a, b) {
  put(0, "a", a);
  put(AT_B, "b", b);
  return numberOf(
    () => "dot",
    (out) => kernel.fxs_dot(scratch, scratch + AT_B, out),
  );
}

/** A vector times a factor. */
export function scale(v, factor) {
  put(0, "v", v);
  return vectorOf(
    () => "scale",
    (out) => kernel.fxs_scale(scratch, int32("factor", factor), out),
  );
}

/** A vector brought to a length: a speed in the direction of a target. */
export function withLength(v, howLong) {
  put(0, "v", v);
  const length = unitsIn("length", howLong, 0, INT32_MAX);
  return vectorOf(
    () => `withLength of (${v})`,
    (out) => kernel.fxs_with_length(scratch, length, out),
  );
}
