export {
  approach,
  clamp,
  div,
  dot,
  hypot,
  lerp,
  mul,
  mulDiv,
  scale,
  sqrt,
  turnTowards,
  withLength,
} from "./arithmetic.js";
export { Body } from "./bodies.js";
export { ArgumentRangeError, ArgumentTypeError } from "./checks.js";
export { layerMasks } from "./commands.js";
export { Events } from "./events.js";
export { explain, explanationText } from "./explain.js";
export { FrameData } from "./frame_data.js";
export { init } from "./init.js";
export { KernelArray, kernel } from "./kernel.js";
export {
  along,
  bounce,
  carry,
  Mover,
  moveAndSlide,
  Random,
  Recorder,
  separate,
  slide,
} from "./kit.js";
export { Level } from "./level.js";
export { MatchLog, MatchLogError } from "./logs.js";
export * from "./makers.js";
export {
  degrees,
  direction,
  faces,
  forward,
  length,
  ONE,
  q,
  qNear,
  yawBetween,
  yawOf,
} from "./numbers.js";
export { outlineOf as outline } from "./outlines.js";
export { TwoPlanes } from "./planes.js";
export {
  FXS_APART as APART,
  FXS_ENTER as ENTER,
  FXS_EXIT as EXIT,
  FXS_OVERLAPPING as OVERLAPPING,
  FXS_STAY as STAY,
  FXS_TOUCHING as TOUCHING,
} from "./raw.js";
export { Replay } from "./replay.js";
export { DesyncError, Rollback } from "./rollback.js";
export { castPair, lift, overlap, pushOut, side } from "./shapes.js";
export { stateDifferences, stateFields } from "./states.js";
export { hash64, World } from "./world.js";
