// Writes the package's tables of shapes and commands, and its constants and structures, as JSON.
import * as raw from "../../bindings/web/raw.js";
import { COMMANDS, SHAPES } from "../../bindings/web/tables.js";

process.stdout.write(JSON.stringify({ COMMANDS, SHAPES, raw }));
