// Every program of docs/web.md and of the README, and examples/duel.mjs, prints what the comments
// at its end say.
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fixsync, page, ROOT, ran, served, test, WORK } from "./harness.mjs";

const text = readFileSync(join(ROOT, "docs", "web.md"), "utf8");
const readme = readFileSync(join(ROOT, "bindings", "web", "README.md"), "utf8");
const blocks = [...(text + readme).matchAll(/^```js\n(.*?)^```$/gms)].map(([, block]) => block);
const programs = [...blocks, readFileSync(join(ROOT, "examples", "duel.mjs"), "utf8")];
const FOLDER = join(WORK, "docs");

// A folder with the packed package installed.
function project() {
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(join(FOLDER, "package.json"), '{"private":true}');
  const [packed] = readdirSync(WORK).filter((name) => name.endsWith(".tgz"));
  ran("npm", [
    "install",
    "--no-audit",
    "--no-fund",
    "--loglevel=error",
    "--prefix",
    FOLDER,
    join(WORK, packed),
  ]);
}

test("the programs of docs/web.md and the README print what they say, with the packed package", () => {
  project();
  assert.ok(programs.length > 5);
  for (const [i, program] of programs.entries()) {
    const file = join(FOLDER, `program${i}.mjs`);
    writeFileSync(file, program);
    const said = program
      .match(/(?:\n\/\/ .*)+\n$/)[0]
      .slice(1)
      .replaceAll(/^\/\/ /gm, "");
    assert.equal(ran("node", [file], { cwd: FOLDER }), said, program);
  }
  const logs = readdirSync(FOLDER).filter((name) => name.endsWith(".jsonl"));
  assert.equal(logs.length, 2);
  for (const log of logs) assert.match(fixsync("replay", join(FOLDER, log)), /^identical: /m);
});

test("the page of docs/web.md finds its hit without a bundler", async () => {
  project();
  const [, html] = text.match(/^```html\n(.*?)^```$/ms);
  writeFileSync(join(FOLDER, "index.html"), html);
  const shown = await page();
  await shown.goto(`${await served(FOLDER)}/`);
  await shown.getByText("1 and 2 hit").waitFor();
  assert.deepEqual(shown.trouble, []);
});
