// Peers of a match that rolls back, over a lossy link, beside a world that never does.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  Body,
  DesyncError,
  ENTER,
  FrameData,
  init,
  ONE,
  Random,
  Recorder,
  Rollback,
  sphere,
  stateDifferences,
  World,
} from "../index.js";
import { FXS_E_MATCH, FXS_GAME_EVENT, FXS_VICTIMS_MAX } from "../raw.js";
import { fixsync, refuses, test, WORK } from "./harness.mjs";

const PLAYERS = 2;
const FRAMES = 300;
const [FELL, PUSHED] = [FXS_GAME_EVENT, FXS_GAME_EVENT + 7];

// Three balls on a line; the last is hit by the others, and then put somewhere else. A value of 3
// takes a player out and in again: an EXIT, then an ENTER of the same pair.
class Game {
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

const pressed = (player, frame) => new Random(frame * PLAYERS + player).below(4);

// What a world that is never rolled back confirms. delay: frames without an input.
function straight(start, delay = 0) {
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

const PREDICTION_MAX = 6;
const random16 = (seed) => Uint8Array.from({ length: 16 }, (_, i) => (seed + 7 * i) & 255);

// By player, the peer that plays it, as the peer of one player numbers them.
const peersOf = (me, players) =>
  Array.from({ length: players }, (_, i) => (i === me ? 0 : i < me ? i + 1 : i));

// Peers of one player each over a link in virtual time. act(tick, peer): what each does; it ends
// when act returns false.
function linked(rollbacks, { loss = 0, late = () => 2, seed = 1, copies = 1 }, act) {
  const random = new Random(seed);
  let flying = [];
  const send = (now, from, to, bytes) => {
    for (let copy = 0; copy < copies; copy++)
      if (!random.chance(loss, 100)) flying.push({ at: now + late(random), from, to, bytes });
  };
  for (let now = 0; now < 20_000; now++) {
    let isOn = false;
    for (const [me, rollback] of rollbacks.entries()) {
      const peers = peersOf(me, rollbacks.length);
      for (const { from, bytes } of flying.filter((one) => one.to === me && one.at <= now))
        rollback.receive(peers[from], bytes);
      isOn = act(now, me, rollback) || isOn;
      for (const [to, peer] of peers.entries())
        if (peer !== 0) send(now, me, to, rollback.packet(peer));
    }
    flying = flying.filter(({ at }) => at > now);
    if (!isOn) return;
  }
  assert.fail("the match does not end");
}

class Peer {
  confirmed = [];
  again = 0;
  waits = 0;
  #standing = new Map(); // how often an event was predicted and not taken back

  constructor(start, me, inputDelay) {
    const game = new Game(start);
    this.start = start;
    this.inputDelay = inputDelay;
    this.game = game;
    this.me = me;
    this.rollback = new Rollback(
      {
        world: game.world,
        play(inputs) {
          const { commands, events, game: own, reactions, hash } = game.step(inputs);
          return { commands, events, game: own, reactions, hash };
        },
        save: () => game.own,
        load(own) {
          game.own = own;
        },
      },
      {
        ...{ players: PLAYERS, peers: peersOf(me, PLAYERS), predictionMax: PREDICTION_MAX },
        ...{ inputDelay, random: random16(me) },
      },
    );
  }

  tick() {
    const { rollback, me, start } = this;
    if (this.confirmed.length >= FRAMES && (rollback.head - start) >>> 0 >= FRAMES + 20) return;
    const at = (rollback.head + this.inputDelay) >>> 0;
    const { isStepped, again, takenBack, predicted, confirmed } = rollback.tick([pressed(me, at)]);
    this.again += again;
    this.waits += isStepped ? 0 : 1;
    this.confirmed.push(...confirmed);
    // an event may be taken back and predicted again in one tick, in either order
    for (const event of predicted) this.#count(event, 1);
    for (const event of takenBack) this.#count(event, -1);
    for (const [key, count] of this.#standing) {
      assert.ok(count >= 0, `${key} was taken back, but did not stand`);
      if (count === 0) this.#standing.delete(key);
    }
  }

  #count(event, by) {
    const key = JSON.stringify(event);
    this.#standing.set(key, (this.#standing.get(key) ?? 0) + by);
  }

  // Events of confirmed frames that stand, though the frame does not have them.
  get wronglyStanding() {
    const certain = new Map();
    for (const { frame, events, game } of this.confirmed) {
      for (const event of [...events, ...game]) {
        const key = JSON.stringify({ frame, ...event });
        certain.set(key, (certain.get(key) ?? 0) + 1);
      }
    }
    const isOver = (frame) => ((frame - this.rollback.first) | 0) < 0;
    return [...this.#standing].filter(
      ([key, count]) => isOver(JSON.parse(key).frame) && count > (certain.get(key) ?? 0),
    );
  }
}

// Two peers over a link that loses, delays and repeats packets.
function played(start, inputDelay = 0) {
  const peers = [0, 1].map((me) => new Peer(start, me, inputDelay));
  const link = { loss: 66, late: (random) => 1 + random.below(5), seed: start + 9, copies: 2 };
  linked(
    peers.map(({ rollback }) => rollback),
    link,
    (_, me) => {
      peers[me].tick();
      return peers.some(({ confirmed }) => confirmed.length < FRAMES);
    },
  );
  return peers;
}

test("two peers over a lossy link confirm what one without rollback does", async () => {
  await init();
  for (const delay of [0, 2]) {
    for (const start of [0, 2 ** 32 - 150]) {
      const expected = straight(start, delay).frames;
      for (const peer of played(start, delay)) {
        const frames = peer.confirmed.slice(0, FRAMES);
        assert.deepEqual(
          frames.map(({ inputs, state, worldHash, ...frame }) => frame),
          expected,
        );
        for (const { frame, inputs } of frames) {
          const isNone = (frame - start) >>> 0 < delay;
          assert.deepEqual(inputs, isNone ? [0, 0] : [0, 1].map((p) => pressed(p, frame)));
        }
        assert.equal(peer.rollback.desync, null);
        assert.ok(peer.again > 50, `only ${peer.again} frames were stepped again`);
        assert.ok(peer.waits > 0, "the prediction was never at its end");
        assert.deepEqual(peer.wronglyStanding, []);
      }
    }
  }
});

test("the logs of what two peers confirmed are equal, and verify", async () => {
  await init();
  const texts = played(0).map(({ confirmed }) => {
    const recorder = new Recorder(new Game().world);
    for (const { commands, events, game, hash } of confirmed.slice(0, FRAMES)) {
      recorder.commands(commands);
      recorder.step(hash, events, game);
    }
    return recorder.text();
  });
  assert.equal(texts[0], texts[1]);
  const log = join(WORK, "rollback.jsonl");
  writeFileSync(log, texts[0]);
  assert.match(
    fixsync("replay", log),
    new RegExp(`^identical: compared the events of ${FRAMES}`, "m"),
  );
});

test("a log with inputs and the own state's hash names the first frame and part that differ", async () => {
  await init();
  const peers = played(0);
  const logs = peers.map(({ confirmed }, me) => {
    const recorder = new Recorder(new Game().world, { sim: "balls", seed: 2n ** 63n });
    for (const one of confirmed.slice(0, 100)) {
      const isWrong = me === 1 && one.frame === 60;
      recorder.frame(isWrong ? { ...one, state: one.state ^ 1n } : one);
    }
    const file = join(WORK, `balls${me}.jsonl`);
    writeFileSync(file, recorder.text());
    return file;
  });
  assert.match(readFileSync(logs[0], "utf8"), /"sim":"balls","seed":9223372036854775808,/);
  assert.match(readFileSync(logs[0], "utf8"), /"inputs":\[\d,\d\].*"state":"[0-9a-f]{16}"/);
  assert.throws(() => fixsync("diff", ...logs), /first difference in frame 60[\s\S]*state/);
});

// ---- planted faults: of a game whose players push each other along a line ----

let calls = 0; // a static
const KEPT = new Map(); // a map that outlives a frame

class Pushes {
  world = new World(2);
  health = [100, 100];
  score = [0, 0];
  speed = 1;
  steps = 0;

  constructor(fault = null) {
    this.fault = fault;
    for (const id of [0, 1]) this.world.add(id, sphere(4), { x: 20 * id, y: 0, z: 0 });
  }

  play(inputs, frame) {
    this.steps++;
    const { world } = this;
    const commands = [];
    const move = (to, id, x) => {
      world.move(id, x, 0, 0);
      to.push(["move", id, [x, 0, 0]]);
    };
    for (const [id, input] of inputs.entries()) {
      const x = world.get(id).pose.x + 3 * this.#way(input, frame);
      move(commands, id, Math.max(-200, Math.min(200, x)));
    }
    const events = [...world.step()];
    const hash = world.hash();
    const [game, reactions] = [[], []];
    for (const { a, b, kind } of events) {
      if (kind !== ENTER) continue;
      this.health[b] -= 1 + a;
      this.score[a]++;
      game.push({ a, b, kind: 16, value: this.score[a] });
      move(reactions, b, 20 * b + (this.score[a] % 5));
    }
    const shown = 1000 * this.health[0] + this.health[1] + 1000 * 1000;
    return { commands, events, game, reactions, hash, shown };
  }

  // Where a player goes, with the fault.
  #way(input, frame) {
    const { fault } = this;
    const way = (input & 3) - 1;
    if (fault === "static" && ++calls % 97 === 0) return way + 1;
    if (fault === "clock" && this.steps % 50 === 0) return way + 1;
    if (fault === "float" && way !== 0) {
      this.speed *= 1.01;
      return Math.trunc(way * this.speed);
    }
    if (fault === "order") {
      KEPT.delete(this.steps % 7);
      KEPT.set(this.steps % 7, frame);
      if ([...KEPT.keys()][0] % 7 === 3) return -way;
    }
    return way;
  }

  save() {
    const health = this.fault === "unsaved" ? [0, 0] : this.health;
    return new Uint8Array(Int32Array.of(...health, ...this.score).buffer);
  }

  load(own) {
    const numbers = new Int32Array(own.buffer);
    if (this.fault !== "unsaved") this.health = [...numbers.slice(0, 2)];
    this.score = [...numbers.slice(2)];
  }

  react(predicted) {
    if (this.fault !== "reaction") return;
    for (const { kind, a } of predicted) if (kind === 16) this.score[a] += 10;
  }
}

const OWN_NAMES = [
  ["health 0", 4],
  ["health 1", 4],
  ["score 0", 4],
  ["score 1", 4],
];

// An input that is held for some frames, so that some predictions are right.
const held = (player, frame) => new Random(2 * Math.floor(frame / 7) + player).below(3);

// What a sync test finds.
function synctest(fault, check, frames) {
  const game = new Pushes(fault);
  const options = { players: 2, check, ownNames: OWN_NAMES };
  const rollback = new Rollback(game, options);
  for (let frame = 0; frame < frames; frame++) {
    const inputs = [0, 1].map((player) => held(player, frame));
    try {
      game.react(rollback.tick(inputs).predicted);
    } catch (error) {
      if (!(error instanceof DesyncError)) throw error;
      assert.deepEqual(error.desync, rollback.desync);
      return { ...error.desync, at: frame };
    }
  }
  assert.equal(rollback.first, frames - check - 1);
  return null;
}

test("the sync test names frame, part and field of planted faults, and nothing of a good game", async () => {
  await init();
  for (const check of [1, 2, 8]) {
    assert.equal(synctest(null, check, 2000), null);
    const found = (fault) => {
      const one = synctest(fault, check, 2000);
      assert.ok(one, `${fault}: nothing, with check ${check}`);
      assert.ok(one.at - one.frame <= 2 * check + 2, `${fault}: ${one.at - one.frame} frames late`);
      assert.equal(one.peer, 0);
      return one;
    };
    assert.match(found("unsaved").message, /^frame \d+: shown differs when it is stepped again/);
    for (const fault of ["static", "clock", "float", "order"])
      assert.match(found(fault).message, /^frame \d+: world differs .*: collider [01], x: /);
    if (check === 1) continue; // it goes back in each tick, so no reaction is in a state
    const { part, differences, message } = found("reaction");
    assert.equal(part, "own");
    assert.equal(differences.at(-1).group, "own");
    assert.match(message, /own, score [01]: \d+ and \d+$/);
  }
});

// What two peers at 80 ms and 5 % loss find.
function peersFind(fault, ticks) {
  const games = [new Pushes(fault), new Pushes(fault)];
  games[1].steps = 17; // the second machine's clock
  const rollbacks = games.map(
    (game, me) =>
      new Rollback(game, { players: 2, peers: peersOf(me, 2), ownNames: OWN_NAMES, past: 60 }),
  );
  linked(rollbacks, { loss: 5, late: (random) => 4 + random.below(3) }, (now, me, rollback) => {
    games[me].react(rollback.tick([held(me, rollback.head)]).predicted);
    return now < ticks;
  });
  return rollbacks;
}

test("two peers at 80 ms with 5 % loss name frame and part of planted faults", async () => {
  await init();
  for (const rollback of peersFind(null, 3000)) assert.equal(rollback.desync, null);
  for (const [fault, parts] of [
    ["unsaved", ["shown"]],
    ["static", ["world"]],
    ["clock", ["world"]],
    ["float", ["world"]],
    ["order", ["world"]],
    ["reaction", ["own", "events"]],
  ]) {
    const rollbacks = peersFind(fault, 3000);
    const found = rollbacks.map(({ desync }) => desync);
    assert.ok(found[0] && found[1], `${fault}: nothing`);
    assert.equal(found[0].frame, found[1].frame);
    for (const [me, { part, peer, players, ours, theirs, message }] of found.entries()) {
      assert.ok(parts.includes(part), `${fault}: ${part}`);
      assert.deepEqual([peer, players], [1, [1 - me]]);
      assert.deepEqual([ours, theirs], [found[1 - me].theirs, found[1 - me].ours]);
      assert.match(message, new RegExp(`^frame \\d+: ${part} differs from that of peer 1, player`));
    }
    const [a, b] = rollbacks;
    const rows = a.differences(b.kept("world"), b.kept("own"));
    const expected = stateDifferences(a.kept("world"), b.kept("world"));
    assert.deepEqual(rows.slice(0, expected.length), expected);
    if (found[0].part === "world") assert.match(rows[0].group, /^collider [01]$/);
    if (found[0].part === "own") assert.match(rows.at(-1).field, /^score [01]$/);
  }
});

test("a peer with a head start is slowed until both step again about as much", async () => {
  await init();
  for (const isPaced of [true, false]) {
    const games = [new Pushes(), new Pushes()];
    const rollbacks = games.map(
      (game, me) =>
        new Rollback(game, {
          players: 2,
          peers: peersOf(me, 2),
          predictionMax: 30,
          slows: !isPaced, // though it does not
        }),
    );
    const total = [0, 0];
    linked(rollbacks, { loss: 5, late: (random) => 5 + random.below(2) }, (now, me, rollback) => {
      const { isConnected, ahead } = rollback.pace();
      assert.ok(isConnected || now < 40);
      const isLate = me === 1 && now > 20 && now <= 26; // six frames that the second one misses
      if (!isLate) {
        const { again } = rollback.tick([Math.floor(now / 3) % 3]);
        if (now > 200) total[me] += again;
      }
      if (now === 1400) assert.equal(Math.abs(ahead) < 2 << 16, isPaced);
      return now < 1500;
    });
    const ratio = Math.max(...total) / Math.max(1, Math.min(...total));
    assert.equal(ratio < 1.3, isPaced, `${total}`);
    const { peer, late } = rollbacks[0].player(1);
    assert.ok(peer === 1 && late > 0);
  }
});

let FIGHTER = null; // frame data, once the kernel is ready

// Two bodies whose saved states grow with their victims, and a list that grows and shrinks.
class Duel {
  health = [100, 100];
  marks = []; // up to three bytes

  constructor() {
    this.world = new World(16, { layers: [[0, 1]] });
    this.bodies = [0, 1].map(
      (player) =>
        new Body(
          this.world,
          FIGHTER,
          { x: player * ONE, y: 0, z: 0 },
          { ids: 1 + 2 * player, owner: 1 + player, isMirrored: player === 1 },
        ),
    );
  }

  play(inputs) {
    const { world, bodies } = this;
    const commands = inputs.flatMap((input, player) =>
      input === 1 && bodies[player].canStart("jab") ? bodies[player].start("jab") : [],
    );
    const events = [...world.step()];
    const hash = world.hash();
    for (const { a, b } of events) {
      for (const [me, other] of [
        [0, 1],
        [1, 0],
      ]) {
        const isMine = [a, b].includes(bodies[me].ids.fist);
        if (isMine && bodies[me].strike(bodies[other].ids.torso)) this.health[other] -= 5;
      }
    }
    this.marks = inputs[0] === 1 ? [...this.marks, world.frame % 251].slice(-3) : [];
    const reactions = bodies.flatMap((body) => body.tick());
    return { commands, events, reactions, hash };
  }

  save() {
    const [a, b] = this.bodies.map((body) => body.save());
    return Uint8Array.of(...this.health, a.length / 4, ...a, b.length / 4, ...b, ...this.marks);
  }

  load(own) {
    let at = 2;
    this.health = [own[0], own[1]];
    for (const body of this.bodies) {
      const bytes = 4 * own[at];
      body.load(own.slice(at + 1, at + 1 + bytes));
      at += 1 + bytes;
    }
    this.marks = [...own.slice(at)];
  }
}

test("a game's own state may have any length up to ownMax: bodies, lists", async () => {
  await init();
  FIGHTER = FrameData.of({
    parts: {
      torso: { shape: ["cylinder", "0.5", "1"], layer: 0 },
      fist: {
        shape: ["box", "0.5", "0.25", "0.25"],
        offset: ["0.75", 0, 0],
        layer: 1,
        active: false,
      },
    },
    attacks: { jab: { frames: 9, active: { fist: [[2, 4]] } } },
  });
  const press = (player, frame) => Number((frame * (7 + 4 * player)) % 5 < 2);
  const expected = [];
  const alone = new Duel();
  for (let frame = 0; frame < 200; frame++)
    expected.push(alone.play([0, 1].map((player) => press(player, frame))).hash);
  const start = new Duel().save().length;
  const ownMax = start + 2 * 8 + 3;
  const saved = new Map(); // lengths, by the bytes
  const games = [new Duel(), new Duel()];
  const rollbacks = games.map((game, me) => {
    const [save, load] = [game.save.bind(game), game.load.bind(game)];
    game.save = () => {
      const own = save();
      saved.set(String(own), own.length);
      return own;
    };
    game.load = (own) => {
      assert.ok(saved.has(String(own)), `these bytes were not saved: ${own}`);
      load(own);
    };
    return new Rollback(game, { players: 2, peers: peersOf(me, 2), ownMax });
  });
  const confirmed = [[], []];
  let again = 0;
  linked(rollbacks, { late: (random) => 3 + random.below(3) }, (now, me, rollback) => {
    const tick = rollback.tick([press(me, rollback.head)]);
    again += tick.again;
    confirmed[me].push(...tick.confirmed);
    return now < 400;
  });
  for (const [me, rollback] of rollbacks.entries()) {
    assert.equal(rollback.desync, null);
    assert.deepEqual(
      confirmed[me].slice(0, 200).map(({ hash }) => hash),
      expected,
    );
  }
  assert.ok(again > 50, `${again} frames were stepped again`);
  assert.equal(24 + 4 * FXS_VICTIMS_MAX, 280, "docs/web.md has the most bytes of a body");
  const lengths = new Set(saved.values());
  assert.ok(lengths.size >= 4, `states of ${[...lengths]} bytes`);
  assert.throws(
    () => new Rollback(new Duel(), { players: 2, ownMax: start - 1 }),
    new RegExp(`own must be a Uint8Array of 0\\.\\.${start - 1} bytes, not ${start}$`),
  );
  const small = new Rollback(new Duel(), { players: 2, ownMax: start });
  assert.throws(() => small.tick([1, 0]), /own must be a Uint8Array of 0\.\.\d+ bytes, not \d+$/);
});

test("a frame may have more commands, events and bytes than there was room for", async () => {
  await init();
  const world = new World(400);
  const play = ([count]) => {
    const first = world.size;
    const commands = Array.from({ length: count }, (_, i) => [
      ...["add", first + i, sphere(ONE), [0, 0, 0], 0, 0, 0, [0, 0, 0], true],
    ]);
    world.apply(commands);
    return { commands, events: world.step() };
  };
  const rollback = new Rollback({ world, play }, { players: 1, check: 2, past: 3 });
  const frames = [1, 30, 100, 0, 0, 0, 0].flatMap((count) => rollback.tick([count]).confirmed);
  assert.deepEqual(
    frames.slice(0, 3).map(({ commands, events }) => [commands.length, events.length]),
    [
      [1, 0],
      [30, (31 * 30) / 2],
      [100, (131 * 130) / 2],
    ],
  );
});

test("an input may have many numbers, and the game may guess it", async () => {
  await init();
  const asked = [];
  const heard = [[], []];
  const rollbacks = [0, 1].map((me) => {
    const world = new World(1);
    const play = (inputs, frame) => {
      assert.equal(frame, world.frame);
      heard[me][frame] = structuredClone(inputs);
      return { events: world.step() };
    };
    const guess = (player, _frame, [first, big], age) => {
      asked.push([me, player, age > 0]);
      return [first + age, big];
    };
    const options = { players: 2, peers: peersOf(me, 2), numbers: 2 };
    return new Rollback(me === 0 ? { world, play, guess } : { world, play }, options);
  });
  const again = [0, 0];
  linked(rollbacks, { late: () => 3 }, (now, me, rollback) => {
    again[me] += rollback.tick([[rollback.head, 2n ** 62n - 1n]]).again;
    return now < 60;
  });
  for (const me of [0, 1])
    assert.deepEqual(heard[me][20], [
      [20, 2n ** 62n - 1n],
      [20, 2n ** 62n - 1n],
    ]);
  assert.ok(again[0] < 10 && again[1] > 50, `${again}`);
  assert.deepEqual(new Set(asked.map(String)), new Set(["0,1,true"]));
});

test("what play, save and load throw loses no frame, and the match goes on", async () => {
  await init();
  const ends = [null, "play", "step", "load", "save", "answer"].map((where) => {
    let rest = 3; // the first peer throws three times, in calls 11, 22 and 33
    let count = 0;
    const isFault = (at) => where === at && rest > 0 && ++count % 11 === 0 && rest-- > 0;
    const fault = (at) => {
      if (isFault(at)) throw new Error(`in ${at}`);
    };
    const rollbacks = [0, 1].map((me) => {
      const world = new World(2);
      world.add(0, sphere(ONE), { x: 0, y: 0, z: 0 });
      const throws = (at) => me === 0 && fault(at);
      let total = 0;
      const play = (inputs) => {
        throws("play");
        total = (total * 3 + inputs[0] - inputs[1]) & 0xff;
        world.move(0, total, 0, 0);
        const events = world.step();
        throws("step");
        const own = { a: 0, b: 0, kind: 16, value: total };
        return me === 0 && isFault("answer") ? { evnts: events } : { events, game: [own] };
      };
      const save = () => {
        throws("save");
        return Uint8Array.of(total);
      };
      const load = ([own]) => {
        throws("load");
        total = own;
      };
      const options = { players: 2, peers: peersOf(me, 2), past: 0 };
      return new Rollback({ world, play, save, load }, options);
    });
    const frames = [[], []];
    let thrown = 0;
    linked(rollbacks, { late: () => 3 }, (now, me, rollback) => {
      try {
        const { confirmed } = rollback.tick([(rollback.head * (3 + me)) % 7]);
        frames[me].push(...confirmed);
      } catch (error) {
        assert.match(
          String(error),
          /in (play|step|load|save)|what play returns must be .*, not "evnts"/,
        );
        thrown++;
      }
      return now < 320;
    });
    assert.equal(thrown, where === null ? 0 : 3, where);
    for (const [me, one] of frames.entries()) {
      assert.equal(rollbacks[me].desync, null, where);
      assert.deepEqual(
        one.slice(0, 250).map(({ frame }) => frame),
        Array.from({ length: 250 }, (_, i) => i),
        where,
      );
    }
    const shown = ({ inputs, hash, game }) => [inputs, String(hash), game];
    return JSON.stringify(frames[0].slice(0, 250).map(shown));
  });
  assert.equal(new Set(ends).size, 1, "the match is the one in which nothing is thrown");
});

test("a rollback refuses with name, value and range", async () => {
  await init();
  const world = new World(4);
  const game = { world, play: () => ({ events: world.step() }) };
  const rollback = new Rollback(game, { players: 2, peers: [0, 1] });
  const peer = (options) => new Rollback(game, { players: 1, ...options });
  const hello = peer({ players: 2, peers: [1, 0], match: "round 2" }).packet(1);
  assert.throws(() => rollback.receive(1, hello), { status: FXS_E_MATCH });
  refuses(
    { peer, rollback, Rollback, game, hello, bytes: new Uint8Array(9), save: () => hello },
    `
    new Rollback({}, { players: 2 }) // ArgumentTypeError: world must be a World
    new Rollback({ world: game.world }, { players: 2 }) // game.play must be a function, not undefined
    new Rollback({ ...game, save }, { players: 2 }) // game.load must be there with game.save, and only
    peer({ players: 0 }) // players must be 1..64, not 0
    peer({ window: 8 }) // an option must be one of …, not "window"
    peer({ predictionMax: 257 }) // predictionMax must be 0..256, not 257
    peer({ inputDelay: 65 }) // inputDelay must be 0..64, not 65
    peer({ check: 65 }) // check must be 0..64, not 65
    peer({ numbers: 17 }) // numbers must be 1..16, not 17
    peer({ match: -1 }) // match must be 0..18446744073709551615
    peer({ players: 3, peers: [0, 2, 2] }) // peers must have 0, …not [0,2,2]
    peer({ players: 2, peers: [1, 1] }) // peers must have 0, …not [1,1]
    peer({ players: 2, peers: [0, 2] }) // peers[1] must be 0..1, not 2
    rollback.receive(0, bytes) // peer must be 1..1, not 0
    rollback.packet(2) // peer must be 1..1, not 2
    rollback.receive(1, "x") // bytes must be a Uint8Array, not "x"
    rollback.receive(1, bytes) // ArgumentRangeError: packet of peer 1: a packet
    rollback.receive(1, hello) // another match: match …, here 0
    rollback.tick() // inputs must have one of each of 1 local players, not 0
    rollback.tick([0.5]) // inputs[0] must be a BigInt or a safe integer, not 0.5
    rollback.player(2) // player must be 0..1, not 2
    rollback.setDelay(65) // inputDelay must be 0..64, not 65
  `,
  );
  assert.equal(rollback.tick([4]).isStepped, false); // not connected
  assert.deepEqual([rollback.head, rollback.first, rollback.desync], [0, 0, null]);
  assert.deepEqual(rollback.pace().isConnected, false);
  rollback.dispose();
  for (const act of [() => rollback.head, () => rollback.tick([4]), () => rollback.packet(1)])
    assert.throws(act, /the rollback is disposed/);
});

test("what play returns is checked", async () => {
  await init();
  const world = new World(1);
  const all = "\\{ commands, events, game, reactions, hash, shown \\}, at least events";
  for (const [answer, words] of [
    [undefined, "an object, not undefined"],
    [[], "an object, not \\[\\]"],
    [Promise.resolve(), `${all}, not a Promise`],
    [{ commands: [] }, `${all}, not an Object`],
    [{ events: [], command: [] }, `${all}, not "command"`],
  ]) {
    const rollback = new Rollback({ world, play: () => answer }, { players: 1 });
    for (let again = 0; again < 2; again++)
      assert.throws(() => rollback.tick([1]), new RegExp(`what play returns must be ${words}$`));
  }
  const rollback = new Rollback({ world, play: () => ({ events: [] }) }, { players: 1 });
  assert.throws(
    () => rollback.tick([1]),
    /world\.frame must be 1, after the step of frame 0, not 0$/,
  );
});
