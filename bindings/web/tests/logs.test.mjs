// Match logs, read and played.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { init, MatchLog, MatchLogError, Recorder, Replay, sphere, World } from "../index.js";
import { FXS_SEMANTICS } from "../raw.js";
import { ROOT, test } from "./harness.mjs";

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
  lines[21] = JSON.stringify({ ...line, events: [...line.events, [0, 1, 1, 1]], hash: "0" });
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

test("what cannot be read or played says where and why", async () => {
  const header = (more) =>
    `${JSON.stringify({ format: "fixsync-match", version: 1, capacity: 4, hit_when: 1, layers: null, sim: null, ...more })}\n`;
  for (const [source, words] of [
    ["", /^cut short: line 1 does not end$/],
    ["[]\n", /^line 1, format: must be "fixsync-match", not undefined$/],
    ["{\n", /^line 1: not JSON: /],
    [header({ version: 2 }), /^line 1, version: must be 1, not 2$/],
    [header({ capacity: 0 }), /^line 1, capacity: must be 1\.\.2147483648, not 0$/],
    ...[0, null, "5", 2 ** 32].map((semantics) => [
      header({ semantics }),
      /^line 1, semantics: must be 1\.\.4294967295, not /,
    ]),
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
    ['{"frame":1,"commands":[]}', "frame", "must be 0, not 1"],
    ['{"frame":0,"inputs":[1]}', "commands", 'missing: inputs of "duel" need their own game'],
    [`{"frame":0,"commands":[${query},["move",2,[0,0,0]]]}`, "commands[1]", /^move 2: an id not /],
    [
      `{"frame":0,"commands":[${query},["query",["sphere",0],[0,0,0],0,1]]}`,
      "commands[1]",
      /radius/,
    ],
    [`{"frame":0,"commands":[["turn",7,1]]}`, "commands[0]", /an id not below the capacity/],
  ]) {
    const replay = new Replay(await MatchLog.from(`${header({ sim: "duel" })}${line}\n`));
    const before = replay.world.hash();
    assert.throws(
      () => replay.step(),
      (error) => {
        assert.deepEqual([error.line, error.path], [2, path]);
        assert.match(error.reason, reason instanceof RegExp ? reason : new RegExp(reason));
        return true;
      },
    );
    if (path !== "commands[1]" || !/radius/.test(reason)) assert.equal(replay.world.hash(), before);
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
  const cases = [
    [() => replay.step(), /^MatchLogError: the log has 1 frame, and all were played$/],
    [() => log.frame(9), /^ArgumentRangeError: frame must be 0\.\.0, not 9$/],
    [() => log.frame(-1), /^ArgumentRangeError: frame must be 0\.\.0, not -1$/],
    [
      () => replay.load(7, state),
      /^ArgumentRangeError: frame must be 1, that of the state, not 7$/,
    ],
    [
      () => replay.load(7, new World(4).save()),
      /^ArgumentRangeError: frame must be 0, that of the state, not 7$/,
    ],
  ];
  for (const [act, words] of cases) assert.throws(act, words, String(act));
  assert.deepEqual([replay.next, replay.world.save()], [1, state]);
  replay.load(1, state);
  const empty = await MatchLog.from(new Recorder(new World(4)).text());
  assert.throws(() => empty.frame(0), /^ArgumentRangeError: the log has no frames$/);
});
