// Loads a side module as the engine's loader does, and calls its entry: it must find each function of
// the engine that it asks for, and refuse an engine that lacks one.
import { readFileSync } from "node:fs";

const [path, isShared] = [process.argv[2], process.argv[3] === "threads"];
const module = new WebAssembly.Module(readFileSync(path));
const memory = new WebAssembly.Memory({ initial: 256, maximum: 1024, shared: isShared });
const table = new WebAssembly.Table({ initial: 4096, element: "anyfunc" });
const env = {
  memory,
  __indirect_function_table: table,
  __stack_pointer: new WebAssembly.Global({ value: "i32", mutable: true }, 1 << 20),
  __memory_base: new WebAssembly.Global({ value: "i32", mutable: false }, 2 << 20),
  __table_base: new WebAssembly.Global({ value: "i32", mutable: false }, 16),
};
for (const { module: from, name } of WebAssembly.Module.imports(module)) {
  if (from === "env" && !(name in env)) {
    throw new Error(`it imports ${name}`);
  }
}
// A function (i32) -> i32 for the table, which only a WebAssembly module can make.
const bytes = [0, 97, 115, 109, 1, 0, 0, 0, 1, 6, 1, 96, 1, 127, 1, 127, 2, 7, 1, 1, 97, 1, 98, 0, 0, 7, 5, 1];
bytes.push(1, 99, 0, 0);
const wrapped = (call) =>
  new WebAssembly.Instance(new WebAssembly.Module(new Uint8Array(bytes)), { a: { b: call } }).exports.c;

const { exports } = new WebAssembly.Instance(module, { env });
exports.__wasm_apply_data_relocs?.();
const asked = [];
const nameAt = (at) => {
  const text = [];
  for (const view = new Uint8Array(memory.buffer); view[at] !== 0; at++) {
    text.push(view[at]);
  }
  return String.fromCharCode(...text);
};
let missing = "";
const find = wrapped((at) => {
  asked.push(nameAt(at));
  return asked.at(-1) === missing ? 0 : 8;
});
table.set(8, find);
const enter = () => exports.fixsync_godot_init(8, 0, 3 << 20);
if (enter() !== 1 || new Uint32Array(memory.buffer)[(3 << 20) / 4] !== 2) {
  throw new Error("the entry refuses an engine that has all");
}
missing = asked[3];
if (enter() !== 0) {
  throw new Error(`the entry takes an engine without ${missing}`);
}
console.log(`${asked.length - 4} functions found`);
