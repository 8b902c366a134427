// The packed package as its users get it: types, bundlers, workers, sizes.
import assert from "node:assert/strict";
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { page, ROOT, ran, served, test, WEB, WORK } from "./harness.mjs";

const APP = join(WORK, "app");
// 9,000 of them read match logs as strictly as Python does. There is room for a kind of shape or two.
const BYTES_MAX = 305_000;
const GZIPPED_MAX = 136_000;

const npm = (...args) => ran("npm", ["--no-audit", "--no-fund", "--loglevel=error", ...args]);
const tool = (name) => join(WORK, "node_modules", ".bin", name);

// A folder with the packed package installed, and files.
function project(files) {
  rmSync(APP, { recursive: true, force: true });
  mkdirSync(APP, { recursive: true });
  writeFileSync(join(APP, "package.json"), JSON.stringify({ private: true, type: "module" }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(APP, name), text);
  const [packed] = readdirSync(WORK).filter((name) => name.endsWith(".tgz"));
  npm("install", "--prefix", APP, join(WORK, packed));
}

const USE = `
import { Body, capsule, ENTER, FrameData, init, KernelArray, q, type Shape, World } from "fixsync";
import address from "fixsync/fixsync.wasm";
import { FXS_ONE, fxs_collider, type Kernel } from "fixsync/raw";

await init(new URL(address, import.meta.url));
{
  using world = new World(8, { layers: [[0, 0]] });
  const shape: Shape = capsule(q("0.375"), FXS_ONE);
  world.add(1, shape, { x: 0, y: 0, z: 0 });
  world.apply([["add", 2, ["box", 9, 9, 9], [0, 0, 0], 0, 0, 0, [0, 0, 0], true], ["move", 1, [1, 0, 0]]]);
  for (const { a, b, kind } of world.step()) if (kind === ENTER) console.log(a, b);
  const hash: bigint = world.hash();
  using ids = new KernelArray(Uint32Array, 1);
  ids.array[0] = 1;
  world.moveMany(ids, new Int32Array(3));
  const frames = FrameData.of({
    parts: { torso: { shape: ["sphere", "0.5"] }, fist: { shape: shape, active: false } },
    attacks: { jab: { frames: 9, active: { fist: [[2, 3]] } } },
  });
  const hero = new Body(world, frames, { x: 0, y: 0, z: 0 }, { ids: 3, owner: 1 });
  if (hero.canStart("jab")) world.apply(hero.start("jab"));
  const part: "torso" | "fist" | null = hero.partOf(3);
  console.log(part, hero.ids.fist, hero.attack === "jab");
  const version = (kernel: Kernel): number => kernel.fxs_version();
  console.log(hash > 0n, fxs_collider.$size, version.length);
}
`;

test("the manifest of the package has no mistake that publint knows", () => {
  const [packed] = readdirSync(WORK).filter((name) => name.endsWith(".tgz"));
  ran(tool("publint"), ["--strict", join(WORK, packed)]);
});

test("TypeScript accepts what is right, and refuses what is wrong", () => {
  const wrong = [
    'world.add(1, ["sphere"], { x: 0, y: 0, z: 0 });',
    'world.apply([["move", 1]]);',
    "const n: number = world.hash();",
    "const m: number = address;",
    "world.moveMany(new Float64Array(1), new Int32Array(3));",
    'hero.start("kick");',
    "init(5);",
    "init([1]);",
    "init(new Date());",
    'init(new Blob(["x"]));',
    'init({ address: "x" });',
    "hero.ids.foot;",
  ];
  const refusals = wrong.map((line) => `// @ts-expect-error\n${line}`).join("\n");
  project({
    "use.ts": USE,
    "wrong.ts": `import { type Body, init, type PlayedFrame, World } from "fixsync";
import address from "fixsync/fixsync.wasm";
const world = new World(4);
void init(new URL("http://x/fixsync.wasm"));
void init(new Response());
void init(new Uint8Array(4));
void init(WebAssembly.compile(new Uint8Array(4)));
export const play = (): PlayedFrame => ({ events: world.step(), commands: [["remove", 1]] });
declare const hero: Body<"torso", "jab">;
${refusals}
`,
    "tsconfig.json": JSON.stringify({
      compilerOptions: {
        ...{
          strict: true,
          noEmit: true,
          target: "esnext",
          module: "nodenext",
          lib: ["esnext", "dom", "dom.iterable"],
        },
        ...{ types: [], exactOptionalPropertyTypes: true, skipLibCheck: false },
      },
    }),
  });
  ran(tool("tsc"), ["-p", APP]);
});

test("the types need no DOM, no newer library than ES2020, and no skipLibCheck", () => {
  project({
    "bare.ts": `import { init, MatchLog, Rollback, sphere, World } from "fixsync";
import { FXS_ONE } from "fixsync/raw";
export async function steps(bytes: Uint8Array): Promise<bigint> {
  await init(bytes);
  const world = new World(8);
  world.add(1, sphere(FXS_ONE), { x: 0, y: 0, z: 0 });
  const game = { world, play: (inputs: number[]) => ({ events: world.step(), hash: BigInt(inputs.length) }) };
  const rollback = new Rollback(game, { players: 2, peers: [0, 1], predictionMax: 8, match: "round 1" });
  for (const { frame } of rollback.tick([1]).confirmed) rollback.receive(1, new Uint8Array(frame));
  const log = await MatchLog.from(bytes);
  return world.hash() + BigInt(log.frames + world.outline(1).outer.length);
}
`,
  });
  const compile = (options) => {
    const compilerOptions = {
      strict: true,
      noEmit: true,
      types: [],
      skipLibCheck: false,
      ...options,
    };
    const config = { compilerOptions, files: ["bare.ts"] };
    writeFileSync(join(APP, "tsconfig.json"), JSON.stringify(config));
    ran(tool("tsc"), ["-p", APP]);
  };
  const target = "es2020";
  for (const lib of [["es2020"], ["esnext", "dom"], ["es2022", "webworker"]]) {
    compile({ target, lib, module: "nodenext" });
    compile({ target, lib, module: "esnext", moduleResolution: "bundler" });
  }
  const typeRoots = [join(WORK, "node_modules", "@types")];
  compile({
    target,
    lib: ["es2022"],
    module: "nodenext",
    types: ["node"],
    typeRoots,
    skipLibCheck: true,
  });
});

test("the types name every export, and no other", async () => {
  project({ "names.mjs": 'console.log(JSON.stringify(Object.keys(await import("fixsync"))));' });
  const exported = JSON.parse(ran("node", [join(APP, "names.mjs")]));
  const types = ["index.d.ts", "makers.d.ts"].map((name) => readFileSync(join(WEB, name), "utf8"));
  const named = [...types.join("").matchAll(/^export (?:class|const|function) (\w+)/gm)].map(
    ([, name]) => name,
  );
  assert.deepEqual([...new Set(named)].sort(), [...exported].sort());
});

test("the packed package runs in Node", () => {
  project({
    "hit.mjs": `import { init, sphere, World } from "fixsync";
await init();
const world = new World(4);
world.add(1, sphere(65536), { x: 0, y: 0, z: 0 });
world.add(2, sphere(65536), { x: 131072, y: 0, z: 0 });
console.log(JSON.stringify([...world.step()]));`,
  });
  assert.equal(ran("node", [join(APP, "hit.mjs")]).trim(), '[{"a":1,"b":2,"kind":1,"contact":1}]');
});

test("an app built with Vite as the docs say finds its hit, on a strict page and in a worker", async () => {
  const docs = readFileSync(join(ROOT, "docs", "web.md"), "utf8");
  const [, format] = docs.match(/`(worker: \{[^`]*)`/);
  const [, policy] = docs.match(/^ {4}Content-Security-Policy: (.*)$/m);
  const hit = `import { init, sphere, World } from "fixsync";
export async function hit() {
  await init();
  const world = new World(4);
  world.add(1, sphere(65536), { x: 0, y: 0, z: 0 });
  world.add(2, sphere(65536), { x: 131072, y: 0, z: 0 });
  return JSON.stringify([...world.step()]);
}`;
  project({
    "index.html": `<!doctype html><meta http-equiv="Content-Security-Policy" content="${policy}">
<link rel="icon" href="data:,"><script type="module" src="/main.js"></script>`,
    "hit.js": hit,
    "worker.js": 'import { hit } from "./hit.js";\npostMessage(await hit());',
    "vite.config.js": `export default { ${format} };`,
    "main.js": `import { hit } from "./hit.js";
const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
const inWorker = new Promise((done) => { worker.onmessage = ({ data }) => done(data); });
document.title = await hit() + await inWorker;`,
  });
  ran(tool("vite"), ["build", APP, "--logLevel", "warn"]);
  const shown = await page();
  await shown.goto(`${await served(join(APP, "dist"))}/`);
  const expected = '[{"a":1,"b":2,"kind":1,"contact":1}]';
  await shown.waitForFunction((text) => document.title === text, expected + expected);
  assert.deepEqual(shown.trouble, []);
});

test("a bundle of esbuild finds the module in the two ways of the docs", () => {
  const docs = readFileSync(join(ROOT, "docs", "web.md"), "utf8");
  const [, copy] = docs.match(/^ {4}cp (\S+) dist\/$/m);
  const [, loaded] = docs.match(/`--loader:\.wasm=file`:\n\n((?: {4}.*\n)+)/);
  const rest = "console.log(kernel.fxs_version() > 0);";
  project({
    "plain.js": `import { init, kernel } from "fixsync";\nawait init();\n${rest}`,
    "loaded.js": `import { init, kernel } from "fixsync";\n${loaded}${rest}`,
  });
  const built = (name, ...options) =>
    ran(
      tool("esbuild"),
      [name, "--bundle", "--format=esm", "--outdir=dist", "--log-level=warning", ...options],
      { cwd: APP },
    );
  built("plain.js");
  assert.throws(() => ran("node", [join(APP, "dist", "plain.js")]), /fixsync\.wasm/);
  copyFileSync(join(APP, copy), join(APP, "dist", "fixsync.wasm"));
  assert.equal(ran("node", [join(APP, "dist", "plain.js")]), "true\n");
  rmSync(join(APP, "dist"), { recursive: true });
  built("loaded.js", "--loader:.wasm=file");
  assert.equal(ran("node", [join(APP, "dist", "loaded.js")]), "true\n");
});

test("a bundle that is no module says what init needs, and runs with it", () => {
  const { href } = pathToFileURL(join(WEB, "fixsync.wasm"));
  project({
    "hit.js": `import { init, kernel } from "fixsync";
init().catch((error) => console.log(error.name, error.message))
  .then(() => init("${href}")).then(() => console.log(kernel.fxs_version() > 0));`,
  });
  for (const format of ["iife", "cjs"]) {
    const options = ["--bundle", `--format=${format}`, `--outfile=${format}.cjs`];
    ran(tool("esbuild"), ["hit.js", ...options, "--log-level=error"], { cwd: APP });
    const words =
      "ArgumentRangeError source must be the address or the bytes of fixsync.wasm " +
      "in a bundle that is not an ES module";
    assert.equal(ran("node", [join(APP, `${format}.cjs`)]), `${words}\ntrue\n`);
  }
});

test("what a page loads of the package is below its limits", () => {
  project({
    "main.js": 'import * as fixsync from "fixsync";\nglobalThis.fixsync = fixsync;',
    "index.html": '<!doctype html><script type="module" src="/main.js"></script>',
  });
  ran(tool("vite"), ["build", APP, "--logLevel", "warn"]);
  const folder = join(APP, "dist", "assets");
  const files = readdirSync(folder).map((name) => readFileSync(join(folder, name)));
  const bytes = files.reduce((sum, { length }) => sum + length, 0);
  const gzipped = files.reduce((sum, file) => sum + gzipSync(file, { level: 9 }).length, 0);
  process.stdout.write(
    `        ${bytes} bytes, ${gzipped} gzipped, module ${statSync(join(WEB, "fixsync.wasm")).size}\n`,
  );
  assert.ok(bytes <= BYTES_MAX, `${bytes} bytes`);
  assert.ok(gzipped <= GZIPPED_MAX, `${gzipped} bytes gzipped`);
});
