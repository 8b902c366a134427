// A match log's text: bytes that arrive in pieces, lines, frames. Frames are parsed when they are
// asked for.

// Integers that a JavaScript number cannot hold stay as their digits, in a string.
function parseExactly(text) {
  return JSON.parse(
    text.replace(/"(?:[^"\\]|\\.)*"|-?\d{16,}/g, (part) =>
      part[0] === '"' || Number.isSafeInteger(Number(part)) ? part : `"${part}"`,
    ),
  );
}

// A hash as logs write it.
export const hex16 = (hash) => hash.toString(16).padStart(16, "0");

export function bytesOfBase64(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const bytes = new Uint8Array(
    Math.floor((text.length / 4) * 3) - (text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0),
  );
  for (let done = 0, at = 0; done < text.length; done += 1 << 20) {
    const piece = atob(text.slice(done, done + (1 << 20)));
    for (let i = 0; i < piece.length; i++) bytes[at++] = piece.charCodeAt(i);
  }
  return bytes;
}

export class LogText {
  #bytes;
  #decoder = new TextDecoder("utf-8", { fatal: true });
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

  line(number) {
    return this.#bytes.subarray(number === 0 ? 0 : this.#ends[number - 1], this.#ends[number]);
  }

  header() {
    return parseExactly(this.#decoder.decode(this.line(0)));
  }

  frame(number) {
    return JSON.parse(this.#decoder.decode(this.line(number + 1)));
  }

  // The last line, or null for a log that was cut short.
  footer() {
    return this.#lines > this.frames + 1
      ? JSON.parse(this.#decoder.decode(this.line(this.frames + 1)))
      : null;
  }

  // What the footer's SHA-256 is taken of.
  beforeFooter() {
    return this.#bytes.subarray(0, this.#ends[this.frames]);
  }

  get bytes() {
    return this.#bytes;
  }
}

export const sameBytes = (a, b) => a.length === b.length && a.every((byte, at) => byte === b[at]);

// Inflates gzipped text piece by piece.
export async function* gunzipped(bytes) {
  const reader = new Blob([bytes])
    .stream()
    .pipeThrough(new DecompressionStream("gzip"))
    .getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}
