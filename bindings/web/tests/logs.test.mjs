// Match logs, read and played.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { init, MatchLog, MatchLogError, Recorder, Replay, sphere, World } from "../index.js";
import { FXS_SEMANTICS } from "../raw.js";
import { ROOT, refuses, test } from "./harness.mjs";

const FOLDER = join(ROOT, "replay_logs");
const FIGHT = join(FOLDER, "skill_fight.jsonl.gz");
const names = readdirSync(FOLDER).filter((name) => name.endsWith(".jsonl.gz"));

test("every log of replay_logs plays to what it records, and its text is the one of its last line", async () => {
  await init();
  assert.ok(names.length > 8);
  for (const name of names) {
    const log = await MatchLog.from(readFileSync(join(FOLDER, name)));
    const replay = new Replay(log);
    assert.deepEqual([log.cut, await log.digest(), log.first], ["", "same", 0]);
    while (replay.next < log.end) {
      const line = replay.step();
      assert.deepEqual(replay.differing(), [], `${name}, frame ${line.frame}`);
    }
    const last = log.frame(log.end - 1);
    assert.equal(replay.world.hash().toString(16).padStart(16, "0"), last.hash);
  }
});

test("a wrong answer is named, a state is gone back to, a cut log has its whole frames", async () => {
  const text = gunzipSync(readFileSync(FIGHT)).toString();
  const lines = text.split("\n").slice(0, 31);
  const line = JSON.parse(lines[21]);
  lines[21] = JSON.stringify({
    ...line,
    events: [...line.events, [0, 1, 1, 1]],
    hash: "0".repeat(16),
  });
  const log = await MatchLog.from(new Blob([`${lines.join("\n")}\n{"frame":30`]));
  assert.deepEqual([log.frames, log.cut], [30, "it has no last line"]);
  assert.equal(await log.digest(), "none");
  const replay = new Replay(log);
  const states = [];
  const wrong = [];
  while (replay.next < log.end) {
    states.push(replay.world.save());
    replay.step();
    if (replay.differing().length > 0) wrong.push([replay.line.frame, ...replay.differing()]);
  }
  assert.deepEqual(wrong, [[20, "events", "hash"]]);
  replay.load(5, states[5]);
  assert.equal(replay.step().frame, 5);
  assert.deepEqual(replay.differing(), []);
  const changed = `${text.slice(0, -1).replace('"hero"', '"nero"')}\n`;
  assert.equal(await (await MatchLog.from(gzipSync(changed))).digest(), "differs");
});

test("a log of another semantics says so, whether an answer differs or not", async () => {
  await init();
  const world = new World(4);
  const recorder = new Recorder(world, { build: "v1", data: "frames" });
  const add = [["add", 1, ["sphere", 5], [0, 0, 0], 0, 0, 0, [0, 0, 0], true]];
  world.apply(add);
  recorder.commands(add);
  recorder.step(world, world.step());
  const own = `"semantics":${FXS_SEMANTICS},`;
  assert.ok(recorder.text().includes(own));
  const words = "recorded by another semantics";
  const other = { what: "semantics", words, recorded: 2, here: FXS_SEMANTICS };
  for (const [said, others] of [
    [own, []],
    ["", []],
    ['"semantics":2,', [other]],
  ]) {
    for (const hash of [world.hash(), 0n]) {
      const text = recorder
        .text()
        .replace(own, said)
        .replace(/"hash":"\w+"/, `"hash":"${hash.toString(16).padStart(16, "0")}"`);
      const replay = new Replay(await MatchLog.from(text));
      assert.deepEqual(replay.others, others);
      replay.step();
      assert.deepEqual(replay.differing(), hash ? [] : ["hash"]);
    }
  }
});

const HEADER =
  '{"format":"fixsync-match","version":1,"tick_rate":60,"capacity":64,"hit_when":1,"layers":null,' +
  '"sim":null,"seed":0,"meta":{}}';
const FRAME =
  '{"frame":0,"commands":[["move",1,[2,3,4]]],"queries":[],"events":[[1,2,1,2]],"hash":"00000000000000ab"}';

// HEADER with a key and a value in the place of its own, or at its end.
function withKey(member) {
  const key = member.slice(0, member.indexOf(":"));
  const members = HEADER.slice(1, -1).split(",");
  const at = members.findIndex((one) => one.startsWith(`${key}:`));
  members.splice(at < 0 ? members.length : at, 1, member);
  return `{${members.join(",")}}`;
}

// Of each section of tests/refused_logs.txt: the line that its rows are about, and the log of one.
const SECTIONS = {
  first: [1, (piece) => [piece, FRAME]],
  header: [1, (piece) => [withKey(piece), FRAME]],
  frame: [2, (piece) => [HEADER, piece]],
  results: [2, (piece) => [HEADER, `{"frame":0,"commands":[],${piece}}`]],
  commands: [2, (piece) => [HEADER, `{"frame":0,"commands":[${piece}]}`]],
  inputs: [2, (piece) => [withKey('"sim":"brawl"'), `{"frame":0,${piece}}`]],
  last: [3, (piece) => [HEADER, FRAME, piece]],
};

test("what no log may hold is refused with its line and field, as in Python", async () => {
  const state = Buffer.from(new World(64).save()).toString("base64");
  const file = readFileSync(join(ROOT, "tests", "refused_logs.txt"), "utf8");
  const text = file.replaceAll("STATE", state).replaceAll("\n    ", "  ");
  const sections = text.split(/^# (?=\w+: )/m).slice(1);
  assert.deepEqual(
    sections.map((section) => section.match(/^\w+/)[0]),
    Object.keys(SECTIONS),
  );
  const rows = sections.flatMap((section) => {
    const [line, linesOf] = SECTIONS[section.match(/^\w+/)[0]];
    const table = section.trim().split("\n").slice(1);
    return table.map((row) => [line, linesOf(row.split("  ")[0]), ...row.split("  ").slice(1)]);
  });
  const spaced = [` ${FRAME}`, `${FRAME}\t`, `${FRAME}\r`, "", "  ", `\ufeff${FRAME}`];
  for (const odd of [...spaced, "[".repeat(200_000), `{"frame":${"[".repeat(200_000)}`])
    rows.push([2, [HEADER, odd], "-", ""]);
  rows.push([1, [`\ufeff${HEADER}`], "-", "byte order mark"]);
  rows.push([4, [HEADER, FRAME, '{"frames":1}', FRAME], "-", "text after the last line"]);
  rows.push([4, [HEADER, FRAME, '{"frames":1}', ""], "-", "text after the last line"]);
  assert.ok(rows.length > 190);
  for (const [line, lines, field, reason] of rows) {
    const read = async () => {
      const log = await MatchLog.from(`${lines.join("\n")}\n`);
      if (log.header.level) new Replay(log); // the kernel knows which solids there are
      for (let frame = log.first; frame < log.end; frame++) log.frame(frame);
      // Of a changed text the digest says it.
      if ((await log.digest()) === "differs") throw new MatchLogError(3, "sha256", reason);
    };
    await assert.rejects(read, (error) => {
      const at = `${lines[line - 1]?.slice(0, 200)}: ${error.stack}`;
      assert.ok(error instanceof MatchLogError, at);
      assert.deepEqual([error.line, error.path], [line, field === "-" ? "" : field], at);
      assert.ok(error.reason.includes(reason.replace(/\.\.\.$/, "")), at);
      return true;
    });
  }
  const bytes = Buffer.from(`${HEADER}\n${FRAME}\n`);
  bytes[HEADER.length + 20] = 255;
  const broken = await MatchLog.from(bytes);
  assert.throws(() => broken.frame(0), /^MatchLogError: line 2: it is not UTF-8$/);
});

test("what cannot be read or played says where and why", async () => {
  const header = (more) => `${JSON.stringify({ ...JSON.parse(HEADER), capacity: 4, ...more })}\n`;
  for (const [source, words] of [
    ["", /^cut short: line 1 does not end$/],
    [Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd), /^compressed with zstd/],
  ]) {
    await assert.rejects(MatchLog.from(source), (error) => {
      assert.ok(error instanceof MatchLogError);
      return words.test(error.message) || assert.fail(error.message);
    });
  }
  await assert.rejects(MatchLog.from(5), /ArgumentTypeError: source must be a string, bytes or/);
  const query = '["query",["sphere",1],[0,0,0],0,1]';
  for (const [line, path, reason] of [
    [`{"frame":0,"commands":[${query},["move",2,[0,0,0]]]}`, "commands[1]", /^move 2: an id not /],
    [`{"frame":0,"commands":[["turn",7,1]]}`, "commands[0]", /an id not below the capacity/],
  ]) {
    const replay = new Replay(await MatchLog.from(`${header({})}${line}\n`));
    const before = replay.world.hash();
    assert.throws(
      () => replay.step(),
      (error) => {
        assert.deepEqual([error.line, error.path], [2, path]);
        assert.match(error.reason, reason);
        return true;
      },
    );
    assert.equal(replay.world.hash(), before);
  }
  const inputs = new Replay(
    await MatchLog.from(`${header({ sim: "duel" })}{"frame":0,"inputs":[1]}\n`),
  );
  const words = /^MatchLogError: line 2, commands: missing: inputs of "duel" need their own game$/;
  assert.throws(() => inputs.step(), words);
  const pillar = ["cylinder", 0, 4, 5, [0, 0], 1];
  const turned = [
    "prism",
    0,
    4,
    5,
    [
      [0, 0],
      [0, 9],
      [9, 0],
    ],
  ]; // clockwise
  for (const [more, place] of [
    [
      { level: { solids: [pillar, turned] } },
      /line 1, level\.solids\[1\]: vertices must be counterclockwise/,
    ],
    [
      { level: { solids: [["cylinder", 0, 5, 5, [0, 0], 1]] } },
      /line 1, level\.solids\[0\]: y_high must be above y_low 5, not 5$/,
    ],
    [{ from: { frame: 0, state: "AAAA" } }, /^MatchLogError: line 1, from\.state: /],
  ]) {
    const log = await MatchLog.from(header(more));
    assert.throws(() => new Replay(log), place);
  }
});

test("what a recorder writes plays", async () => {
  const world = new World(4);
  const recorder = new Recorder(world);
  const add = (id, x) => ["add", id, sphere(9), [x, 0, 0], 0, 0, 0, [0, 0, 0], true];
  for (const commands of [[add(0, 0), add(1, 40)], [["move", 1, [9, 0, 0]]]]) {
    world.apply(commands);
    recorder.commands(commands);
    const events = world.step();
    recorder.step(world.hash(), events);
  }
  const log = await MatchLog.from(recorder.text());
  const replay = new Replay(log);
  while (replay.next < log.end) {
    replay.step();
    assert.deepEqual(replay.differing(), []);
  }
  assert.deepEqual([...replay.events], [0, 1, 1, 2]);
  assert.equal(replay.world.hash(), world.hash());
});

test("a replay and its log refuse frames that they do not have", async () => {
  const world = new World(4);
  const recorder = new Recorder(world);
  recorder.step(world, world.step());
  const log = await MatchLog.from(recorder.text());
  const replay = new Replay(log);
  replay.step();
  const state = replay.world.save();
  refuses(
    { replay, log, state, begin: new World(4).save() },
    `
    replay.step() // MatchLogError: the log has 1 frame, and all were played
    log.frame(9) // ArgumentRangeError: frame must be 0..0, not 9
    log.frame(-1) // ArgumentRangeError: frame must be 0..0, not -1
    replay.load(7, state) // ArgumentRangeError: frame must be 1, that of the state, not 7
    replay.load(7, begin) // ArgumentRangeError: frame must be 0, that of the state, not 7
  `,
  );
  assert.deepEqual([replay.next, replay.world.save()], [1, state]);
  replay.load(1, state);
  const empty = await MatchLog.from(new Recorder(new World(4)).text());
  assert.throws(() => empty.frame(0), /^ArgumentRangeError: the log has no frames$/);
});
