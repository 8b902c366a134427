// Writes the package's tables of shapes and commands, its constants and structures, and the number
// of the answers of its module, as JSON.
import { readFileSync } from "node:fs";
import { kernel, start } from "../../bindings/web/kernel.js";
import * as raw from "../../bindings/web/raw.js";
import { COMMANDS, SHAPES } from "../../bindings/web/tables.js";

const written = (_, value) => (typeof value === "bigint" ? String(value) : value);
await start(readFileSync(new URL("../../bindings/web/fixsync.wasm", import.meta.url)));
const semantics = kernel.fxs_semantics();
process.stdout.write(JSON.stringify({ COMMANDS, SHAPES, raw, semantics }, written));
