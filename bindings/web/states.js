// Saved states as named fields, and the differences of two of them: thin over the kit.
import { ArgumentRangeError, bytesIn } from "./checks.js";
import { addressOf, checked, kernel, memory, Room, results, scratch } from "./kernel.js";
import {
  FXS_E_ROOM,
  FXS_E_STATE,
  FXS_FIELD_ACTIVE,
  FXS_FIELD_KIND,
  FXS_FIELD_LAYERS,
  FXS_FIELD_LEVEL,
  FXS_FIELD_PRESENT,
  FXS_FIELD_SINCE_LAST_STEP,
  FXS_FIELD_SIZE,
  fxs_difference,
} from "./raw.js";
import { FIELD_CODES, KINDS_BY_CODE } from "./tables.js";

const ROWS_AT_FIRST = 64;
const [AT_DIFFERENCES, AT_OFFSET] = [0, 8]; // in the scratch memory
const OWNERS = ["world", "collider", "hit", "changed"];

// Names of fields by their code: FXS_FIELD_HALF_X is half_x.
const NAMES = new Map(FIELD_CODES);
for (let i = 0; i < 3; i++) NAMES.set(FXS_FIELD_SIZE + i, `size[${i}]`);
for (let i = 0; i < 32; i++) NAMES.set(FXS_FIELD_LAYERS + i, `layers[${i}]`);

const inputs = [new Room(), new Room()];

// Calls `ask(rows, room, count, at)`, again with more room if it needs it; the rows as objects.
function rowsOf(ask) {
  let room = ROWS_AT_FIRST;
  for (;;) {
    const at = results.for(room * fxs_difference.$size);
    const status = ask(at, BigInt(room), scratch + AT_DIFFERENCES, scratch + AT_OFFSET);
    const count = memory.u32[(scratch + AT_DIFFERENCES) / 4];
    if (status === 0)
      return Array.from({ length: count }, (_, i) => rowAt(at + i * fxs_difference.$size));
    if (status === FXS_E_STATE) {
      const offset = memory.u32[(scratch + AT_OFFSET) / 4];
      throw new ArgumentRangeError(
        `not a saved state, which begins with FXS1 or FXS2: byte ${offset}`,
      );
    }
    if (status !== FXS_E_ROOM) checked(status, "states");
    room = count;
  }
}

function rowAt(at) {
  const word = (offset) => memory.u32[(at + offset) / 4];
  const [of, a, b, code] = [
    fxs_difference.of,
    fxs_difference.a,
    fxs_difference.b,
    fxs_difference.field,
  ].map(word);
  const ids = [[], [a], [a, b], [a]][of];
  const values = [0, 1].map((side) => {
    const isAbsent = word(fxs_difference.absent + 4 * side) === 1;
    return isAbsent
      ? undefined
      : shown(code, memory.view.getBigInt64(at + fxs_difference.values + 8 * side, true));
  });
  return {
    group: [OWNERS[of], ids.join(", ")].join(" ").trim(),
    code,
    field: NAMES.get(code),
    values,
  };
}

function shown(code, value) {
  if (code === FXS_FIELD_LEVEL) return BigInt.asUintN(64, value).toString(16).padStart(16, "0");
  const number = Number(value);
  if (code === FXS_FIELD_KIND) return KINDS_BY_CODE[number][0];
  if (code === FXS_FIELD_ACTIVE || code === FXS_FIELD_SINCE_LAST_STEP) return number === 1;
  return number;
}

const given = (name, state, room) => [
  addressOf(bytesIn(name, state), room),
  BigInt(state.byteLength),
];

/** Fields of a saved state: a Map from "collider 7" to an object of its fields. */
export function stateFields(state) {
  const bytes = given("state", state, inputs[0]);
  const groups = new Map();
  for (const { group, field, values } of rowsOf((...out) =>
    kernel.fxs_state_fields(...bytes, ...out),
  )) {
    if (!groups.has(group)) groups.set(group, {});
    groups.get(group)[field] = values[0];
  }
  return groups;
}

/** The differences of two saved states: { group, field, a, b }, such as "collider 7", "x" and
 * both values. */
export function stateDifferences(stateA, stateB) {
  const a = given("stateA", stateA, inputs[0]);
  const b = given("stateB", stateB, inputs[1]);
  const rows = rowsOf((...out) => kernel.fxs_state_differences(...a, ...b, ...out));
  return rows.map(({ group, code, field, values }) =>
    code === FXS_FIELD_PRESENT
      ? { group, field: "is there", a: values[0] !== undefined, b: values[1] !== undefined }
      : { group, field, a: values[0], b: values[1] },
  );
}
