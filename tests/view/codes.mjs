// Writes the package's tables of shapes and commands, and its constants and structures, as JSON.
import * as raw from "../../bindings/web/raw.js";
import { COMMANDS, SHAPES } from "../../bindings/web/tables.js";

const written = (_, value) => (typeof value === "bigint" ? String(value) : value);
process.stdout.write(JSON.stringify({ COMMANDS, SHAPES, raw }, written));
