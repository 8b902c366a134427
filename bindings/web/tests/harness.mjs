// What the tests share: a list of them, a browser, a server for its pages, and programs to run.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { extname, join } from "node:path";
import { SHAPES } from "../tables.js";

export const WEB = join(import.meta.dirname, "..");
export const ROOT = join(WEB, "..", "..");
export const WORK = join(WEB, ".test"); // what `test` installed, and what the tests write
const bodies = Object.keys(SHAPES).filter((name) => SHAPES[name].canPush);
export const BODIES = `${bodies.slice(0, -1).join(", ")} or ${bodies.at(-1)}`; // "a, b or c"
export const tests = [];
const ends = [];

export const test = (name, run) => tests.push({ name, run });

// Each line: a call that must be refused, " // ", and a part of the error, in which "…" is any text.
export function refuses(names, table) {
  for (const row of table.trim().split("\n")) {
    const [call, words] = row.trim().split(" // ");
    const parts = words.split("…").map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
    const act = new Function(...Object.keys(names), `return ${call};`);
    assert.throws(() => act(...Object.values(names)), new RegExp(parts.join(".*")), row);
  }
}

// Ends what tests share.
export async function finish() {
  for (const end of ends) await end();
}

// The output of a program; an error with all it said if it fails.
export function ran(program, args, options = {}) {
  try {
    return execFileSync(program, args, { encoding: "utf8", stdio: "pipe", ...options });
  } catch (error) {
    throw new Error(
      `${program} ${args.join(" ")}: ${error.stdout ?? ""}${error.stderr ?? error.message}`,
    );
  }
}

export const python = (...args) => ran(process.env.FIXSYNC_PYTHON ?? "python3", args);

// The output of a command of fixsync.
export const fixsync = (...args) =>
  python("-c", "import sys\nfrom fixsync.cli import main\nsys.exit(main())", ...args);

// ---- the browser ----

const TYPES = { ".html": "text/html", ".js": "text/javascript", ".wasm": "application/wasm" };
let browser = null;

function chromium() {
  if (process.env.FIXSYNC_CHROMIUM) return process.env.FIXSYNC_CHROMIUM;
  return ran("sh", [
    "-c",
    "command -v chromium || command -v chromium-browser || command -v google-chrome",
  ]).trim();
}

// A new page. A word in its console or an error is in `trouble`, which must stay empty.
export async function page(options = {}) {
  if (browser === null) {
    const { chromium: engine } = createRequire(join(WORK, "package.json"))("playwright-core");
    const args = [
      "--no-sandbox",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ];
    browser = await engine.launch({
      executablePath: chromium(),
      args: [...args, "--disable-quic", "--no-first-run"],
    });
    ends.push(() => browser.close());
  }
  const context = await browser.newContext({ acceptDownloads: true, ...options });
  const made = await context.newPage();
  made.trouble = [];
  made.on("console", (message) => made.trouble.push(`${message.type()}: ${message.text()}`));
  made.on("pageerror", (error) => made.trouble.push(String(error.stack)));
  return made;
}

// Serves a folder; its address.
export async function served(folder) {
  const server = createServer((request, response) => {
    const path = new URL(request.url, "http://localhost").pathname;
    if (path === "/blank" || path === "/favicon.ico") {
      response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html>");
      return;
    }
    try {
      const data = readFileSync(join(folder, path.endsWith("/") ? `${path}index.html` : path));
      response.writeHead(200, { "content-type": TYPES[extname(path)] ?? "text/html" }).end(data);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  ends.push(() => server.close());
  return `http://127.0.0.1:${server.address().port}`;
}
