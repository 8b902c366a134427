// Peers of a match that rolls back, over a lossy link, beside a world that never does.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  Body,
  ENTER,
  FrameData,
  hash64,
  init,
  ONE,
  Random,
  Recorder,
  Rollback,
  sphere,
  World,
} from "../index.js";
import { FXS_VICTIMS_MAX } from "../raw.js";
import { fixsync, test, WORK } from "./harness.mjs";
import { FRAMES, Game, PLAYERS, pressed, straight } from "./history.test.mjs";

const WINDOW = 6;
let FIGHTER = null; // frame data, once the kernel is ready

// A peer whose game is that of history.test.mjs. faultAt: the first frame in which its memory is wrong.
class Peer {
  confirmed = [];
  again = 0;
  waits = 0;
  saves = new Map(); // by frame: the hash of the game's own state before it
  #standing = new Map(); // how often an event was predicted and not taken back

  constructor(start, me, { delay = 0, faultAt = null } = {}) {
    const game = new Game(start);
    this.me = me;
    this.start = start;
    this.delay = delay;
    this.rollback = new Rollback(
      {
        world: game.world,
        play: (inputs) => {
          if (faultAt !== null && game.world.frame >= faultAt) game.world.move(2, 77, 0, 0);
          const { commands, events, game: own, reactions, hash } = game.step(inputs);
          return { commands, events, game: own, reactions, hash };
        },
        save: () => {
          this.saves.set(game.world.frame, hash64(game.own));
          return game.own;
        },
        load: (own) => {
          game.own = own;
        },
      },
      { players: PLAYERS, window: WINDOW, delay },
    );
    this.game = game;
  }

  tick() {
    const { rollback, me } = this;
    const over = (rollback.frame - this.start) >>> 0 >= FRAMES + 2 * WINDOW;
    if (over) return;
    const at = (rollback.frame + this.delay) >>> 0;
    const reported = rollback.tick({ [me]: pressed(me, at) });
    const { isStepped, again, takenBack, predicted, confirmed } = reported;
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
    const { confirmed } = this.rollback;
    const isOver = (frame) => ((frame - confirmed) | 0) < 0;
    return [...this.#standing].filter(
      ([key, count]) => isOver(JSON.parse(key).frame) && count > (certain.get(key) ?? 0),
    );
  }
}

// Two peers over a link that loses, delays and repeats packets.
function played(start, options = {}) {
  const peers = [0, 1].map(
    (me) => new Peer(start, me, me === 0 ? { delay: options.delay } : options),
  );
  const random = new Random(start + 9);
  let flying = []; // { at, to, packet }
  for (let now = 0; peers.some(({ confirmed }) => confirmed.length < FRAMES); now++) {
    assert.ok(now < 20 * FRAMES, "the match does not end");
    for (const { to, packet } of flying.filter(({ at }) => at <= now))
      peers[to].rollback.receive(1 - to, JSON.parse(packet));
    flying = flying.filter(({ at }) => at > now);
    for (const peer of peers) {
      peer.tick();
      const packet = JSON.stringify(peer.rollback.packet(peer.me));
      for (let copy = 0; copy < 2; copy++) {
        if (random.chance(2, 3)) continue; // lost
        flying.push({ at: now + 1 + random.below(5), to: 1 - peer.me, packet });
      }
    }
  }
  return peers;
}

test("two machines over a lossy link confirm what one without rollback does", async () => {
  await init();
  for (const delay of [0, 2]) {
    for (const start of [0, 2 ** 32 - 150]) {
      const expected = straight(start, delay).frames;
      for (const peer of played(start, { delay })) {
        assert.deepEqual(peer.confirmed.slice(0, FRAMES), expected);
        assert.equal(peer.rollback.desync, null);
        assert.ok(peer.again > 50, `only ${peer.again} frames were stepped again`);
        assert.ok(peer.waits > 0, "the window was never full");
        assert.deepEqual(peer.wronglyStanding, []);
      }
    }
  }
});

test("the log of what a machine confirmed verifies", async () => {
  await init();
  const [{ confirmed }] = played(0);
  const recorder = new Recorder(new Game().world);
  for (const { commands, events, game, hash } of confirmed) {
    recorder.commands(commands);
    recorder.step(hash, events, game);
  }
  const log = join(WORK, "rollback.jsonl");
  writeFileSync(log, recorder.text());
  const verdict = fixsync("replay", log);
  assert.match(
    verdict,
    new RegExp(`^identical: compared the events of ${confirmed.length} frames`, "m"),
  );
});

test("a machine whose memory is wrong is found by its hash, on both sides", async () => {
  await init();
  const peers = played(0, { faultAt: 120 });
  for (const { me, rollback, confirmed } of peers) {
    const { frame, player, ours, theirs } = rollback.desync;
    assert.equal(player, 1 - me);
    assert.ok(frame >= 120 && frame < 120 + 4 * WINDOW, `desync in frame ${frame}`);
    const hash = (one) => {
      const { hash, game } = one.confirmed[frame];
      const events = game.length > 0 ? hash64(Buffer.from(JSON.stringify(game))) : 0n;
      return (hash ^ one.saves.get(frame + 1) ^ events).toString(16).padStart(16, "0");
    };
    assert.deepEqual([ours, theirs], [hash(peers[me]), hash(peers[1 - me])]);
    assert.equal(confirmed[frame].frame, frame);
  }
  assert.equal(peers[0].confirmed[119].hash, peers[1].confirmed[119].hash);
});

// Two machines whose own state counts, and moves nothing. faultAt: the frame that machine 1 counts
// twice. late: how many ticks a packet takes.
function counted(ticks, faultAt, late) {
  const machines = [0, 1].map((me) => {
    const world = new World(1);
    const game = {
      world,
      count: 0,
      play([a, b]) {
        game.count += a + b + (me === 1 && world.frame === faultAt ? 1 : 0);
        return { events: world.step() };
      },
      save: () => Uint8Array.of(game.count),
      load: ([count]) => {
        game.count = count;
      },
    };
    return { me, rollback: new Rollback(game, { players: 2, window: 20 }), hashes: [], sent: [] };
  });
  for (let now = 0; now < ticks; now++) {
    for (const { me, rollback, hashes } of machines) {
      const packet = machines[1 - me].sent[now - late];
      if (packet) rollback.receive(1 - me, packet);
      hashes.push(...rollback.tick({ [me]: now % (2 + me) }).confirmed.map(({ hash }) => hash));
    }
    for (const { me, rollback, sent } of machines) sent.push(rollback.packet(me));
  }
  return machines;
}

test("a machine whose own state is wrong is found, though its world is not", async () => {
  await init();
  const machines = counted(40, 9, 3);
  assert.equal(machines[0].hashes[9], machines[1].hashes[9]);
  for (const { me, rollback } of machines) {
    const { frame, player } = rollback.desync;
    assert.deepEqual([frame, player], [9, 1 - me]);
  }
  for (const { rollback } of counted(40, null, 3)) assert.equal(rollback.desync, null);
});

test("a packet has the inputs that another machine may lack, and no others", async () => {
  await init();
  for (const late of [1, 3, 9]) {
    for (const { sent } of counted(100, null, late)) {
      for (const [now, { frame, values }] of sent.entries()) {
        assert.equal(frame + values.length, now + 1);
        if (now > 2 * late) assert.equal(values.length, 2 * late, `tick ${now}`);
      }
    }
  }
  const world = new World(1);
  const game = { world, play: () => ({ events: world.step() }) };
  const rollback = new Rollback(game, { players: 3, window: 8 });
  for (let i = 0; i < 8; i++) rollback.tick({ 0: i });
  const hash = "0".repeat(16);
  const first = (player, frame) => {
    rollback.receive(player, { ...rollback.packet(1), last: [frame, hash] });
    return rollback.packet(0).frame;
  };
  assert.equal(first(1, 5), 0, "player 2 may lack all");
  assert.equal(first(2, 2), 3);
  assert.equal(first(2, 6), 6);
  assert.equal(first(2, 4), 6, "an old packet takes nothing back");
  assert.equal(first(1, 7), 7);
  assert.deepEqual(rollback.packet(0).values, [7]);
  for (const frame of [8, 900]) {
    assert.throws(
      () => first(2, frame),
      new RegExp(
        "packet\\.last\\[0\\] must be before frame 8, which has no inputs of ours yet, " +
          `not ${frame}$`,
      ),
    );
  }
  assert.deepEqual(rollback.packet(0).values, [7]);
});

test("a machine without an input of another waits at its window, then goes on", async () => {
  await init();
  const world = new World(4);
  world.add(0, sphere(2), { x: 0, y: 0, z: 0 });
  world.add(1, sphere(2), { x: 9, y: 0, z: 0 });
  const play = (inputs) => {
    const commands = inputs.map((x, id) => ["move", id, [x, 0, 0]]);
    world.apply(commands);
    return { commands, events: world.step() };
  };
  const rollback = new Rollback({ world, play }, { players: 2, window: 2 });
  const enter = { frame: 0, a: 0, b: 1, kind: ENTER, contact: 2 };
  const setup = [0, 2, 2, 0];
  assert.deepEqual(rollback.packet(0), { setup, frame: 0, values: [], last: null });
  assert.deepEqual(rollback.tick({ 0: 5 }).predicted, []);
  assert.equal(rollback.tick({ 0: 5 }).isStepped, true);
  assert.deepEqual([rollback.frame, rollback.free, rollback.confirmed], [2, 0, 0]);
  assert.equal(rollback.tick({ 0: 6 }).isStepped, false);
  assert.deepEqual(rollback.packet(0), { setup, frame: 0, values: [5, 5], last: null });
  rollback.receive(1, { setup, frame: 0, values: [5], last: null });
  const reported = rollback.tick({ 0: 7 });
  assert.deepEqual([reported.isStepped, reported.again, reported.confirmed.length], [true, 2, 1]);
  assert.deepEqual(reported.confirmed[0].events, [{ a: 0, b: 1, kind: ENTER, contact: 2 }]);
  assert.deepEqual(
    reported.predicted.filter(({ frame }) => frame === enter.frame),
    [],
  );
  const [frame, hash] = rollback.packet(0).last;
  assert.deepEqual([frame, hash], [0, reported.confirmed[0].hash.toString(16).padStart(16, "0")]);
  rollback.dispose();
  assert.throws(() => rollback.frame, /the history is disposed/);
});

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
  const straight = new Duel();
  const expected = [];
  for (let frame = 0; frame < 200; frame++) {
    expected.push(straight.play([0, 1].map((player) => press(player, frame))).hash);
  }
  const start = new Duel().save().length;
  const ownMax = start + 2 * 8 + 3;
  const saved = new Map(); // lengths, by the bytes
  const machines = [0, 1].map((me) => {
    const game = new Duel();
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
    return { me, game, rollback: new Rollback(game, { players: 2, window: 8, ownMax }), again: 0 };
  });
  let flying = [];
  const confirmed = [[], []];
  for (let now = 0; now < 300; now++) {
    for (const machine of machines) {
      const { me, rollback } = machine;
      for (const { to, at, packet } of flying)
        if (to === me && at === now) rollback.receive(1 - me, packet);
      const reported = rollback.tick({ [me]: press(me, rollback.frame) });
      machine.again += reported.again;
      confirmed[me].push(...reported.confirmed);
      flying.push({ to: 1 - me, at: now + 3 + (now % 3), packet: rollback.packet(me) });
    }
    flying = flying.filter(({ at }) => at > now);
  }
  for (const { me, rollback, again } of machines) {
    assert.equal(rollback.desync, null);
    assert.ok(again > 50, `${again} frames were stepped again`);
    const hashes = confirmed[me].slice(0, 200).map(({ hash }) => hash);
    assert.deepEqual(hashes, expected);
  }
  assert.equal(24 + 4 * FXS_VICTIMS_MAX, 280, "docs/web.md has the most bytes of a body");
  const lengths = new Set(saved.values());
  assert.ok(lengths.size >= 4, `states of ${[...lengths]} bytes`);
  assert.throws(
    () => new Rollback(new Duel(), { players: 2, ownMax: start - 1 }),
    new RegExp(`own must be a Uint8Array of 0\\.\\.${start - 1} bytes, not ${start}$`),
  );
  const small = new Rollback(new Duel(), { players: 2, ownMax: start });
  assert.throws(() => small.tick({ 0: 1 }), /own must be a Uint8Array of 0\.\.\d+ bytes, not \d+$/);
});

test("a rollback refuses with name, value and range", async () => {
  await init();
  const world = new World(4);
  const game = { world, play: () => ({ events: world.step() }) };
  const rollback = new Rollback(game, { players: 2, window: 3 });
  rollback.receive(1, rollback.packet(0)); // of player 1: it has no inputs
  assert.throws(
    () => rollback.tick({ 0: 4, 1: 4 }),
    /pressed must have no player of another machine, as 1$/,
  );
  rollback.tick({ 0: 4 });
  const good = { setup: [0, 2, 3, 0], frame: 0, values: [1], last: null };
  const before = JSON.stringify(rollback.packet(0));
  for (const [act, words] of [
    [() => new Rollback({}, { players: 2 }), /^ArgumentTypeError: world must be a World/],
    [() => new Rollback({ world }, { players: 2 }), /game\.play must be a function, not undefined/],
    [
      () => new Rollback({ ...game, save: () => new Uint8Array(0) }, { players: 2 }),
      /game\.load must be there with game\.save, and only then, not undefined/,
    ],
    [() => new Rollback(game, { players: 0 }), /players must be 1\.\.65536, not 0/],
    [() => new Rollback(game, { players: 1, window: 0 }), /window must be 1\.\.1048576, not 0/],
    [() => new Rollback(game, { players: 1, delay: -1 }), /delay must be 0\.\.1024, not -1/],
    [() => new Rollback(game, { players: 1, match: -1 }), /match must be 0\.\.4294967295, not -1/],
    [() => rollback.receive(0, good), /player must be one of another machine, not 0/],
    [() => rollback.receive(2, good), /player must be 0\.\.1, not 2/],
    [() => rollback.packet(2), /player must be 0\.\.1, not 2/],
    [() => rollback.receive(1, null), /packet must be an object, not null/],
    [() => rollback.receive(1, new Uint8Array(4)), /packet must be an object, not an? Uint8Array/],
    [
      () => rollback.receive(1, {}),
      /packet\.setup\[0\] \(match\) must be 0, as here, not undefined/,
    ],
    [
      () => rollback.receive(1, { ...good, setup: [9, 2, 3, 0] }),
      /packet\.setup\[0\] \(match\) must be 0, as here, not 9/,
    ],
    [
      () => rollback.receive(1, { ...good, setup: [0, 2, 3, 2] }),
      /packet\.setup\[3\] \(delay\) must be 0, as here, not 2/,
    ],
    [
      () => rollback.receive(1, { ...good, values: new Array(2e6) }),
      /packet\.values must be an array of at most 6 inputs, not 2000000$/,
    ],
    [
      () => rollback.receive(1, { ...good, values: [7, 7, "x"] }),
      /packet\.values\[2\] must be an integer, not "x"/,
    ],
    [() => rollback.receive(1, { ...good, frame: -1 }), /packet\.frame must be 0\.\.4294967295/],
    [
      () => rollback.receive(1, { ...good, values: [7], last: [0, "no"] }),
      /packet\.last must be \[frame, hash\]/,
    ],
    [
      () => rollback.receive(1, { ...good, values: [7], last: [-1, "0".repeat(16)] }),
      /packet\.last\[0\] must be 0\.\.4294967295, not -1/,
    ],
    [() => rollback.tick({ 2: 4 }), /a player of pressed must be 0\.\.1, not 2/],
    [() => rollback.tick({ abc: 4 }), /a player of pressed must be 0\.\.1, not abc/],
    [() => rollback.tick({ 0: 0.5 }), /pressed\[0\] must be an integer, not 0\.5/],
    [() => rollback.tick(), /pressed must have players 0, as in the first tick, not none/],
    [() => rollback.tick([4]), /pressed must be an object, not \[4\]/],
  ]) {
    assert.throws(act, words, String(act));
  }
  assert.deepEqual([rollback.frame, rollback.confirmed, rollback.desync], [1, 0, null]);
  assert.equal(JSON.stringify(rollback.packet(0)), before);
  rollback.receive(1, good); // no refused packet has left an input
  assert.equal(rollback.tick({ 0: 5 }).confirmed.length, 1);
});

test("what play and load throw loses no frame, and the match goes on", async () => {
  await init();
  const ends = [null, "play", "step", "load", "save", "answer"].map((where) => {
    const games = [0, 1].map(() => ({ world: new World(2), total: 0 }));
    let rest = 3; // the machine throws three times, in calls 11, 22 and 33
    let calls = 0;
    const fault = (at) => {
      if (where === at && rest > 0 && ++calls % 11 === 0) {
        rest--;
        throw new Error(`in ${at}`);
      }
    };
    const peers = games.map((game, me) => {
      game.world.add(0, sphere(ONE), { x: 0, y: 0, z: 0 });
      const throws = (at) => me === 0 && fault(at);
      const play = (inputs) => {
        throws("play");
        game.total = (game.total * 3 + inputs[0] - inputs[1]) & 0xff;
        game.world.move(0, game.total, 0, 0);
        const events = game.world.step();
        throws("step");
        const own = { a: 0, b: 0, kind: 16, value: game.total };
        return where === "answer" && me === 0 && rest > 0 && ++calls % 11 === 0
          ? (rest--, { evnts: events })
          : { events, game: [own] };
      };
      const save = () => {
        throws("save");
        return Uint8Array.of(game.total);
      };
      const load = ([total]) => {
        throws("load");
        game.total = total;
      };
      // The first save is of the constructor.
      return new Rollback({ world: game.world, play, save, load }, { players: 2 });
    });
    const frames = [[], []];
    const sent = [];
    let thrown = 0;
    for (let now = 0; now < 300; now++) {
      for (const [me, peer] of peers.entries()) {
        if (now >= 3) peer.receive(1 - me, JSON.parse(sent[now - 3][1 - me]));
        try {
          const { confirmed } = peer.tick({ [me]: (peer.frame * (3 + me)) % 7 });
          frames[me].push(...confirmed);
        } catch (error) {
          assert.match(
            String(error),
            /in (play|step|load|save)|what play returns must be .*, not "evnts"/,
          );
          thrown++;
        }
      }
      sent.push(peers.map((peer, me) => JSON.stringify(peer.packet(me))));
    }
    assert.equal(thrown, where === null ? 0 : 3, where);
    assert.equal(peers[0].desync ?? peers[1].desync, null, where);
    for (const one of frames) {
      assert.deepEqual(
        one.slice(0, 250).map(({ frame }) => frame),
        Array.from({ length: 250 }, (_, i) => i),
        where,
      );
    }
    return JSON.stringify(frames[0].slice(0, 250).map(({ hash, game }) => [String(hash), game]));
  });
  assert.equal(new Set(ends).size, 1, "the match is the one in which nothing is thrown");
});

test("what play returns is checked", async () => {
  await init();
  const world = new World(1);
  const all = "\\{ commands, events, game, reactions, hash \\}, at least events";
  for (const [answer, words] of [
    [undefined, "an object, not undefined"],
    [[], "an object, not \\[\\]"],
    [Promise.resolve(), `${all}, not a Promise`],
    [{ commands: [] }, `${all}, not an Object`],
    [{ events: [], command: [] }, `${all}, not "command"`],
  ]) {
    const rollback = new Rollback({ world, play: () => answer }, { players: 1 });
    for (let again = 0; again < 2; again++)
      assert.throws(
        () => rollback.tick({ 0: 1 }),
        new RegExp(`what play returns must be ${words}$`),
      );
  }
});

test("packets of the match before change nothing in the next one", async () => {
  await init();
  const matchOf = (match) =>
    [0, 1].map(() => {
      const world = new World(1);
      return new Rollback({ world, play: () => ({ events: world.step() }) }, { players: 2, match });
    });
  let late = [];
  for (const match of [1, 2]) {
    const peers = matchOf(match);
    for (const packet of late)
      assert.throws(() => peers[0].receive(1, packet), /\(match\) must be 2/);
    for (let now = 0; now < 100; now++) {
      for (const [me, peer] of peers.entries()) peer.tick({ [me]: now % 3 });
      late = peers.map((peer, me) => peer.packet(me));
      for (const [me, peer] of peers.entries()) peer.receive(1 - me, late[1 - me]);
    }
    for (const peer of peers) assert.equal(peer.frame, 100);
  }
});

test("the game's own events are compared, and one who watches needs no player", async () => {
  await init();
  const peers = [0, 1, 2].map((me) => {
    const world = new World(1);
    const play = ([a]) => {
      const { frame } = world;
      const value = a + (me === 1 && frame === 20 ? 1 : 0);
      return { events: world.step(), game: [{ a: 0, b: 0, kind: 16, value }] };
    };
    return new Rollback({ world, play }, { players: 2 });
  });
  for (let now = 0; now < 60; now++) {
    for (const me of [0, 1]) {
      peers[me].tick({ [me]: now % 3 });
      for (const [other, peer] of peers.entries())
        if (other !== me) peer.receive(me, peers[me].packet(me));
    }
    peers[2].tick();
  }
  assert.equal(peers[2].frame, 60);
  assert.deepEqual([peers[0].desync.frame, peers[0].desync.player], [20, 1]);
  assert.deepEqual([peers[2].desync.frame, peers[2].desync.player], [20, 1]);
});
