// A peer of a match that rolls back: it steps on predicted inputs, and steps again where they were
// wrong. It knows nothing of the network.

import {
  ArgumentRangeError,
  integer,
  object,
  optionsIn,
  UINT32_MAX,
  uint32,
  wrong,
} from "./checks.js";
import { after, History, Inputs } from "./history.js";
import { DISPOSE } from "./kernel.js";
import { hex16 } from "./logs.js";
import { hash64, worldIn } from "./world.js";

const PREDICTED_MAX = 2 ** 20;
const DELAY_MAX = 2 ** 10;
const SETUP = ["match", "players", "window", "delay"]; // the same on all machines
const PLAYED = ["commands", "events", "game", "reactions", "hash"];

const isBefore = (a, b) => ((a - b) | 0) < 0;

const isHash = (text) => typeof text === "string" && /^[0-9a-f]{16}$/.test(text);

const nothing = () => ({
  isStepped: false,
  again: 0,
  takenBack: [],
  predicted: [],
  confirmed: [],
});

const inputIn = (name, value) => {
  const most = Number.MAX_SAFE_INTEGER;
  return integer(name, value, -most, most);
};

export class Rollback {
  #game;
  #history;
  #inputs;
  #setup; // the values of SETUP
  #delay;
  #kept; // how many inputs and hashes are kept
  #behind = 0; // how many frames must be stepped again before the next: `play` threw in the first
  #isChanged = false; // `play` or `load` has thrown: the world is not the one before its frame
  #changes = nothing(); // by a tick that threw, and not returned yet
  #local = null; // the local players, as text: those of the first tick
  #own = new Map(); // by local player: its last inputs
  #given; // the first frame without inputs of ours
  #heard = new Set(); // players of other machines
  #has; // by player: the first frame for which its machine may lack inputs of ours
  #saves = new Map(); // by frame that is not confirmed: the hash of the game's own state after it
  #ours = new Map(); // by confirmed frame: the hash of world and game
  #theirs = []; // { player, frame, hash } of frames that are not confirmed here
  #desync = null;

  /** game: { world, play(inputs), save(), load(own) }; play gives what History.push takes. window:
   * how many frames may be predicted. delay: frames from a local input to the frame it is for.
   * ownMax: the most bytes of `save`; if it is left out, they are always as many. match: a number
   * of this match; packets of another are refused. */
  constructor(game, options) {
    const known = `${SETUP.join(", ")}, ownMax`;
    const { players, window = 8, delay = 0, match = 0, ownMax } = optionsIn(options, known);
    const from = worldIn(game?.world) && game.world.frame;
    if (typeof game.play !== "function") throw wrong("game.play", "a function", game.play);
    if (typeof game.save !== typeof game.load)
      throw wrong("game.load", "there with game.save, and only then", game.load);
    const frames = integer("window", window, 1, PREDICTED_MAX);
    this.#delay = integer("delay", delay, 0, DELAY_MAX);
    this.#setup = [integer("match", match, 0, UINT32_MAX), players, frames, delay];
    this.#game = game;
    // A peer is at most a window ahead of what it knows of another, which is as far ahead of it.
    this.#kept = 2 * frames + delay;
    this.#given = after(from, delay);
    this.#inputs = new Inputs(players, this.#kept, from);
    this.#has = new Array(players).fill(from);
    this.#history = new History(game.world, frames, game.save?.(), ownMax);
    for (let player = 0; player < players; player++) {
      for (let i = 0; i < delay; i++) this.#inputs.put(player, after(from, i), 0);
    }
  }

  /** The frame that is stepped next. */
  get frame() {
    return after(this.#history.head, this.#behind);
  }

  /** The oldest frame that is not confirmed. */
  get confirmed() {
    return this.#history.first;
  }

  /** How many frames can be stepped before an input must come. */
  get free() {
    return this.#history.free;
  }

  /** The first confirmed frame after which another player's world or game is not this one, or null:
   * { frame, player, ours, theirs }. */
  get desync() {
    return this.#desync;
  }

  /** Steps frames again that were predicted wrongly, then the next frame if its window has room.
   * pressed: the inputs of the local players, by player. What `play` or `load` throws is passed on;
   * the next tick begins again with the frame in which it was thrown. */
  tick(pressed = {}) {
    const values = this.#pressedIn(pressed);
    this.#repair();
    this.#confirm();
    const changes = this.#changes;
    if (this.free > 0) {
      const at = after(this.frame, this.#delay);
      // After `play` threw, the first input for a frame counts.
      if (this.#given === at) this.#press(values, at);
      this.#step(this.frame);
      this.#confirm();
      changes.isStepped = true;
    }
    this.#changes = nothing();
    return changes;
  }

  #pressedIn(pressed) {
    const values = new Map();
    for (const [key, value] of Object.entries(object("pressed", pressed))) {
      const player = Number(key);
      if (!(player in this.#has)) {
        throw new ArgumentRangeError(
          `a player of pressed must be 0..${this.#has.length - 1}, not ${key}`,
        );
      }
      if (this.#heard.has(player))
        throw new ArgumentRangeError(`pressed must have no player of another machine, as ${key}`);
      values.set(player, inputIn(`pressed[${key}]`, value));
    }
    const local = [...values.keys()].join(", ");
    if (local !== (this.#local ?? local)) {
      const all = `players ${this.#local || "none"}, as in the first tick`;
      throw new ArgumentRangeError(`pressed must have ${all}, not ${local || "none"}`);
    }
    return values;
  }

  #press(values, frame) {
    this.#local = [...values.keys()].join(", ");
    for (const [player, value] of values) {
      this.#inputs.put(player, frame, value);
      const own = this.#own.get(player) ?? [];
      own.push(value);
      if (own.length > this.#kept) own.shift();
      this.#own.set(player, own);
      this.#has[player] = after(frame, 1);
    }
    this.#given = after(frame, 1);
  }

  // Goes back to the first frame with a wrong prediction, or to the one in which `play` threw, and
  // steps all frames since then again.
  #repair() {
    const { head } = this.#history;
    const { redo, confirmed } = this.#inputs;
    const from = isBefore(redo, head) ? redo : head;
    this.#history.settle(isBefore(from, confirmed) ? from : confirmed);
    this.#behind += (head - from) >>> 0;
    if (from !== head || this.#isChanged) {
      this.#isChanged = true;
      const own = this.#history.back(from, this.#game.world);
      this.#game.load?.(own);
      this.#isChanged = false;
    }
    for (; this.#behind > 0; this.#behind--) {
      this.#step(this.#history.head);
      this.#changes.again++;
    }
  }

  #step(frame) {
    this.#isChanged = true;
    const played = this.#game.play(this.#inputs.take(frame));
    const odd = Object.keys(object("what play returns", played)).find((k) => !PLAYED.includes(k));
    if (odd !== undefined || played.events === undefined) {
      const all = `{ ${PLAYED.join(", ")} }, at least events`;
      throw wrong("what play returns", all, odd ?? played);
    }
    const isFinal = isBefore(frame, this.#inputs.confirmed);
    const own = this.#game.save?.();
    const { takenBack, predicted } = this.#history.push(this.#game.world, {
      ...played,
      own,
      isFinal,
    });
    this.#isChanged = false;
    this.#saves.set(frame, own ? hash64(own) : 0n);
    const changes = this.#changes;
    for (const event of takenBack) changes.takenBack.push({ frame, ...event });
    for (const event of predicted) changes.predicted.push({ frame, ...event });
  }

  #confirm() {
    for (const confirmed of this.#history.confirm()) {
      const { frame, game, hash } = confirmed;
      this.#changes.confirmed.push(confirmed);
      const events = game.length && hash64(new TextEncoder().encode(JSON.stringify(game)));
      this.#ours.set(frame, hex16(hash ^ this.#saves.get(frame) ^ BigInt(events)));
      this.#saves.delete(frame);
      if (this.#ours.size > this.#kept) this.#ours.delete(this.#ours.keys().next().value);
    }
    this.#theirs = this.#theirs.filter((theirs) => this.#isOpen(theirs));
  }

  // Compares a hash of another player with ours; true if ours is not known yet.
  #isOpen({ player, frame, hash }) {
    if (!isBefore(frame, this.confirmed)) return true;
    const ours = this.#ours.get(frame) ?? hash; // an older one is not kept
    const isFirst = isBefore(frame, this.#desync?.frame ?? this.confirmed);
    if (isFirst && ours !== hash) this.#desync = { frame, player, ours, theirs: hash };
    return false;
  }

  /** The packet of a local player, to be sent often; a lost one costs only time. It is JSON:
   * { setup, frame, values, last }: what must be the same on all machines, inputs from a frame on,
   * and the last confirmed frame with its hash. */
  packet(player) {
    const values = this.#own.get(this.#player(player)) ?? [];
    const next = this.#given;
    // A machine that has confirmed a frame has all inputs up to it.
    const lacked = Math.max(...this.#has.map((has) => (next - has) | 0));
    const sent = values.slice(Math.max(0, values.length - lacked));
    const last = [...this.#ours].at(-1) ?? null;
    return { setup: this.#setup, frame: after(next, -sent.length), values: sent, last };
  }

  #player(player) {
    return integer("player", player, 0, this.#has.length - 1);
  }

  /** Takes a packet of a player, in any order, any number of times. */
  receive(player, packet) {
    const { setup, frame, values, last } = object("packet", packet);
    if (this.#own.has(this.#player(player)))
      throw new ArgumentRangeError(`player must be one of another machine, not ${player}`);
    for (const [i, name] of SETUP.entries()) {
      const [ours, theirs] = [this.#setup[i], setup?.[i]];
      if (ours !== theirs) throw wrong(`packet.setup[${i}] (${name})`, `${ours}, as here`, theirs);
    }
    if (!Array.isArray(values) || values.length > this.#kept) {
      const most = `an array of at most ${this.#kept} inputs`;
      throw wrong("packet.values", most, values?.length > this.#kept ? values.length : values);
    }
    for (const [i, value] of values.entries()) inputIn(`packet.values[${i}]`, value);
    const first = uint32("packet.frame", frame);
    const theirs = last === null ? null : this.#lastIn(player, last);
    this.#heard.add(player);
    for (const [i, value] of values.entries()) this.#inputs.put(player, after(first, i), value);
    if (theirs === null) return;
    const has = after(theirs.frame, 1);
    if (isBefore(this.#has[player], has) && !isBefore(this.#given, has)) this.#has[player] = has;
    if (this.#isOpen(theirs)) this.#theirs.push(theirs);
    if (this.#theirs.length > 4 * this.#kept) this.#theirs.shift();
  }

  #lastIn(player, last) {
    if (!Array.isArray(last) || !isHash(last[1]))
      throw wrong("packet.last", "[frame, hash] or null", last);
    const frame = uint32("packet.last[0]", last[0]);
    if (this.#local && !isBefore(frame, this.#given)) {
      const most = `before frame ${this.#given}, which has no inputs of ours yet`;
      throw new ArgumentRangeError(`packet.last[0] must be ${most}, not ${frame}`);
    }
    return { player, frame, hash: last[1] };
  }

  /** Gives the memory back; the world stays. */
  dispose() {
    this.#history.dispose();
    this.#inputs.dispose();
  }
}

Rollback.prototype[DISPOSE] = Rollback.prototype.dispose;
