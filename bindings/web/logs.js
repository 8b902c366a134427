// Match logs: their text, lines and frames.
import { bytesOfBase64, gunzipped } from "./bytes.js";
import { ArgumentRangeError, integer, wrong } from "./checks.js";
import { frameOf, headerOf, lastOf } from "./log_lines.js";
import { LineError } from "./strict_json.js";

/** A match log that is not valid, or a frame of it that cannot be played. `line` and `path` say
 * where; line 0 is the file as a whole. */
export class MatchLogError extends Error {
  name = "MatchLogError";

  constructor(line, path, reason) {
    super(line === 0 ? reason : `line ${line}${path && `, ${path}`}: ${reason}`);
    Object.assign(this, { line, path, reason });
  }
}

/** A hash as logs write it. */
export const hex16 = (hash) => hash.toString(16).padStart(16, "0");

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

// What a function reads of the bytes of a line; a MatchLogError if it cannot.
function readLine(number, bytes, read) {
  const refused = (path, reason) => new MatchLogError(number, path, reason);
  let line = "";
  try {
    line = utf8.decode(bytes);
  } catch {
    throw refused("", "it is not UTF-8");
  }
  try {
    return read(line);
  } catch (error) {
    if (error instanceof LineError || error instanceof SyntaxError)
      throw refused(error.path ?? "", error.message);
    throw error;
  }
}

/** A log's text: bytes that arrive in pieces, lines, frames. Frames are parsed when they are asked
 * for. */
export class LogText {
  #bytes;
  #ends; // offset behind the line feed of each line
  #lines = 0;
  #filled = 0;

  // bytes: how long the whole text is; frames: how many frames it holds.
  constructor(bytes, frames) {
    this.#bytes = new Uint8Array(bytes);
    this.#ends = new Float64Array(frames + 2);
    this.frames = frames;
  }

  add(piece) {
    this.#bytes.set(piece, this.#filled);
    for (let at = piece.indexOf(10); at >= 0; at = piece.indexOf(10, at + 1)) {
      this.#ends[this.#lines++] = this.#filled + at + 1;
    }
    this.#filled += piece.length;
  }

  // Frames that have arrived so far.
  get arrived() {
    return Math.max(0, Math.min(this.#lines - 1, this.frames));
  }

  get isComplete() {
    return this.#filled === this.#bytes.length;
  }

  // The bytes of a line with its line feed; the header is line 0.
  line(number) {
    return this.#bytes.subarray(number === 0 ? 0 : this.#ends[number - 1], this.#ends[number]);
  }

  // What a function reads of a line, which is counted from 1 here.
  #read(number, read) {
    return readLine(number, this.line(number - 1).subarray(0, -1), read);
  }

  header() {
    return this.#read(1, headerOf);
  }

  // What a function reads of the frame with a number, the first one's being `first`.
  frame(number, first, read = JSON.parse) {
    if (this.frames === 0) throw new ArgumentRangeError("the log has no frames");
    const line = integer("frame", number, first, first + this.frames - 1) - first + 2;
    return this.#read(line, read);
  }

  // The last line, or null for a log that was cut short.
  footer() {
    const hasFooter = this.#lines > this.frames + 1;
    return hasFooter ? this.#read(this.frames + 2, (line) => lastOf(line, this.frames)) : null;
  }

  // Of the text against its last line: "same", "differs", "none" or "unknown".
  async digest() {
    const footer = this.footer();
    if (footer?.sha256 === undefined) return "none";
    if (!globalThis.crypto?.subtle) return "unknown";
    const text = this.#bytes.subarray(0, this.#ends[this.frames]);
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", text));
    const hex = Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
    return hex === footer.sha256.toLowerCase() ? "same" : "differs";
  }

  get bytes() {
    return this.#bytes;
  }
}

// ---- whole logs ----

const SIGNATURES = { xz: [0xfd, 0x37, 0x7a], bzip2: [0x42, 0x5a, 0x68], zstd: [0x28, 0xb5, 0x2f] };
const startsWith = (bytes, start) => start.every((byte, i) => bytes[i] === byte);

// The text in bytes, and why it was cut short, or "".
async function unpacked(bytes) {
  for (const [name, start] of Object.entries(SIGNATURES)) {
    if (startsWith(bytes, start))
      throw new MatchLogError(0, "", `compressed with ${name}, which is not read here: unpack it`);
  }
  if (!startsWith(bytes, [0x1f, 0x8b])) return { text: bytes, damage: "" };
  const pieces = [];
  let damage = "";
  try {
    for await (const piece of gunzipped(bytes)) pieces.push(piece);
  } catch {
    damage = "the compressed file ends early or is damaged";
  }
  return { text: new Uint8Array(await new Blob(pieces).arrayBuffer()), damage };
}

// One more than the highest id that a state or a command adds.
function idsOf({ capacity, from, level }, frames) {
  let ids = 1;
  if (from) {
    const { buffer } = bytesOfBase64(from.state);
    const words = new DataView(buffer);
    // behind the number of colliders, and before that the level's hash
    const at = level ? 152 : 144;
    const count = buffer.byteLength >= at ? words.getUint32(at - 4, true) : 0;
    for (let i = 0; i < count && at + 52 * (i + 1) <= buffer.byteLength; i++)
      ids = Math.max(ids, words.getUint32(at + 52 * i, true) + 1);
  }
  for (const [, id] of frames.matchAll(/\[\s*"add"\s*,\s*(\d+)/g))
    ids = Math.max(ids, Number(id) + 1);
  return Math.min(ids, capacity);
}

/** A match log as a file has it. Its frames are first..end - 1. */
export class MatchLog {
  /** Reads text, bytes or a Blob; gzip is unpacked. Only whole lines count. */
  static async from(source) {
    const isText = typeof source === "string" || source instanceof Blob;
    if (!isText && !(source instanceof Uint8Array) && !(source instanceof ArrayBuffer)) {
      const known = "a string, bytes or a Blob";
      throw wrong("source", known, source);
    }
    const given = new Uint8Array(await new Blob([source]).arrayBuffer());
    return new MatchLog(await unpacked(given));
  }

  constructor({ text: all, damage }) {
    const bytes = all.subarray(0, all.lastIndexOf(10) + 1);
    if (bytes.length === 0) throw new MatchLogError(0, "", "cut short: line 1 does not end");
    const text = new TextDecoder().decode(bytes);
    const body = text.slice(text.indexOf("\n"));
    const last = body.indexOf('\n{"frames"');
    const hasLast = last >= 0;
    this.frames = body.slice(0, hasLast ? last : -1).split("\n").length - 1;
    this.text = new LogText(bytes.length, this.frames);
    this.text.add(bytes);
    this.header = this.text.header();
    this.text.footer();
    const isEnd = body.indexOf("\n", last + 1) === body.length - 1 && bytes.length === all.length;
    if (hasLast && !isEnd) throw new MatchLogError(this.frames + 3, "", "text after the last line");
    this.cut = damage || (hasLast ? "" : "it has no last line");
    this.first = this.header.from?.frame ?? 0;
    this.end = this.first + this.frames;
    this.ids = idsOf(this.header, body);
  }

  /** The line of a frame, parsed and checked. */
  frame(number) {
    const isSim = this.header.sim !== null;
    return this.text.frame(number, this.first, (line) => frameOf(line, number >>> 0, isSim));
  }

  /** Whether the text is the one whose SHA-256 the last line has: "same", "differs", "none", or
   * "unknown" where SHA-256 cannot be computed. */
  digest() {
    return this.text.digest();
  }
}
