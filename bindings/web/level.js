// A level: the static geometry of a map, which any number of worlds share.
import {
  ArgumentRangeError,
  bytesIn,
  int32,
  integer,
  isList,
  list,
  optionsIn,
  UINT32_MAX,
  unitsIn,
  wrong,
} from "./checks.js";
import { named } from "./commands.js";
import { checked, Holder, kernel, memory, Room, results, scratch } from "./kernel.js";
import { outlined } from "./outlines.js";
import { hitsAnswered, idsAnswered, putCast, putQuery } from "./questions.js";
import {
  FXS_CYLINDER,
  FXS_OK,
  FXS_OUTLINE_SEGMENTS,
  FXS_PRISM,
  FXS_SIZE_MAX,
  FXS_TOUCHING,
  fxs_query,
} from "./raw.js";
import { hitWhenIn } from "./shapes.js";

const CODES = { cylinder: FXS_CYLINDER, prism: FXS_PRISM };
const VERTICES_MAX = 32;
const NO_PRISM =
  "vertices must be counterclockwise (as yaw turns, +X to +Z), strictly convex, " +
  "and span at most 1073741822";

export class Level extends Holder {
  #block; // the fxs_level

  /** The level of bytes as `toBytes` gives them. */
  constructor(data) {
    const block = new Room();
    super([block]);
    this.#block = block;
    bytesIn("data", data);
    const size = BigInt(data.length);
    const from = results.for(data.length);
    memory.u8.set(data, from);
    const at = block.for(Number(kernel.fxs_level_size(from, size)));
    if (kernel.fxs_level_init(at, from, size, scratch) !== FXS_OK) {
      block.free();
      throw new ArgumentRangeError(`not a level: byte ${memory.u32[scratch / 4]} breaks a rule`);
    }
  }

  /** The level of solids as match logs write them: ["prism", layer, y_low, y_high, [[x, z], ...]]
   * and ["cylinder", layer, y_low, y_high, [x, z], radius]. */
  static of(solids) {
    list("solids", solids);
    const rows = Array.from(solids, (row, i) => {
      try {
        return solidWords(row);
      } catch (error) {
        throw named(error, i, "solids");
      }
    });
    try {
      return levelOf(rows);
    } catch (error) {
      throw badSolid(rows) ?? error;
    }
  }

  /** Where it stands in the kernel's memory. */
  get address() {
    return this.#block.live("level is");
  }

  /** How many solids it has. */
  get size() {
    return kernel.fxs_level_count(this.address) >>> 0;
  }

  /** XXH64 of its bytes, as an unsigned BigInt. */
  hash() {
    return BigInt.asUintN(64, kernel.fxs_level_hash(this.address));
  }

  toBytes() {
    const size = Number(kernel.fxs_level_save_size(this.address));
    const at = results.for(size);
    kernel.fxs_level_save(this.address, at);
    return memory.u8.slice(at, at + size);
  }

  #index(index) {
    if (this.size === 0) throw new ArgumentRangeError("the level has no solids");
    return integer("index", index, 0, this.size - 1);
  }

  /** The outline of the solid of an index, for drawing: { outer, hole, yLow, yHigh }. */
  outline(index, options) {
    const { segments = FXS_OUTLINE_SEGMENTS } = optionsIn(options, "segments");
    const [{ address }, one] = [this, this.#index(index)];
    return outlined(`index ${index}`, segments, (...out) =>
      kernel.fxs_level_outline(address, one, ...out),
    );
  }

  /** The contact of a shape with the solid of an index: 0 apart, 1 touching, 2 overlapping. */
  contact(index, shape, pose) {
    const { address } = this;
    this.#index(index);
    const at = putQuery(shape, pose);
    const status = kernel.fxs_level_contact(
      address,
      index,
      at + fxs_query.shape,
      at + fxs_query.pose,
    );
    return checked(status, `index ${index}`);
  }

  /** The ids of the solids that a shape meets, ascending: FXS_LEVEL + index. */
  query(shape, pose, mask = UINT32_MAX, options) {
    const { hitWhen = FXS_TOUCHING } = optionsIn(options, "hitWhen");
    const { address } = this;
    const query = putQuery(shape, pose, mask);
    const when = hitWhenIn(hitWhen);
    return idsAnswered("query", (ids, room, count) =>
      kernel.fxs_level_query(address, query, when, ids, room, count),
    );
  }

  /** The solids that a shape that moves straight meets, by (fraction, distance, id):
   * { id, fraction, normal }. */
  cast(shape, pose, motion, mask = UINT32_MAX, options) {
    const { limit = 0, hitWhen = FXS_TOUCHING } = optionsIn(options, "limit, hitWhen");
    const { address } = this;
    const cast = putCast(shape, pose, motion, mask, { limit, hitWhen });
    return hitsAnswered(
      "cast",
      (hits, room, count) => kernel.fxs_level_cast(address, cast, hits, room, count),
      () => ({ shape }),
    );
  }
}

function levelOf(rows) {
  const words = [0x314c5846, rows.length, ...rows.flat()];
  return new Level(new Uint8Array(Int32Array.from(words).buffer));
}

// The error about the first solid of these that no level has, or null.
function badSolid(rows) {
  for (const [i, row] of rows.entries()) {
    try {
      levelOf([row]).dispose();
    } catch {
      const [, low, high] = row;
      const reason = low < high ? NO_PRISM : `y_high must be above y_low ${low}, not ${high}`;
      return named(new ArgumentRangeError(reason), i, "solids");
    }
  }
  return null;
}

// The bytes of a solid as 32-bit words.
function solidWords(row) {
  if (!isList(row) || typeof row[0] !== "string" || !Object.hasOwn(CODES, row[0]))
    throw wrong("row", "a solid", row);
  const [kind, layer, low, high, place, radius] = row;
  const points = kind === "prism" ? list("vertices", place) : [place];
  const numbers = Array.from(points).flatMap((point) => {
    const [x, z] = list("a point", point, " [x, z]");
    return [int32("x", x), int32("z", z)];
  });
  if (kind === "cylinder") numbers.push(unitsIn("radius", radius, 1, FXS_SIZE_MAX));
  else integer("number of vertices", points.length, 3, VERTICES_MAX);
  const count = kind === "prism" ? points.length : 0;
  const head = CODES[kind] | (integer("layer", layer, 0, 31) << 8) | (count << 16);
  return [head, int32("y_low", low), int32("y_high", high), ...numbers];
}
