// Shapes, as match logs write them: ["sphere", radius]. And the calls for two of them.
import {
  ArgumentRangeError,
  ArgumentTypeError,
  int32,
  integer,
  isList,
  optionsIn,
  quoted,
  unitsIn,
  vector,
  wordIn,
  wrong,
  yawIn,
} from "./checks.js";
import { checked, kernel, memory, putWords, scratch, words3 } from "./kernel.js";
import {
  FXS_E_UNDEFINED,
  FXS_OVERLAPPING,
  FXS_SIZE_MAX,
  FXS_TOUCHING,
  fxs_pose,
  fxs_shape,
} from "./raw.js";
import { SHAPES } from "./tables.js";

// A shape's numbers in fxs_shape: code, half angle, three sizes.
export function shapeNumbers(name, shape) {
  if (!isList(shape) || typeof shape[0] !== "string") {
    throw wrong(name, '["sphere", radius] or the like', shape);
  }
  const [kind, ...values] = shape;
  const { code, sizes, least, most, hasHole } = wordIn(`${name}'s kind`, kind, SHAPES);
  if (values.length > sizes.length || values.length < sizes.length - hasHole) {
    throw new ArgumentTypeError(
      `a ${kind} has ${sizes.join(", ")}, not ${values.length} numbers: ${quoted(values)}`,
    );
  }
  const numbers = [code, 0, 0, 0, 0];
  let next = 2;
  for (let i = 0; i < values.length; i++) {
    const isHole = hasHole && i === sizes.length - 1;
    const [low, high] = isHole ? [1, values[0] - 1] : [least[i], most[i]];
    if (sizes[i] === "half_angle") numbers[1] = integer(sizes[i], values[i], low, high);
    else numbers[next++] = unitsIn(sizes[i], values[i], low, high);
  }
  return numbers;
}

// A shape, checked: makers.js has a function for each kind.
export function made(...shape) {
  shapeNumbers("shape", shape);
  return Object.freeze(shape);
}

// fxs_shape.
export const putShape = (at, shape, name = "shape") => putWords(at, shapeNumbers(name, shape));

// fxs_pose.
export function putPose(at, pose, name = "pose") {
  if (typeof pose !== "object" || pose === null || isList(pose)) {
    throw wrong(name, "{ x, y, z, yaw }", pose);
  }
  const { x, y, z, yaw = 0 } = pose;
  // A yaw of another name would be ignored.
  const odd = pose.yaw === undefined && Object.keys(pose).find((key) => !/^([xyz]|yaw)$/.test(key));
  if (odd) throw wrong(`a key of ${name} without yaw`, "x, y or z", odd);
  putWords(at, [
    int32(`${name}.x`, x),
    int32(`${name}.y`, y),
    int32(`${name}.z`, z),
    yawIn(`${name}.yaw`, yaw),
  ]);
}

export const hitWhenIn = (value) => integer("hitWhen", value, FXS_TOUCHING, FXS_OVERLAPPING);
export const motionIn = (name, motion) => vector(name, motion, -FXS_SIZE_MAX, FXS_SIZE_MAX);

/** Both shapes and poses in the scratch memory; the addresses of a call. */
export function putPair(shapeA, poseA, shapeB, poseB) {
  const a = scratch;
  const b = a + fxs_shape.$size + fxs_pose.$size;
  putShape(a, shapeA, "shapeA");
  putPose(a + fxs_shape.$size, poseA, "poseA");
  putShape(b, shapeB, "shapeB");
  putPose(b + fxs_shape.$size, poseB, "poseB");
  return [a, a + fxs_shape.$size, b, b + fxs_shape.$size];
}

/** The status of a call, or an error that names the first shape that it is not defined for. can:
 * "canPush" or "canCast". shapes: by name; a solid has its own kind. */
export function defined(status, what, can, shapes) {
  if (status !== FXS_E_UNDEFINED) return checked(status, what);
  const named = Object.entries(shapes);
  const found = named.find(([, [kind]]) => SHAPES[kind]?.[can] === false);
  const [name, [kind]] = found ?? named.at(-1);
  const kinds = found ? Object.keys(SHAPES).filter((one) => SHAPES[one][can]) : ["box"];
  const allowed = kinds.join(", ").replace(/, (\w+)$/, " or $1");
  const why = can === "canCast" ? "cast" : "pushed";
  const error = new ArgumentRangeError(
    `${name} must be a ${allowed}, not a ${kind}${found ? `, which cannot be ${why}` : ""}`,
  );
  error.status = status;
  throw error;
}

const AT_ANSWER = 128; // in the scratch memory, behind a pair and two motions
const AT_MOTIONS = 96;

/** The contact of two shapes: 0 apart, 1 touching, 2 overlapping. */
export const overlap = (shapeA, poseA, shapeB, poseB) =>
  checked(kernel.fxs_overlap(...putPair(shapeA, poseA, shapeB, poseB)), "overlap");

/** The shortest planar translation that moves a out of b: [x, z]. */
export function pushOut(shapeA, poseA, shapeB, poseB) {
  const at = scratch + AT_ANSWER;
  const status = kernel.fxs_push_out(...putPair(shapeA, poseA, shapeB, poseB), at);
  defined(status, "pushOut", "canPush", { shapeA, shapeB });
  return [memory.i32[at / 4], memory.i32[at / 4 + 1]];
}

/** The shortest vertical translation that moves a out of b. */
export function lift(shapeA, poseA, shapeB, poseB) {
  const at = scratch + AT_ANSWER;
  const status = kernel.fxs_lift(...putPair(shapeA, poseA, shapeB, poseB), at);
  defined(status, "lift", "canPush", { shapeA, shapeB });
  return memory.i32[at / 4];
}

/** The face of the box b that pushOut moves a out of: FXS_SIDE_NONE to FXS_SIDE_NEG_Z. */
export function side(shapeA, poseA, shapeB, poseB) {
  const status = kernel.fxs_side(...putPair(shapeA, poseA, shapeB, poseB));
  return defined(status, "side", "canPush", { shapeA, shapeB });
}

/** When two moving shapes first meet: { fraction, normal }, or null. */
export function castPair(shapeA, poseA, motionA, shapeB, poseB, motionB, options) {
  const { hitWhen = FXS_TOUCHING } = optionsIn(options, "hitWhen");
  const [a, atA, b, atB] = putPair(shapeA, poseA, shapeB, poseB);
  const [moveA, moveB, at] = [scratch + AT_MOTIONS, scratch + AT_MOTIONS + 12, scratch + AT_ANSWER];
  putWords(moveA, motionIn("motionA", motionA));
  putWords(moveB, motionIn("motionB", motionB));
  const status = kernel.fxs_cast_pair(a, atA, moveA, b, atB, moveB, hitWhenIn(hitWhen), at, at + 4);
  if (defined(status, "castPair", "canCast", { shapeA, shapeB }) === 0) return null;
  return { fraction: memory.i32[at / 4], normal: words3(at + 4) };
}
