// The kernel's outlines, for drawing: of shapes, colliders and solids.
import { integer, optionsIn } from "./checks.js";
import { checked, kernel, memory, results, scratch } from "./kernel.js";
import {
  FXS_E_ROOM,
  FXS_OUTLINE_SEGMENTS,
  FXS_TURN,
  fxs_extent,
  fxs_shape,
  fxs_vertex,
} from "./raw.js";
import { putPose, putShape } from "./shapes.js";

const AT_EXTENT = 128; // in the scratch memory, behind a shape and a pose

/** The outline that `ask(segments, vertices, room, extent)` writes, as an object. */
export function outlined(what, segments, ask) {
  const pieces = integer("segments", segments, 3, FXS_TURN);
  const extent = scratch + AT_EXTENT;
  const { $size } = fxs_vertex;
  let room = pieces + 4;
  let at = results.for(room * $size);
  let status = ask(pieces, at, BigInt(room), extent);
  const counts = () => [fxs_extent.outer, fxs_extent.hole].map((n) => memory.u32[(extent + n) / 4]);
  if (status === FXS_E_ROOM) {
    const [outer, hole] = counts();
    room = outer + hole;
    at = results.for(room * $size);
    status = ask(pieces, at, BigInt(room), extent);
  }
  checked(status, what);
  const long = (place) => Number(memory.view.getBigInt64(place, true));
  const points = (from, count) =>
    Array.from({ length: count }, (_, i) => {
      const vertex = at + (from + i) * $size;
      return [long(vertex + fxs_vertex.x), long(vertex + fxs_vertex.z)];
    });
  const [outer, hole] = counts();
  return {
    outer: points(0, outer),
    hole: points(outer, hole),
    yLow: long(extent + fxs_extent.y_low),
    yHigh: long(extent + fxs_extent.y_high),
  };
}

/** The outline of a shape, for drawing: its vertices seen from above, and its heights. */
export function outlineOf(shape, pose, options) {
  const { segments = FXS_OUTLINE_SEGMENTS } = optionsIn(options, "segments");
  putShape(scratch, shape);
  putPose(scratch + fxs_shape.$size, pose);
  return outlined("outline", segments, (...out) =>
    kernel.fxs_outline(scratch, scratch + fxs_shape.$size, ...out),
  );
}
