// A peer of a match that rolls back: it steps on predicted inputs, and steps again where they were
// wrong. It knows nothing of the network.

import { ArgumentRangeError, integer, object, optionsIn, uint32, wrong } from "./checks.js";
import { after, History, Inputs } from "./history.js";
import { DISPOSE } from "./kernel.js";
import { hex16 } from "./logs.js";
import { worldIn } from "./world.js";

const WINDOW_MAX = 2 ** 20;
const DELAY_MAX = 2 ** 10;

const isBefore = (a, b) => ((a - b) | 0) < 0;

const isHash = (text) => typeof text === "string" && /^[0-9a-f]{16}$/.test(text);

export class Rollback {
  #game;
  #history;
  #inputs;
  #delay;
  #kept; // how many inputs and hashes are kept
  #own = new Map(); // by local player: { frame: the first, values }
  #ours = new Map(); // by confirmed frame: the hash
  #theirs = []; // { player, frame, hash } of frames that are not confirmed here
  #desync = null;

  /** game: { world, play(inputs), save(), load(own) }; play gives what History.push takes. window:
   * how many frames may be predicted. delay: frames from a local input to the frame it is for.
   * ownMax: the most bytes of `save`; if it is left out, they are always as many. */
  constructor(game, options) {
    const known = "players, window, ownMax, delay";
    const { players, window = 8, delay = 0, ownMax } = optionsIn(options, known);
    const from = worldIn(game?.world) && game.world.frame;
    const frames = integer("window", window, 1, WINDOW_MAX);
    this.#delay = integer("delay", delay, 0, DELAY_MAX);
    this.#game = game;
    // A peer is at most a window ahead of what it knows of another, which is as far ahead of it.
    this.#kept = 2 * frames + delay;
    this.#inputs = new Inputs(players, this.#kept, from);
    this.#history = new History(game.world, frames, this.#saved(), ownMax);
    for (let player = 0; player < players; player++) {
      for (let i = 0; i < delay; i++) this.#inputs.put(player, after(from, i), 0);
    }
  }

  #saved() {
    return this.#game.save?.();
  }

  /** The frame that is stepped next. */
  get frame() {
    return this.#history.head;
  }

  /** The oldest frame that is not confirmed. */
  get confirmed() {
    return this.#history.first;
  }

  /** How many frames can be stepped before an input must come. */
  get free() {
    return this.#history.free;
  }

  /** The first confirmed frame after which another player's world is not this one, or null:
   * { frame, player, ours, theirs }. */
  get desync() {
    return this.#desync;
  }

  /** Steps frames again that were predicted wrongly, then the next frame if its window has room.
   * pressed: the inputs of the local players, by player. */
  tick(pressed = {}) {
    const told = { isStepped: false, again: 0, takenBack: [], predicted: [], confirmed: [] };
    this.#repair(told);
    this.#confirm(told);
    if (this.free === 0) return told;
    const { frame } = this;
    for (const [player, value] of Object.entries(object("pressed", pressed))) {
      this.#press(Number(player), after(frame, this.#delay), value);
    }
    this.#step(frame, told);
    this.#confirm(told);
    told.isStepped = true;
    return told;
  }

  #press(player, frame, value) {
    this.#inputs.put(player, frame, value);
    if (!this.#own.has(player)) this.#own.set(player, { frame, values: [] });
    const own = this.#own.get(player);
    if (frame !== after(own.frame, own.values.length)) {
      const next = after(own.frame, own.values.length);
      throw new ArgumentRangeError(
        `pressed must have player ${player}: frame ${next} has no input`,
      );
    }
    own.values.push(value);
    if (own.values.length > this.#kept) {
      own.values.shift();
      own.frame = after(own.frame, 1);
    }
  }

  // Goes back to the first frame with a wrong prediction, and steps all frames since then again.
  #repair(told) {
    const { frame } = this;
    const { redo, confirmed } = this.#inputs;
    this.#history.settle(isBefore(redo, confirmed) ? redo : confirmed);
    if (redo === frame) return;
    const own = this.#history.back(redo, this.#game.world);
    this.#game.load?.(own);
    for (let at = redo; at !== frame; at = after(at, 1)) this.#step(at, told);
    told.again = (frame - redo) >>> 0;
  }

  #step(frame, told) {
    const played = this.#game.play(this.#inputs.take(frame));
    const isFinal = isBefore(frame, this.#inputs.confirmed);
    const { takenBack, predicted } = this.#history.push(this.#game.world, {
      ...played,
      own: this.#saved(),
      isFinal,
    });
    for (const event of takenBack) told.takenBack.push({ frame, ...event });
    for (const event of predicted) told.predicted.push({ frame, ...event });
  }

  #confirm(told) {
    for (const confirmed of this.#history.confirm()) {
      const { frame, hash } = confirmed;
      told.confirmed.push(confirmed);
      this.#ours.set(frame, hex16(hash));
      if (this.#ours.size > this.#kept) this.#ours.delete(this.#ours.keys().next().value);
    }
    this.#theirs = this.#theirs.filter((theirs) => this.#isOpen(theirs));
  }

  // Compares a hash of another player with ours; true if ours is not known yet.
  #isOpen({ player, frame, hash }) {
    if (!isBefore(frame, this.confirmed)) return true;
    const ours = this.#ours.get(frame);
    if (ours !== undefined && ours !== hash) {
      const isFirst = this.#desync === null || isBefore(frame, this.#desync.frame);
      if (isFirst) this.#desync = { frame, player, ours, theirs: hash };
    }
    return false;
  }

  /** The packet of a local player, to be sent often; a lost one costs only time. It is JSON:
   * { frame, values, last }: inputs from a frame on, and the last confirmed frame with its hash. */
  packet(player) {
    const { frame, values } = this.#own.get(integer("player", player, 0, 65535)) ?? {
      frame: this.frame,
      values: [],
    };
    const last = [...this.#ours].at(-1) ?? null;
    return { frame, values: [...values], last };
  }

  /** Takes a packet of a player, in any order, any number of times. */
  receive(player, packet) {
    const { frame, values, last } = packet ?? {};
    if (!Array.isArray(values) || values.length > this.#kept) {
      const most = `an array of at most ${this.#kept} inputs`;
      throw wrong("packet.values", most, values);
    }
    const first = uint32("packet.frame", frame);
    if (last !== null && !(Array.isArray(last) && isHash(last[1]))) {
      throw wrong("packet.last", "[frame, hash] or null", last);
    }
    if (this.#own.has(player))
      throw new ArgumentRangeError(`player must be one of another machine, not ${player}`);
    for (const [i, value] of values.entries()) this.#inputs.put(player, after(first, i), value);
    if (last === null) return;
    const theirs = { player, frame: uint32("packet.last[0]", last[0]), hash: last[1] };
    if (!this.#isOpen(theirs)) return;
    this.#theirs.push(theirs);
    if (this.#theirs.length > 4 * this.#kept) this.#theirs.shift();
  }

  /** Gives the memory back; the world stays. */
  dispose() {
    this.#history.dispose();
    this.#inputs.dispose();
  }
}

Rollback.prototype[DISPOSE] = Rollback.prototype.dispose;
