// Runs every test of this folder, one after the other, and counts: those whose name has the
// argument in it, or all.
import { readdirSync } from "node:fs";
import { finish, tests } from "./harness.mjs";

for (const file of readdirSync(import.meta.dirname).sort()) {
  if (file.endsWith(".test.mjs")) await import(`./${file}`);
}
const chosen = tests.filter(({ name }) => name.includes(process.argv[2] ?? ""));
let failed = 0;
for (const { name, run } of chosen) {
  try {
    await run();
    process.stdout.write(`ok      ${name}\n`);
  } catch (error) {
    failed++;
    process.stdout.write(`FAILED  ${name}\n${error.stack}\n`);
  }
}
await finish();
process.stdout.write(`${chosen.length - failed} passed, ${failed} failed\n`);
process.exit(failed === 0 ? 0 : 1);
