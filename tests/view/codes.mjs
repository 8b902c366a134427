// Writes the package's tables of shapes and commands, and its constants and structures, as JSON.
import { COMMANDS } from "../../bindings/web/commands.js";
import { SHAPES } from "../../bindings/web/kinds.js";
import * as raw from "../../bindings/web/raw.js";

process.stdout.write(JSON.stringify({ COMMANDS, SHAPES, raw }));
