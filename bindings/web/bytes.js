// Bytes in base64 and in gzip.

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

/** Inflates gzipped bytes piece by piece. */
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

/** All that gzipped bytes hold, as a Blob. */
export async function inflated(bytes) {
  const pieces = [];
  for await (const piece of gunzipped(bytes)) pieces.push(piece);
  return new Blob(pieces);
}
