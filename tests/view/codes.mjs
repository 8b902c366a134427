// Writes what codes.js says, as JSON.
import * as codes from "../../fixsync/view/assets/codes.js";

process.stdout.write(JSON.stringify(codes));
