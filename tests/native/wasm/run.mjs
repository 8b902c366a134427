// Runs the golden of a WebAssembly module: node run.mjs golden.wasm LEVEL
import { readFileSync, writeSync } from "node:fs";

const [file, level] = process.argv.slice(2);
let text = "";
let memory;
const env = {
  golden_print(at, size) {
    text += String.fromCharCode(...new Uint8Array(memory.buffer, at, size));
  },
};
const { instance } = await WebAssembly.instantiate(readFileSync(file), { env });
memory = instance.exports.memory;
const bad = instance.exports.golden_run(Number(level), 0);
writeSync(1, text);
process.exit(bad);
