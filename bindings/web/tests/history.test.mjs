// A game that rolls back over a lossy link, beside one that has all inputs.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ENTER, History, Inputs, init, ONE, Random, Recorder, sphere, World } from "../index.js";
import { FXS_GAME_EVENT } from "../raw.js";
import { fixsync, test, WORK } from "./harness.mjs";

export const PLAYERS = 2;
const WINDOW = 6;
export const FRAMES = 300;
const [FELL, PUSHED] = [FXS_GAME_EVENT, FXS_GAME_EVENT + 7];

// Three balls on a line; the last is hit by the others, and then put somewhere else. A value of 3
// takes a player out and in again: an EXIT, then an ENTER of the same pair.
export class Game {
  world = new World(4);
  own = Uint8Array.of(0, 0);

  constructor(start = 0) {
    for (let id = 0; id < 3; id++) this.world.add(id, sphere(2), { x: 4 * id, y: 0, z: 0 });
    const state = this.world.save();
    new DataView(state.buffer).setUint32(4, start, true);
    this.world.load(state);
  }

  step(inputs) {
    const commands = inputs.flatMap((value, id) => {
      const { x } = this.world.get(id).pose;
      if (value === 0) return [];
      if (value < 3) return [["move", id, [Math.max(0, Math.min(9, x + 2 * value - 3)), 0, 0]]];
      return [
        ["remove", id],
        ["add", id, sphere(2), [x, 0, 0], 0, 0, 0, [0, 0, 0], true],
        [
          "layers",
          x % 2
            ? null
            : [
                [0, 0],
                [1, 31],
              ],
        ],
      ];
    });
    this.world.apply(commands);
    const events = [...this.world.step()];
    const hash = this.world.hash();
    const game = [];
    const reactions = [];
    for (const { a, b, kind } of events) {
      if (kind !== ENTER) continue;
      this.own[0] += a + b;
      this.own[1] = (5 * this.own[1] + a + 1) % 251;
      game.push({ a, b, kind: this.own[1] % 2 ? FELL : PUSHED, value: 100 - this.own[1] });
      if (b === 2) reactions.push(["move", 2, [this.own[1] % 10, 0, 0]]);
    }
    this.world.apply(reactions);
    return { own: this.own, commands, events, game, reactions, hash };
  }
}

export const pressed = (player, frame) => new Random(frame * PLAYERS + player).below(4);

// What a world that is never rolled back confirms. delay: frames without an input.
export function straight(start, delay = 0) {
  const game = new Game(start);
  let carried = [];
  const frames = Array.from({ length: FRAMES }, (_, i) => {
    const frame = (start + i) >>> 0;
    const inputs = [0, 1].map((player) => (i < delay ? 0 : pressed(player, frame)));
    const { commands, events, game: own, reactions, hash } = game.step(inputs);
    const all = [...carried, ...commands];
    carried = reactions;
    return { frame, commands: all, events, game: own, hash };
  });
  return { frames, hash: game.world.hash(), own: [...game.own] };
}

class Peer {
  confirmed = [];
  shown = new Map(); // how often an event stands, by frame and event
  steppedAgain = 0;

  constructor(start, me) {
    this.me = me;
    this.game = new Game(start);
    this.inputs = new Inputs(PLAYERS, 2 * WINDOW, start);
    this.history = new History(this.game.world, WINDOW, this.game.own);
  }

  count(frame, event, by) {
    const key = `${frame} ${JSON.stringify(event)}`;
    const now = (this.shown.get(key) ?? 0) + by;
    assert.ok(now >= 0, `${key} was taken back, but did not stand`);
    if (now === 0) this.shown.delete(key);
    else this.shown.set(key, now);
  }

  tick(end) {
    const { game, history, inputs } = this;
    const [redo, known] = [inputs.redo, inputs.confirmed];
    const isBefore = (a, b) => ((a - b) | 0) < 0;
    history.settle(isBefore(redo, known) ? redo : known);
    if (redo !== history.head) {
      this.steppedAgain += (history.head - redo) >>> 0;
      game.own = history.back(redo, game.world);
    }
    for (let frame = redo; frame !== end && history.free > 0; frame = (frame + 1) >>> 0) {
      const stepped = game.step(inputs.take(frame));
      const isFinal = isBefore(frame, known);
      const { takenBack, predicted } = history.push(game.world, { ...stepped, isFinal });
      assert.ok(!isFinal || predicted.length === 0);
      for (const event of takenBack) this.count(frame, event, -1);
      for (const event of predicted) this.count(frame, event, 1);
    }
    this.confirmed.push(...history.confirm());
  }
}

// Two peers over a link that loses and delays packets, until both have confirmed all frames.
function played(start) {
  const peers = [0, 1].map((me) => new Peer(start, me));
  const random = new Random(start + 5);
  const flying = [[], []]; // by who sent it
  for (let now = 0; peers.some(({ confirmed }) => confirmed.length < FRAMES); now++) {
    assert.ok(now < 20 * FRAMES, "the match does not end");
    for (const peer of peers) {
      const other = 1 - peer.me;
      const arrived = flying[other].filter(({ at }) => at <= now);
      flying[other] = flying[other].filter(({ at }) => at > now);
      for (const frame of arrived.flatMap(({ frames }) => frames)) {
        peer.inputs.put(other, frame, pressed(other, frame));
      }
      const { head, free } = peer.history;
      const isOver = (head - start) >>> 0 >= FRAMES;
      const end = free > 0 && !isOver ? (head + 1) >>> 0 : head;
      if (end !== head) assert.ok(peer.inputs.put(peer.me, head, pressed(peer.me, head)));
      peer.tick(end);
      if (random.chance(1, 3)) continue; // lost
      const frames = [];
      for (let i = 0; i < 3 * WINDOW; i++) frames.push((end - 1 - i) >>> 0);
      const known = frames.filter((frame) => (frame - start) >>> 0 < FRAMES);
      flying[peer.me].push({ at: now + 1 + random.below(4), frames: known });
    }
  }
  return peers;
}

test("peers over a lossy link confirm what a world that never rolls back does", async () => {
  await init();
  for (const start of [0, 2 ** 31 - 150, 2 ** 32 - 150]) {
    const expected = straight(start);
    for (const { confirmed, game, shown, steppedAgain } of played(start)) {
      assert.deepEqual(confirmed, expected.frames);
      assert.deepEqual([game.world.hash(), [...game.own]], [expected.hash, expected.own]);
      assert.ok(steppedAgain > 50, `only ${steppedAgain} frames were stepped again`);
      const all = new Map();
      for (const { frame, events, game: own } of confirmed) {
        for (const event of [...events, ...own]) {
          const key = `${frame} ${JSON.stringify(event)}`;
          all.set(key, (all.get(key) ?? 0) + 1);
        }
      }
      for (const [key, count] of shown) {
        assert.ok(count <= (all.get(key) ?? 0), `${key} stands, but is not confirmed`);
      }
    }
  }
});

test("a log of confirmed frames with a game's events verifies", async () => {
  await init();
  const [peer] = played(0);
  const names = { game: { [FELL]: "fell", [PUSHED]: "pushed" } };
  const recorder = new Recorder(new Game().world, { names });
  for (const { commands, events, game, hash } of peer.confirmed) {
    recorder.commands(commands);
    recorder.step(hash, events, game);
  }
  const log = join(WORK, "confirmed.jsonl");
  writeFileSync(log, recorder.text());
  assert.match(recorder.text(), /,"game":\[\[\d+,\d+,(16|23),-?\d+\]/);
  const verdict = fixsync("replay", log);
  assert.match(verdict, new RegExp(`^identical: compared the events of ${FRAMES} frames`, "m"));
});

test("push says what is taken back and what is predicted", async () => {
  await init();
  const world = new World(4);
  for (const [id, x] of [0, 9, 18].entries()) world.add(id, sphere(2), { x, y: 0, z: 0 });
  const history = new History(world, 4);
  const stepped = (x) => {
    const commands = [["move", 0, [x, 0, 0]]];
    world.apply(commands);
    return { commands, events: world.step() };
  };
  const [met, other] = [1, 2].map((b) => ({ a: 0, b, kind: 1, contact: 2 }));
  const own = { a: 7, b: 2 ** 32 - 1, kind: 2 ** 32 - 1, value: -(2 ** 31) };
  assert.deepEqual(history.push(world, { ...stepped(9), game: [own, own] }), {
    takenBack: [],
    predicted: [met, own, own],
  });
  history.back(0, world);
  assert.deepEqual(history.push(world, { ...stepped(18), game: [own] }), {
    takenBack: [met, own],
    predicted: [other],
  });
  history.back(0, world);
  const hash = () => world.hash();
  const frame = stepped(9);
  const confirmed = { frame: 0, ...frame, events: [...frame.events], game: [own], hash: hash() };
  assert.deepEqual(history.push(world, { ...frame, game: [own], isFinal: true }), {
    takenBack: [other],
    predicted: [],
  });
  assert.deepEqual(history.confirm(), [confirmed]);
  assert.deepEqual(history.confirm(), []);
  assert.deepEqual([history.first, history.head, history.free], [1, 1, 4]);
});

test("a history takes more than it had room for", async () => {
  await init();
  const world = new World(400);
  const history = new History(world, 3, Uint8Array.of(1));
  const own = Uint8Array.of(2);
  const add = (id) => ["add", id, sphere(ONE), [0, 0, 0], 0, 0, 0, [0, 0, 0], true];
  const first = [["layers", null], add(0)];
  world.apply(first);
  const hash = history.push(world, { own, commands: first, events: world.step() });
  assert.deepEqual(hash, { takenBack: [], predicted: [] });

  const commands = Array.from({ length: 200 }, (_, i) => add(i + 1));
  const reactions = Array.from({ length: 150 }, (_, i) => ["move", i, [i, 0, 0]]);
  const game = Array.from({ length: 30 }, (_, i) => ({ a: i, b: 0, kind: 16, value: 9 - i }));
  world.apply(commands);
  const events = [...world.step()];
  const after = world.hash();
  world.apply(reactions);
  const frame = { own, commands, events, game, reactions, hash: after };
  const { predicted } = history.push(world, frame);
  assert.deepEqual(predicted, [...events, ...game]);
  assert.equal(predicted.length, (201 * 200) / 2 + 30);

  assert.deepEqual(history.back(1, world), own);
  assert.equal(world.size, 1);
  world.apply(commands);
  world.step();
  world.apply(reactions);
  assert.deepEqual(history.push(world, frame), { takenBack: [], predicted: [] });
  history.settle(2);
  const [, second] = history.confirm();
  assert.deepEqual(second, { frame: 1, commands, events, game, hash: after });
  world.step();
  history.push(world, { own, isFinal: true });
  assert.deepEqual(history.confirm()[0].commands, reactions);
});

test("a history and inputs refuse with name, value and range, and change nothing", async () => {
  await init();
  const world = new World(4);
  world.add(3, sphere(ONE), { x: 0, y: 0, z: 0 });
  const history = new History(world, 2, Uint8Array.of(1));
  const own = Uint8Array.of(1);
  const refused = (cases) => {
    for (const [act, words] of cases) assert.throws(act, words, String(act));
  };
  refused([
    [() => new History({}, 1), /^ArgumentTypeError: world must be a World, not an Object/],
    [() => new History(world, 0), /^ArgumentRangeError: window must be 1\.\.2147483647, not 0/],
    [() => new History(world, 2 ** 31 - 1), /more than 2\^48 bytes|bytes of memory are needed/],
    [() => new History(world, 1, [7]), /^ArgumentTypeError: own must be a Uint8Array, not \[7\]/],
    [() => history.push(world, { own }), /world\.frame must be 1, .* of frame 0, not 0/],
    [() => history.confirm().at(0).frame, TypeError],
    [() => history.back(1, world), /^ArgumentRangeError: frame must be 0\.\.0, not 1/],
    [() => history.settle(0.5), /^ArgumentTypeError: frame must be an integer, not 0\.5/],
  ]);
  const events = world.step();
  const event = (kind) => [{ a: 0, b: 1, kind, contact: 1 }];
  const row = (kind, value) => [{ a: 0, b: 1, kind, value }];
  const reactions = [["move", 0, [1, 0, 0]]];
  refused([
    [() => history.push(world, {}), /own must be a Uint8Array of 1 bytes, not 0/],
    [
      () => history.push(world, { own: new Uint8Array(2) }),
      /^ArgumentRangeError: own .* of 1 bytes, not 2$/,
    ],
    [() => new History(world, 1, own, 0), /own must be .* of 0 bytes, not 1/],
    [() => new History(world, 1, own, -1), /^.*ownMax must be 0\.\.1073741824, not -1/],
    [() => history.push(world, { own, events: event(4) }), /events\[0\]\.kind .* 1\.\.3, not 4/],
    [() => history.push(world, { own, game: row(15, 0) }), /game\[0\]\.kind .* 16\.\.\d+, not 15/],
    [() => history.push(world, { own, game: row(16, 2 ** 31) }), /game\[0\]\.value .* -\d+\.\.\d+/],
    [() => history.push(world, { own, reactions }), /hash must be .*, not null/],
    [() => history.push(world, { own, hash: -1n }), /hash must be 0\.\.\d+, not -1/],
    [() => history.push(world, { own, isFinal: 1 }), /isFinal must be true or false, not 1/],
    [() => history.push(world, { own, commands: 5 }), /commands must be an array, not 5/],
  ]);
  history.push(world, { own, events });
  world.step();
  refused([
    [() => history.push(world, { own, isFinal: true }), /isFinal must be false, .* frame 0 is not/],
  ]);
  history.push(world, { own });
  world.step();
  refused([
    [() => history.push(world, { own }), /window of 2 frames is full: frame 0 must be/],
    [() => history.settle(3), /frame must be 0\.\.2, not 3/],
    [() => history.back(0, new World(3)), /^ArgumentRangeError: frame 0: not a saved state/],
  ]);
  history.settle(1);
  refused([[() => history.back(0, world), /frame must be 1\.\.2, not 0/]]);
  assert.deepEqual([history.confirm().length, history.first, history.head], [1, 1, 2]);

  const inputs = new Inputs(2, 3, 5);
  assert.ok(inputs.put(1, 5, -7));
  assert.ok(inputs.put(1, 5, -7));
  assert.equal(inputs.put(1, 8, 1), false);
  assert.deepEqual(
    [inputs.take(5), inputs.take(6)],
    [
      [0, -7],
      [0, -7],
    ],
  );
  refused([
    [() => new Inputs(0, 3), /^ArgumentRangeError: players must be 1\.\.65536, not 0/],
    [() => new Inputs(2, 2 ** 25), /window must be 1\.\.16777216, not 33554432/],
    [() => inputs.put(2, 5, 0), /^ArgumentRangeError: player must be 0\.\.1, not 2/],
    [() => inputs.put(0, 5, 0.5), /^ArgumentTypeError: value must be an integer, not 0\.5/],
    [
      () => inputs.put(1, 5, 8),
      /value must be -7, which came before for player 1 and frame 5, not 8$/,
    ],
    [() => inputs.take(8), /frame must follow .*, as one of 3 from 5 on, not 8/],
  ]);
  assert.deepEqual([inputs.redo, inputs.confirmed], [7, 5]);
  inputs.put(0, 5, 1);
  assert.deepEqual([inputs.redo, inputs.confirmed, inputs.take(5)], [5, 6, [1, -7]]);
  history.dispose();
  inputs.dispose();
  refused([
    [() => history.head, /the history is disposed/],
    [() => inputs.redo, /the inputs are disposed/],
  ]);
});

test("a history keeps states of frames that are confirmed, as many as it was told", async () => {
  await init();
  const game = new Game();
  const history = new History(game.world, 2, game.own, null, 3);
  const states = [game.world.save()];
  for (let frame = 0; frame < 12; frame++) {
    history.push(game.world, { ...game.step([1, 0]), isFinal: true });
    history.confirm();
    states.push(game.world.save());
    for (let f = 0; f <= frame + 1; f++)
      assert.deepEqual(history.state(f), f + 5 < frame + 1 ? null : states[f]);
  }
});

test("a second value of a frame names the first, and changes nothing", async () => {
  await init();
  const random = new Random(3);
  const inputs = new Inputs(2, 6, 2 ** 32 - 20);
  const came = new Map();
  const refused = [0, 0]; // of frames that were taken, and that were not
  for (let i = 0; i < 4000; i++) {
    const [player, value] = [random.below(2), random.below(5) - 2];
    const { redo } = inputs;
    const frame = (redo - 6 + random.below(10)) >>> 0;
    const key = `player ${player} and frame ${frame}`;
    try {
      if (inputs.put(player, frame, value) && !came.has(key)) came.set(key, value);
    } catch ({ message }) {
      const words = `value must be ${came.get(key)}, which came before for ${key}, not ${value}`;
      assert.equal(message, words);
      refused[((frame - redo) | 0) < 0 ? 0 : 1]++;
    }
    const isInside = ((inputs.redo - inputs.confirmed) | 0) < 6;
    if (random.below(3) === 0 && isInside) inputs.take(inputs.redo);
  }
  assert.ok(
    refused.every((count) => count > 50),
    `${refused}`,
  );
});
