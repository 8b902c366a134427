// The lines of a match log (docs/match-logs.md): their keys, values and ranges.
import { bytesOfBase64 } from "./bytes.js";
import { INT32_MAX, INT32_MIN, UINT32_MAX, UINT64_MAX } from "./checks.js";
import {
  FXS_CAPACITY_MAX,
  FXS_GAME_EVENT,
  FXS_LAYER_COUNT,
  FXS_LEVEL,
  FXS_SIZE_MAX,
} from "./raw.js";
import {
  ANY_OBJECT,
  BOOLEAN,
  check,
  integerIn,
  keyPath,
  LineError,
  lineText,
  listOf,
  NULL,
  objectOf,
  PLAIN,
  parseLine,
  plain,
  rowOf,
  STRING,
  taggedOf,
  tupleOf,
} from "./strict_json.js";
import { COMMANDS, SHAPES } from "./tables.js";

const INT32 = integerIn(INT32_MIN, INT32_MAX);
const UINT32 = integerIn(0, UINT32_MAX);
const POSITIVE = integerIn(1, UINT32_MAX);
const INT64 = integerIn(-(2n ** 63n), 2n ** 63n - 1n);
const layer = integerIn(0, FXS_LAYER_COUNT - 1);
const id = integerIn(0, INT32_MAX);
const yaw = integerIn(0, 65535);
const hitWhen = integerIn(1, 2);
const position = tupleOf(INT32, INT32, INT32);
const motionPart = integerIn(-FXS_SIZE_MAX, FXS_SIZE_MAX);
const layers = [listOf(tupleOf(layer, layer)), NULL];

function shapeRow({ sizes, least, most, hasHole }) {
  const isHole = (i) => hasHole && i === sizes.length - 1;
  const range = (i) => (isHole(i) ? [1, FXS_SIZE_MAX] : [least[i], most[i]]);
  const fields = Object.fromEntries(sizes.map((name, i) => [name, integerIn(...range(i))]));
  const lastFault = (values) =>
    isHole(values.length - 1) && values.at(-1) >= values[0]
      ? `must be 0..${values[0] - 1}, below the ${sizes[0]}, not ${values.at(-1)}`
      : "";
  return [fields, { needed: sizes.length - hasHole, lastFault }];
}

const rows = (table, rowFor) =>
  Object.fromEntries(Object.entries(table).map(([name, entry]) => [name, rowFor(entry)]));
const shape = taggedOf(rows(SHAPES, shapeRow));
const FIELD_SCHEMAS = { id, shape, position, yaw, layer, owner: UINT32, offset: position };
Object.assign(FIELD_SCHEMAS, { active: BOOLEAN, layers });

const area = { shape, position, yaw };
const queryFields = { ...area, mask: UINT32, exclude_owner: UINT32, hit_when: hitWhen };
const motion = tupleOf(motionPart, motionPart, motionPart);
const castFields = { ...area, motion, mask: UINT32, exclude_owner: UINT32, limit: UINT32 };
const lastFault = (values) =>
  values.length === 5 && values[4] === 0 ? "0 is not in 1..4294967295 without a hit_when" : "";
const command = taggedOf({
  ...rows(COMMANDS, ({ fields }) => [
    Object.fromEntries(fields.map((name) => [name, FIELD_SCHEMAS[name]])),
  ]),
  query: [queryFields, { needed: 4, lastFault }],
  cast: [{ ...castFields, hit_when: hitWhen }],
});

const normal = { normal_x: INT32, normal_y: INT32, normal_z: INT32 };
const castHit = rowOf({ id: UINT32, fraction: integerIn(0, 65536), ...normal });
const RESULTS = {
  "queries?": listOf(listOf(UINT32, castHit)),
  "events?": listOf(tupleOf(id, UINT32, integerIn(1, 3), integerIn(0, 2))),
  "game?": listOf(tupleOf(UINT32, UINT32, integerIn(FXS_GAME_EVENT, UINT32_MAX), INT32)),
  "hash?": STRING,
};
const TRACE_FRAME = objectOf({ frame: UINT32, commands: listOf(command), ...RESULTS });
const INPUTS = listOf(INT64, listOf(INT64));
const SIM_FRAME = objectOf({ frame: UINT32, inputs: INPUTS, ...RESULTS, "state?": STRING });
const LAST = objectOf({ frames: UINT32, "sha256?": STRING });

const slab = { layer, y_low: INT32, y_high: INT32 };
const point = tupleOf(INT32, INT32);
const solid = taggedOf({
  prism: [{ ...slab, vertices: listOf(point) }],
  cylinder: [{ ...slab, centre: point, radius: integerIn(1, FXS_SIZE_MAX) }],
});
const HEADER = objectOf({
  format: STRING,
  version: integerIn(1, 1),
  tick_rate: [POSITIVE, listOf(POSITIVE)],
  capacity: integerIn(1, FXS_CAPACITY_MAX),
  hit_when: hitWhen,
  layers,
  sim: [STRING, NULL],
  seed: integerIn(0, UINT64_MAX),
  meta: ANY_OBJECT,
  "names?": objectOf({ "layers?": ANY_OBJECT, "ids?": ANY_OBJECT, "game?": ANY_OBJECT }),
  "unit_mm?": POSITIVE,
  "z_down?": BOOLEAN,
  "level?": objectOf({ solids: listOf(solid) }),
  "from?": objectOf({ frame: UINT32, state: STRING }),
  "semantics?": POSITIVE,
  "build?": STRING,
  "data?": STRING,
});

function checkHex(object, key, digits) {
  const value = object[key];
  if (value !== undefined && (value.length !== digits || !/^[\da-f]*$/i.test(value)))
    throw new LineError(key, `expected ${digits} hexadecimal digits, found ${lineText(value)}`);
}

function checkNames(names, which, ...ranges) {
  for (const [key, name] of Object.entries(names[which] ?? {})) {
    const path = keyPath(`names.${which}`, key);
    const isKey = ([low, high]) => /^(0|[1-9]\d{0,9})$/.test(key) && low <= key && key <= high;
    if (!ranges.some(isKey)) {
      const known = ranges.map(([low, high]) => `"${low}".."${high}"`).join(" or ");
      throw new LineError(path, `expected a key in ${known}`);
    }
    check(name, ["names", which, key], STRING);
  }
}

// Of the same bytes only one text is canonical.
function checkBase64(text, path) {
  let isState = text !== "";
  try {
    bytesOfBase64(text);
    isState &&= btoa(atob(text)) === text;
  } catch {
    isState = false;
  }
  if (!isState)
    throw new LineError(path, `expected a state in base64 with padding, found ${lineText(text)}`);
}

/** The header on line 1. */
export function headerOf(line) {
  const header = parseLine(line);
  const { format, version = 1 } = header;
  const known = "fixsync-match";
  if (!Object.hasOwn(header, "format"))
    throw new LineError(
      "format",
      `the key is missing; a match log starts with {"format":"${known}"`,
    );
  if (format !== known)
    throw new LineError("format", `expected ${lineText(known)}, found ${lineText(format)}`);
  if (version !== 1) throw new LineError("version", `expected 1, found ${lineText(version)}`);
  check(header, [], HEADER);
  const { meta, names = {}, tick_rate: rate, capacity, level, from, z_down: zDown = true } = header;
  check(meta, ["meta"], ...PLAIN);
  if (Array.isArray(rate) && rate.length !== 2) {
    const reason = `expected an integer or [numerator, denominator], found ${lineText(rate)}`;
    throw new LineError("tick_rate", reason);
  }
  const solids = level?.solids.length ?? 0;
  checkNames(names, "layers", [0, FXS_LAYER_COUNT - 1]);
  checkNames(
    names,
    "ids",
    [0, capacity - 1],
    ...(solids ? [[FXS_LEVEL, FXS_LEVEL + solids - 1]] : []),
  );
  checkNames(names, "game", [FXS_GAME_EVENT, UINT32_MAX]);
  if (!zDown) throw new LineError("z_down", "expected true, or no such key, found false");
  checkHex(header, "data", 16);
  if (from) checkBase64(from.state, "from.state");
  return plain(header);
}

/** The frame on a line, whose number must be `due`. isSim: the log has inputs. */
export function frameOf(line, due, isSim) {
  const frame = parseLine(line);
  check(frame, [], isSim ? SIM_FRAME : TRACE_FRAME);
  if (frame.frame !== due) {
    const what = frame.frame > due ? "missing" : "repeated";
    throw new LineError("frame", `expected ${due}, found ${frame.frame}: a frame is ${what}`);
  }
  checkHex(frame, "hash", 16);
  checkHex(frame, "state", 16);
  return isSim ? plain(frame) : frame;
}

/** The last line of a log of so many frames. */
export function lastOf(line, frames) {
  const last = parseLine(line);
  check(last, [], LAST);
  checkHex(last, "sha256", 64);
  if (last.frames !== frames)
    throw new LineError("frames", `says ${last.frames}, but the log has ${frames}`);
  return last;
}
