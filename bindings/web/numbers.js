// Numbers: Q16.16 from decimals, angles, directions, lengths.
import {
  ArgumentRangeError,
  ArgumentTypeError,
  INT32_MAX,
  INT32_MIN,
  int32,
  integer,
  quoted,
  short,
  wide,
  yawIn,
} from "./checks.js";
import { checked, kernel, memory, scratch } from "./kernel.js";
import { FXS_HALF_ANGLE_MAX, FXS_ONE } from "./raw.js";

/** One unit in Q16.16. */
export const ONE = FXS_ONE;

const DECIMAL = /^([+-]?)(\d+)(?:\.(\d+))?$/;

// An integer or a decimal such as "0.375" as a fraction: [numerator, denominator].
function fractionOf(name, value) {
  if (Number.isSafeInteger(value) || typeof value === "bigint") return [BigInt(value), 1n];
  if (typeof value !== "string") {
    const isDecimal = typeof value === "number" && DECIMAL.test(value);
    const why = isDecimal
      ? `, not the float ${value}: write ${name}("${value}")`
      : `, not ${quoted(value)}`;
    throw new ArgumentTypeError(`${name} takes an integer or a decimal string${why}`);
  }
  const [, sign, whole, part = ""] = DECIMAL.exec(value) ?? [];
  if (whole === undefined)
    throw new ArgumentRangeError(`${name} takes a decimal such as "0.375", not ${quoted(value)}`);
  const digits = BigInt(whole + part);
  return [sign === "-" ? -digits : digits, 10n ** BigInt(part.length)];
}

const floorOf = (n, d) => n / d - (n % d < 0n ? 1n : 0n);

function within(name, value, number) {
  if (number < INT32_MIN || number > INT32_MAX) {
    throw new ArgumentRangeError(
      `${name}(${quoted(value)}) must be ${INT32_MIN}..${INT32_MAX}, not ${short(`${number}`)}`,
    );
  }
  return Number(number);
}

/** Units to Q16.16, exactly. */
export function q(value) {
  const [n, d] = fractionOf("q", value);
  const scaled = n * 65536n;
  if (scaled % d !== 0n) {
    const low = floorOf(scaled, d);
    throw new ArgumentRangeError(
      `q(${quoted(value)}): not a multiple of 1/65536; its neighbours are ${low} and ` +
        `${low + 1n}; qNear(${quoted(value)}) takes the nearer one`,
    );
  }
  return within("q", value, scaled / d);
}

// n / d to nearest, ties to even.
function nearest(n, d) {
  const low = floorOf(n, d);
  const twice = 2n * (n - low * d);
  return twice > d || (twice === d && low % 2n !== 0n) ? low + 1n : low;
}

/** Units to the nearest Q16.16 number, ties to even. */
export function qNear(value) {
  const [n, d] = fractionOf("qNear", value);
  return within("qNear", value, nearest(n * 65536n, d));
}

/** Degrees to the nearest yaw, 0..65535. 180 is 32768, also as a sector's half angle. */
export function degrees(value) {
  const [n, d] = fractionOf("degrees", value);
  return Number(nearest(n * 65536n, d * 360n) & 65535n);
}

/** The direction of a yaw in Q2.30: [cos, sin], along x and z. */
export function direction(yaw) {
  kernel.fxs_direction(yawIn("yaw", yaw), scratch, scratch + 4);
  return [memory.i32[scratch / 4], memory.i32[scratch / 4 + 1]];
}

const DISTANCE_MAX = 4294967295n;
const distance = (name, value) => wide(name, value, -DISTANCE_MAX, DISTANCE_MAX);

/** The yaw that faces (dx, dz). */
export function yawOf(dx, dz) {
  return kernel.fxs_yaw_of(distance("dx", dx), distance("dz", dz));
}

/** floor(sqrt(dx² + dy² + dz²)): below 2^33. */
export function length(dx, dy, dz) {
  return Number(kernel.fxs_length(distance("dx", dx), distance("dy", dy), distance("dz", dz)));
}

/** The shorter turn from one yaw to another, -32768..32767. */
export function yawBetween(from, to) {
  return kernel.fxs_yaw_between(yawIn("from", from), yawIn("to", to));
}

/** Whether (dx, dz) lies within half_angle steps of a yaw. */
export function faces(yaw, halfAngle, dx, dz) {
  const half = integer("halfAngle", halfAngle, 1, FXS_HALF_ANGLE_MAX);
  return kernel.fxs_faces(yawIn("yaw", yaw), half, distance("dx", dx), distance("dz", dz)) === 1;
}

/** A length in the direction of a yaw: [x, z]. */
export function forward(yaw, howFar) {
  const status = kernel.fxs_forward(
    yawIn("yaw", yaw),
    int32("length", howFar),
    scratch,
    scratch + 4,
  );
  checked(status, `length ${howFar}`);
  return [memory.i32[scratch / 4], memory.i32[scratch / 4 + 1]];
}
