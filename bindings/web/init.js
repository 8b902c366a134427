// Finds fixsync.wasm beside this file, in browsers, workers, Node and bundlers.
import { ArgumentRangeError, quoted, wrong } from "./checks.js";
import { start } from "./kernel.js";

// A script that is no module, such as a bundle for <script> or require, has no import.meta.
function beside() {
  try {
    return new URL("./fixsync.wasm", import.meta.url);
  } catch {
    const known = "the address or the bytes of fixsync.wasm";
    throw new ArgumentRangeError(`source must be ${known} in a bundle that is not an ES module`);
  }
}

// Makes fixsync ready. source: nothing, or an address, bytes, a Response or a compiled module.
export async function init(source = beside()) {
  const given = await source;
  if (given instanceof WebAssembly.Module) return start(given);
  if (typeof given === "string" || given instanceof URL)
    return start(await compiled(String(given)));
  const isResponse = typeof Response !== "undefined" && given instanceof Response;
  const bytes = isResponse ? await given.arrayBuffer() : given;
  if (!(bytes instanceof ArrayBuffer) && !ArrayBuffer.isView(bytes)) {
    const known = "an address, bytes, a Response or a WebAssembly.Module";
    throw wrong("source", known, given);
  }
  try {
    return start(await WebAssembly.compile(bytes));
  } catch (error) {
    throw new ArgumentRangeError(`source is not WebAssembly: ${error.message}`);
  }
}

async function compiled(address) {
  if (globalThis.location === undefined && !URL.canParse(address)) {
    const whole = `a whole address, such as new URL(${quoted(address)}, import.meta.url)`;
    throw new ArgumentRangeError(`source must be ${whole}, not ${quoted(address)}`);
  }
  if (address.startsWith("file:") && globalThis.process?.versions?.node) {
    const files = "node:fs/promises"; // a name that no bundler follows
    const { readFile } = await import(/* @vite-ignore */ /* webpackIgnore: true */ files);
    return WebAssembly.compile(await readFile(new URL(address)));
  }
  const response = await fetch(address).catch((error) => {
    throw new Error(`${quoted(address)} cannot be read: ${error.message}`);
  });
  if (!response.ok) throw new Error(`${address}: ${response.status} ${response.statusText}`);
  return WebAssembly.compile(await response.arrayBuffer());
}
