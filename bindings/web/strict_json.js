// A line of JSON, read strictly, and its check against a schema. An error names the path of the
// first wrong value, the value, and what is allowed.

/** An error in a line: the path of the value ("" for the line as a whole) and why. */
export class LineError extends Error {
  constructor(path, reason) {
    super(reason);
    this.path = path;
  }
}

// The text of a number that no log has: 1.0, 1e5, NaN, -0.
class OddNumber {
  constructor(text) {
    this.text = text;
  }
}

// An object in which `key` is duplicate.
class RepeatedKey {
  constructor(key) {
    this.key = key;
  }
}

const NESTED_MAX = 64;
const TOO_DEEP = `lists or objects nested deeper than ${NESTED_MAX}`;
const NUMBER = /-?(?:(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|Infinity)|NaN/y;
const WORD = /true|false|null/y;

class Parser {
  #at = 0;
  #text;

  constructor(text) {
    this.#text = text;
  }

  whole() {
    const value = this.#value(0);
    this.#skip();
    if (this.#at < this.#text.length) this.#refuse("Extra data");
    return value;
  }

  #refuse(reason) {
    throw new LineError("", `not JSON at column ${this.#at + 1}: ${reason}`);
  }

  #skip() {
    while (this.#text[this.#at] === " " || this.#text[this.#at] === "\t") this.#at++;
  }

  // Whether this character is next; it is then read.
  #has(character) {
    this.#skip();
    if (this.#text[this.#at] !== character) return false;
    this.#at++;
    return true;
  }

  #need(character) {
    if (!this.#has(character)) this.#refuse(`Expecting '${character}' delimiter`);
  }

  // The text that a pattern finds here, or "".
  #found(pattern) {
    pattern.lastIndex = this.#at;
    const [found = ""] = pattern.exec(this.#text) ?? [];
    this.#at += found.length;
    return found;
  }

  #value(depth) {
    if (depth > NESTED_MAX + 2) throw new LineError("", TOO_DEEP);
    if (this.#has("[")) return this.#list(depth + 1);
    if (this.#has("{")) return this.#object(depth + 1);
    if (this.#has('"')) return this.#string();
    const number = this.#found(NUMBER);
    if (number) return numberOf(number);
    const word = this.#found(WORD);
    return word ? JSON.parse(word) : this.#refuse("Expecting value");
  }

  #string() {
    const text = this.#text;
    const start = this.#at - 1;
    let [end, isEscaped] = [start, true];
    while (isEscaped) {
      end = text.indexOf('"', end + 1);
      if (end < 0) this.#refuse("Unterminated string");
      let before = end;
      while (text[before - 1] === "\\") before--;
      isEscaped = (end - before) % 2 === 1;
    }
    this.#at = end + 1;
    try {
      return JSON.parse(text.slice(start, this.#at));
    } catch (error) {
      return this.#refuse(error.message);
    }
  }

  #list(depth) {
    const items = [];
    if (this.#has("]")) return items;
    do items.push(this.#value(depth));
    while (this.#has(","));
    this.#need("]");
    return items;
  }

  #object(depth) {
    const members = new Map();
    let repeated = null;
    if (this.#has("}")) return {};
    do {
      if (!this.#has('"')) this.#refuse("Expecting property name");
      const key = this.#string();
      this.#need(":");
      if (members.has(key)) repeated ??= new RepeatedKey(key);
      members.set(key, this.#value(depth));
    } while (this.#has(","));
    this.#need("}");
    return repeated ?? Object.fromEntries(members);
  }
}

// An integer that a number cannot hold is a BigInt.
function numberOf(text) {
  if (text === "-0" || !/^-?\d+$/.test(text)) return new OddNumber(text);
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : BigInt(text);
}

// The value of a line that is as JSON.stringify writes it, and so has no odd number, no key twice
// and no integer that a number cannot hold; null for any other.
function written(line) {
  if (/\d{16}/.test(line)) return null;
  try {
    const value = JSON.parse(line);
    return JSON.stringify(value) === line ? value : null;
  } catch {
    return null;
  }
}

/** The object on a line. */
export function parseLine(line) {
  if (line.startsWith("\ufeff"))
    throw new LineError("", "a byte order mark; the format is UTF-8 without one");
  if (line.includes("\r"))
    throw new LineError("", "a carriage return; a line ends with a line feed alone");
  if (/^[ \t]*$/.test(line)) throw new LineError("", "a blank line");
  if (/^[ \t]|[ \t]$/.test(line))
    throw new LineError("", "white space at the start or the end of the line");
  const value = written(line) ?? new Parser(line).whole();
  if (value instanceof RepeatedKey) throw new LineError(keyPath("", value.key), "duplicate key");
  if (kindOf(value) !== "an object")
    throw new LineError("", `expected an object, found ${lineText(value)}`);
  return value;
}

/** A parsed value without the BigInts of a parser: the digits of integers that a number cannot
 * hold. */
export function plain(value) {
  if (typeof value === "bigint") return `${value}`;
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item)]));
}

// ---- words ----

const TEXT_MAX = 60;
const escaped = (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
const ascii = (text) => JSON.stringify(text).replace(/[^ -~]/g, escaped);

// room: the characters that are shown, so that a long value ends.
function textOf(value, room) {
  if (typeof value === "string") return ascii(value.slice(0, room));
  if (value instanceof OddNumber) return value.text;
  if (value instanceof RepeatedKey) return "an object";
  if (typeof value !== "object" || value === null) return String(value);
  const isList = Array.isArray(value);
  const parts = [];
  let left = room;
  for (const [key, item] of Object.entries(value)) {
    if (left <= 0) break;
    const part = `${isList ? "" : `${ascii(key)}: `}${textOf(item, left - 1)}`;
    left -= part.length;
    parts.push(part);
  }
  return isList ? `[${parts.join(", ")}]` : `{${parts.join(", ")}}`;
}

/** A value as the line has it, short enough for a message. */
export function lineText(value) {
  const text = textOf(value, 2 * TEXT_MAX);
  return text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX - 3)}...` : text;
}

/** The path of a key of the object at `path`. A key that is not a plain word is quoted. */
export function keyPath(path, key) {
  const word = /^[A-Za-z_]\w{0,59}$/.test(key) ? key : lineText(key);
  return path ? `${path}.${word}` : word;
}

function kindOf(value) {
  if (typeof value === "bigint" || Number.isSafeInteger(value)) return "an integer";
  if (typeof value === "boolean") return "true or false";
  if (typeof value === "string") return "a string";
  if (value === null) return "null";
  if (value instanceof OddNumber || typeof value === "number") return "a number";
  return Array.isArray(value) ? "a list" : "an object";
}

// ---- schemas: { kind, check(value) } ----

const path = []; // keys and indices of the value that is checked

function refuse(reason, ...more) {
  const step = (at, key) => (typeof key === "number" ? `${at}[${key}]` : keyPath(at, key));
  throw new LineError([...path, ...more].reduce(step, ""), reason);
}

// Checks what is at a key or an index.
function visit(key, value, schemas) {
  path.push(key);
  checkOne(value, schemas);
  path.pop();
}

function checkOne(value, schemas) {
  if (path.length > NESTED_MAX + 1) throw new LineError("", TOO_DEEP);
  if (value instanceof RepeatedKey) refuse("duplicate key", value.key);
  const kind = kindOf(value);
  for (const schema of schemas) {
    if (schema.kind === kind) {
      schema.check(value);
      return;
    }
  }
  refuse(`expected ${schemas.map((one) => one.kind).join(" or ")}, found ${lineText(value)}`);
}

/** LineError about the first value, in the order of the line, that is not as one of the schemas. at:
 * the keys to the value. */
export function check(value, at, ...schemas) {
  path.splice(0, path.length, ...at);
  checkOne(value, schemas);
}

export const NULL = { kind: "null", check() {} };
export const BOOLEAN = { kind: "true or false", check() {} };
export const ANY_OBJECT = { kind: "an object", check() {} };

export const STRING = {
  kind: "a string",
  check(value) {
    if (/\p{Cs}/u.test(value)) refuse(`half of a surrogate pair in ${lineText(value)}`);
  },
};

export const integerIn = (low, high) => ({
  kind: "an integer",
  check(value) {
    if (value < low || value > high) refuse(`${lineText(value)} is not in ${low}..${high}`);
  },
});

export const listOf = (...schemas) => ({
  kind: "a list",
  check(list) {
    for (let i = 0; i < list.length; i++) visit(i, list[i], schemas);
  },
});

// Lists of named values, of which the last ones may be missing: `needed` may not. lastFault: why the
// last value does not go with those before it, or "". tag: of the first one, which has no schema.
function rowChecker(fields, { needed, lastFault } = {}, tag = null) {
  const names = [...(tag === null ? [] : [lineText(tag)]), ...Object.keys(fields)];
  const schemas = Object.values(fields).map((schema) => [schema].flat());
  const start = names.length - schemas.length;
  const [least, most] = [start + (needed ?? schemas.length), names.length];
  const count = least === most ? most : `${least}${most - least === 1 ? " or " : ".."}${most}`;
  return (list) => {
    const { length } = list;
    if (length < least || length > most)
      refuse(`expected ${count} values (${names.join(", ")}), found ${length}`);
    for (let i = start; i < length; i++) visit(i, list[i], schemas[i - start]);
    const fault = lastFault?.(list.slice(start));
    if (fault) refuse(`${names[length - 1]} ${fault}`, length - 1);
  };
}

/** A list of values with these names: { name: schemas }. */
export const rowOf = (fields) => ({ kind: "a list", check: rowChecker(fields) });

/** A list of values. */
export function tupleOf(...schemas) {
  const each = schemas.map((schema) => [schema]);
  return {
    kind: "a list",
    check(list) {
      if (list.length !== each.length)
        refuse(`expected ${each.length} values, found ${list.length}`);
      for (let i = 0; i < each.length; i++) visit(i, list[i], each[i]);
    },
  };
}

/** A list that begins with the name of one of these rows: { name: [fields, options] }. */
export function taggedOf(rows) {
  const checkers = new Map();
  for (const [tag, [fields, options]] of Object.entries(rows))
    checkers.set(tag, rowChecker(fields, options, tag));
  return {
    kind: "a list",
    check(list) {
      const known = checkers.get(list[0]);
      if (known === undefined) {
        const found = list.length === 0 ? "an empty list" : lineText(list[0]);
        refuse(`expected one of ${[...checkers.keys()].join(", ")}, found ${found}`, 0);
      }
      known(list);
    },
  };
}

/** An object of keys: { key: schemas }. A key whose name ends with "?" may be missing. */
export function objectOf(members) {
  const known = new Map();
  for (const [key, schemas] of Object.entries(members))
    known.set(key.replace("?", ""), { schemas: [schemas].flat(), isNeeded: !key.endsWith("?") });
  return {
    kind: "an object",
    check(object) {
      for (const [key, value] of Object.entries(object)) {
        if (!known.has(key))
          refuse(`an unknown key; known are ${[...known.keys()].join(", ")}`, key);
        visit(key, value, known.get(key).schemas);
      }
      for (const [key, { isNeeded }] of known)
        if (isNeeded && !Object.hasOwn(object, key)) refuse("the key is missing", key);
    },
  };
}

const PLAIN_DIGITS_MAX = 600;

/** A string, an integer, a boolean, or a list or object of these. */
export const PLAIN = [
  STRING,
  BOOLEAN,
  {
    kind: "an integer",
    check(value) {
      if (`${value}`.length > PLAIN_DIGITS_MAX) refuse(`${lineText(value)} has too many digits`);
    },
  },
  {
    kind: "a list",
    check(list) {
      for (let i = 0; i < list.length; i++) visit(i, list[i], PLAIN);
    },
  },
  {
    kind: "an object",
    check(object) {
      for (const [key, value] of Object.entries(object)) {
        visit(key, key, [STRING]);
        visit(key, value, PLAIN);
      }
    },
  },
];
