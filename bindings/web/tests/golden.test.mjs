// The golden of the C kernel (tests/native/golden.c), linked against the very module that the
// package ships.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { page, ROOT, ran, served, test, WEB, WORK } from "./harness.mjs";

const NATIVE = join(ROOT, "tests", "native");
const LEVEL = "1";

const expected = readFileSync(join(NATIVE, "golden.txt"), "ascii")
  .split(/(?<=\n)/)
  .filter((line) => line[0] <= LEVEL)
  .join("");

// The golden alone: the functions that it tests are those of the package, in whose memory it works.
function compiled() {
  const out = join(WORK, "golden.wasm");
  const link = [
    "--no-entry",
    "--import-memory",
    "--allow-undefined",
    "--export=golden_run",
    "--global-base=4194304",
  ];
  ran(process.env.FIXSYNC_WASM_CC ?? "clang-19", [
    ...["--target=wasm32", "-std=c11", "-O2", "-ffreestanding", "-nostdlib", "-mbulk-memory"],
    ...[join(WEB, "libc"), join(ROOT, "csrc"), NATIVE].map((folder) => `-I${folder}`),
    ...[join(NATIVE, "golden.c"), join(WEB, "libc", "string.c")],
    ...[...link, "-z,stack-size=1048576"].map((option) => `-Wl,${option}`),
    ...["-o", out],
  ]);
  return readFileSync(out);
}

// Runs in Node and in the browser: what the golden prints with the package's module.
async function printed(module, bytes, level) {
  const made = await WebAssembly.instantiate(module);
  const functions = made.instance.exports;
  functions.memory.grow(1024);
  let text = "";
  const print = (at, size) => {
    text += String.fromCharCode(...new Uint8Array(functions.memory.buffer, at, size));
  };
  const { instance } = await WebAssembly.instantiate(bytes, {
    env: { ...functions, golden_print: print },
  });
  instance.exports.golden_run(level, 0);
  return text;
}

test("the golden of the module in Node is that of the kernel in C", async () => {
  assert.ok(expected.split("\n").length > 50);
  assert.equal(
    await printed(readFileSync(join(WEB, "fixsync.wasm")), compiled(), Number(LEVEL)),
    expected,
  );
});

test("the golden of the module in Chromium is that of the kernel in C", async () => {
  const inBrowser = await page();
  await inBrowser.goto(`${await served(WEB)}/blank`);
  const text = await inBrowser.evaluate(
    async ([run, base64, level]) => {
      const module = await (await fetch("/fixsync.wasm")).arrayBuffer();
      const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
      return new Function(`return ${run}`)()(module, bytes, level);
    },
    [printed.toString(), readFileSync(join(WORK, "golden.wasm")).toString("base64"), Number(LEVEL)],
  );
  assert.equal(text, expected);
  assert.deepEqual(inBrowser.trouble, []);
});
