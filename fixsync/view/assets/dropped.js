// Match logs that are dropped onto an empty page, or chosen in it: their bytes to what a page holds
// of a log.
import { gunzipped } from "./matchlog.js";

const SIGNATURES = { xz: [0xfd, 0x37, 0x7a], bzip2: [0x42, 0x5a, 0x68], zstd: [0x28, 0xb5, 0x2f] };

const startsWith = (bytes, start) => start.every((byte, i) => bytes[i] === byte);

// The text of a file, and why it was cut short, or "".
async function textOf(bytes) {
  for (const [name, start] of Object.entries(SIGNATURES)) {
    if (startsWith(bytes, start))
      throw new Error(`compressed with ${name}, which browsers cannot read: unpack it first`);
  }
  if (!startsWith(bytes, [0x1f, 0x8b])) return { pieces: [bytes], cut: "" };
  const pieces = [];
  let cut = "";
  try {
    for await (const piece of gunzipped(bytes)) pieces.push(piece);
  } catch {
    cut = "the compressed file ends early or is damaged";
  }
  return { pieces, cut };
}

const isCount = (value, most) => Number.isSafeInteger(value) && value >= 0 && value <= most;

function checkedHeader(line) {
  let header = null;
  try {
    header = JSON.parse(line);
  } catch {
    throw new Error("line 1 is not JSON");
  }
  if (header?.format !== "fixsync-match")
    throw new Error('line 1 does not begin with {"format":"fixsync-match"');
  if (header.version !== 1)
    throw new Error(`version must be 1, not ${JSON.stringify(header.version)}`);
  if (!isCount(header.capacity, 2 ** 31) || header.capacity === 0)
    throw new Error(`capacity must be 1..2147483648, not ${JSON.stringify(header.capacity)}`);
  if (header.from && !isCount(header.from.frame, 2 ** 32 - 1))
    throw new Error("from.frame must be 0..4294967295");
  if (header.sim !== null)
    throw new Error(
      `it has the inputs of the simulation ${JSON.stringify(header.sim)}, which runs outside of ` +
        "browsers: use fixsync view",
    );
  return header;
}

// One more than the highest id that a state or a command adds.
function idsOf(header, frames) {
  let ids = 1;
  if (header.from) {
    const bytes = Uint8Array.from(atob(header.from.state), (char) => char.charCodeAt(0));
    const words = new DataView(bytes.buffer);
    // behind the number of colliders, and before that the level's hash
    const at = header.level ? 152 : 144;
    const count = bytes.length >= at ? words.getUint32(at - 4, true) : 0;
    for (let i = 0; i < count && at + 52 * (i + 1) <= bytes.length; i++)
      ids = Math.max(ids, words.getUint32(at + 52 * i, true) + 1);
  }
  for (const [, id] of frames.matchAll(/\[\s*"add"\s*,\s*(\d+)/g))
    ids = Math.max(ids, Number(id) + 1);
  return Math.min(ids, header.capacity);
}

async function compressed(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

function base64Of(bytes) {
  let text = "";
  for (let at = 0; at < bytes.length; at += 1 << 15)
    text += String.fromCharCode(...bytes.subarray(at, at + (1 << 15)));
  return btoa(text);
}

// A file as a page holds a log; an Error with the reason if it is not a log. Only whole lines
// count.
export async function logOf(file) {
  const { pieces, cut: damage } = await textOf(new Uint8Array(await file.arrayBuffer()));
  const all = new Uint8Array(await new Blob(pieces).arrayBuffer());
  const bytes = all.subarray(0, all.lastIndexOf(10) + 1);
  if (bytes.length === 0) throw new Error("cut short: line 1 does not end");
  const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  const end = text.indexOf("\n") + 1;
  const header = checkedHeader(text.slice(0, end));
  const body = text.slice(end);
  const lines = body.split("\n").length - 1;
  const hasFooter = /^\{"frames"/.test(body.slice(body.lastIndexOf("\n", body.length - 2) + 1));
  const isWhole = hasFooter && bytes.length === all.length;
  return {
    name: file.name,
    sim: null,
    first: header.from?.frame ?? 0,
    frames: lines - (hasFooter ? 1 : 0),
    ids: idsOf(header, body),
    bytes: bytes.length,
    cut: damage || (isWhole ? "" : "it has no last line"),
    hashes: null,
    original: null,
    game: null,
    data: base64Of(await compressed(bytes)),
  };
}

// Shows the place to drop logs on, and calls open(logs) with one or two of them.
export function awaitLogs(place, input, failure, open) {
  const read = async (files) => {
    failure.hidden = true;
    const logs = [];
    try {
      if (files.length > 2) throw new Error(`one log or two, not ${files.length}`);
      for (const file of files) {
        logs.push(
          await logOf(file).catch((error) => {
            throw new Error(`${file.name}: ${error.message}`);
          }),
        );
      }
    } catch (error) {
      failure.textContent = error.message;
      failure.hidden = false;
      return;
    }
    if (logs.length === 0) return;
    place.hidden = true;
    document.removeEventListener("dragover", onDragOver);
    document.removeEventListener("drop", onDrop);
    open(logs);
  };
  const onDragOver = (event) => {
    event.preventDefault();
    place.classList.add("over");
  };
  const onDrop = (event) => {
    event.preventDefault();
    place.classList.remove("over");
    read([...event.dataTransfer.files]);
  };
  place.hidden = false;
  document.addEventListener("dragover", onDragOver);
  document.addEventListener("dragleave", () => place.classList.remove("over"));
  document.addEventListener("drop", onDrop);
  input.onchange = () => read([...input.files]);
}
