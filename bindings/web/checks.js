// Checks of arguments. An error names the argument, its value and what is allowed.

/** A value of the wrong type; a number with a fraction too. */
export class ArgumentTypeError extends TypeError {
  name = "ArgumentTypeError";
}

/** A value out of range, or one that the world refuses. */
export class ArgumentRangeError extends RangeError {
  name = "ArgumentRangeError";
}

export const INT32_MIN = -2147483648;
export const INT32_MAX = 2147483647;
export const UINT32_MAX = 4294967295;
export const UINT64_MAX = 2n ** 64n - 1n;

const SHOWN_MAX = 80;

/** As much of a text as an error shows. */
export const short = (text) => (text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}…` : text);

/** A value as an error shows it. */
export const quoted = (value) => short(valueText(value, SHOWN_MAX));

// room: the characters that are shown. Each level has less of it, so a deep value ends, too.
function valueText(value, room) {
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value === "string") return JSON.stringify(value.slice(0, SHOWN_MAX));
  if (typeof value === "function") return "a function";
  if (typeof value !== "object" || value === null) return String(value);
  try {
    if (!Array.isArray(value)) {
      const kind = `${value.constructor?.name ?? "Object"}`;
      return `${/^[AEIO]/.test(kind) ? "an" : "a"} ${kind}`;
    }
    let text = "[";
    for (let i = 0; i < value.length && text.length <= room; i++)
      text += (i > 0 ? ", " : "") + valueText(value[i], room - text.length);
    return `${text}]`;
  } catch {
    return "an object"; // a Proxy or a getter of its user throws
  }
}

/** The error for a value that is of the wrong type. */
export const wrong = (name, what, value) =>
  new ArgumentTypeError(`${name} must be ${what}, not ${quoted(value)}`);

/** The bytes of a text. */
export function textIn(name, value) {
  if (typeof value !== "string") throw wrong(name, "a string", value);
  if (/\p{Surrogate}/u.test(value))
    throw new ArgumentTypeError(`${name} has half of a surrogate pair: ${quoted(value)}`);
  return new TextEncoder().encode(value);
}

/** The value, if it is an instance of the class; what: such as "a World". */
export function instance(name, Class, what, value) {
  if (!(value instanceof Class)) throw wrong(name, what, value);
  return value;
}

/** The value, if it is an integer in low..high. instead: what to write for a fraction. */
export function integer(name, value, low, high, instead = "") {
  if (!Number.isInteger(value)) {
    const hint = Number.isFinite(value) ? instead : "";
    throw new ArgumentTypeError(`${name} must be an integer, not ${quoted(value)}${hint}`);
  }
  if (value < low || value > high) {
    throw new ArgumentRangeError(`${name} must be ${low}..${high}, not ${value}`);
  }
  return value;
}

/** As `integer`, of units. */
export const unitsIn = (name, value, low, high) =>
  integer(name, value, low, high, ': write q("1.5") for 1.5 units');

export const int32 = (name, value) => unitsIn(name, value, INT32_MIN, INT32_MAX);
export const uint32 = (name, value) => integer(name, value, 0, UINT32_MAX);
export const yawIn = (name, value) => integer(name, value, 0, 65535);

/** A 64-bit number: a BigInt, or an integer that a number holds exactly. */
export function wide(name, value, low, high) {
  if (typeof value !== "bigint" && !Number.isSafeInteger(value)) {
    throw wrong(name, "a BigInt or a safe integer", value);
  }
  const number = BigInt(value);
  if (number < low || number > high)
    throw new ArgumentRangeError(`${name} must be ${low}..${high}, not ${short(`${number}`)}`);
  return number;
}

/** An object of options with these names alone: a misspelled one would be ignored, as would be all
 * of a number. */
export function optionsIn(options, names, what = "options", one = "an option") {
  if (options === undefined) return {};
  if (typeof options !== "object" || options === null || isList(options))
    throw wrong(what, `an object of ${names}`, options);
  for (const name of Object.keys(options)) {
    if (!names.split(", ").includes(name)) throw wrong(one, `one of ${names}`, name);
  }
  return options;
}

export function boolean(name, value) {
  if (typeof value !== "boolean") throw wrong(name, "true or false", value);
  return value;
}

/** Three integers: x, y and z. */
export function vector(name, value, low = INT32_MIN, high = INT32_MAX) {
  if (!isList(value) || value.length !== 3) {
    throw wrong(name, "[x, y, z]", value);
  }
  for (let axis = 0; axis < 3; axis++) unitsIn(`${name} ${"xyz"[axis]}`, value[axis], low, high);
  return value;
}

export const isList = (value) => Array.isArray(value) || ArrayBuffer.isView(value);

/** An array. what: of what. */
export function list(name, value, what = "") {
  if (!isList(value)) throw wrong(name, `an array${what}`, value);
  return value;
}

export function object(name, value) {
  if (typeof value !== "object" || value === null || isList(value))
    throw wrong(name, "an object", value);
  return value;
}

export const bytesIn = (name, value) => instance(name, Uint8Array, "a Uint8Array", value);

/** So many bytes. */
export function bytesOf(name, value, least, most) {
  const count = value instanceof Uint8Array ? value.length : -1;
  if (count >= least && count <= most) return value;
  const what = `a Uint8Array of ${least === most ? most : `${least}..${most}`} bytes`;
  if (count < 0) throw wrong(name, what, value);
  throw new ArgumentRangeError(`${name} must be ${what}, not ${count}`);
}

/** What an array, a Set or another iterable object has, as an array. */
export function itemsOf(name, value) {
  if (typeof value !== "object" || typeof value?.[Symbol.iterator] !== "function")
    throw wrong(name, "an array or a Set", value);
  return [...value];
}

/** One of the words, or an error that lists them. */
export function wordIn(name, value, words) {
  if (typeof value === "string" && Object.hasOwn(words, value)) return words[value];
  const Fault = typeof value === "string" ? ArgumentRangeError : ArgumentTypeError;
  throw new Fault(`${name} must be one of ${Object.keys(words).join(", ")}, not ${quoted(value)}`);
}
