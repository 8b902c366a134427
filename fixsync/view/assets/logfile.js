// Files of match logs as a page holds a log.
import { MatchLog } from "../../../bindings/web/logs.js";

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

// A file as a page holds a log; an Error with the place and the reason if it is not a valid log.
export async function logOf(file) {
  const log = await MatchLog.from(file);
  const { header, first, frames, ids, cut, text } = log;
  if (header.sim !== null) {
    const name = JSON.stringify(header.sim);
    throw new Error(
      `it has the inputs of the simulation ${name}, which runs outside of browsers: use fixsync view`,
    );
  }
  for (let frame = first; frame < log.end; frame++) log.frame(frame);
  return {
    name: file.name,
    sim: null,
    first,
    frames,
    ids,
    bytes: text.bytes.length,
    cut,
    hashes: null,
    original: null,
    game: null,
    data: base64Of(await compressed(text.bytes)),
  };
}
