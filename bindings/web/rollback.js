// A peer of a match that rolls back: it steps on predicted inputs, and steps again where they were
// wrong. It knows nothing of the network.

import { ArgumentRangeError, integer, object, optionsIn, uint32, wrong } from "./checks.js";
import { after, History, Inputs } from "./history.js";
import { DISPOSE } from "./kernel.js";
import { hex16 } from "./logs.js";
import { hash64, worldIn } from "./world.js";

const PREDICTED_MAX = 2 ** 20;
const DELAY_MAX = 2 ** 10;

const isBefore = (a, b) => ((a - b) | 0) < 0;

const isHash = (text) => typeof text === "string" && /^[0-9a-f]{16}$/.test(text);

export class Rollback {
  #game;
  #history;
  #inputs;
  #delay;
  #kept; // how many inputs and hashes are kept
  #own = new Map(); // by local player: its last inputs
  #has; // by player: the first frame for which its machine may lack inputs of ours
  #saves = new Map(); // by frame that is not confirmed: the hash of the game's own state after it
  #ours = new Map(); // by confirmed frame: the hash of world and game
  #theirs = []; // { player, frame, hash } of frames that are not confirmed here
  #desync = null;

  /** game: { world, play(inputs), save(), load(own) }; play gives what History.push takes. window:
   * how many frames may be predicted. delay: frames from a local input to the frame it is for.
   * ownMax: the most bytes of `save`; if it is left out, they are always as many. */
  constructor(game, options) {
    const known = "players, window, ownMax, delay";
    const { players, window = 8, delay = 0, ownMax } = optionsIn(options, known);
    const from = worldIn(game?.world) && game.world.frame;
    const frames = integer("window", window, 1, PREDICTED_MAX);
    this.#delay = integer("delay", delay, 0, DELAY_MAX);
    this.#game = game;
    // A peer is at most a window ahead of what it knows of another, which is as far ahead of it.
    this.#kept = 2 * frames + delay;
    this.#inputs = new Inputs(players, this.#kept, from);
    this.#has = new Array(players).fill(from);
    this.#history = new History(game.world, frames, game.save?.(), ownMax);
    for (let player = 0; player < players; player++) {
      for (let i = 0; i < delay; i++) this.#inputs.put(player, after(from, i), 0);
    }
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

  /** The first confirmed frame after which another player's world or game is not this one, or null:
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
    const values = this.#own.get(player) ?? [];
    const next = this.#has[player];
    if (values.length > 0 && frame !== next)
      throw new ArgumentRangeError(
        `pressed must have player ${player}: frame ${next} has no input`,
      );
    values.push(value);
    if (values.length > this.#kept) values.shift();
    this.#own.set(player, values);
    this.#has[player] = after(frame, 1);
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
    const own = this.#game.save?.();
    const { takenBack, predicted } = this.#history.push(this.#game.world, {
      ...played,
      own,
      isFinal,
    });
    this.#saves.set(frame, own ? hash64(own) : 0n);
    for (const event of takenBack) told.takenBack.push({ frame, ...event });
    for (const event of predicted) told.predicted.push({ frame, ...event });
  }

  #confirm(told) {
    for (const confirmed of this.#history.confirm()) {
      const { frame, hash } = confirmed;
      told.confirmed.push(confirmed);
      this.#ours.set(frame, hex16(hash ^ this.#saves.get(frame)));
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
   * { frame, values, last }: inputs from a frame on, and the last confirmed frame with its hash. */
  packet(player) {
    const values = this.#own.get(this.#player(player)) ?? [];
    const next = this.#has[player];
    // A machine that has confirmed a frame has all inputs up to it.
    const lacked = Math.max(...this.#has.map((has) => (next - has) | 0));
    const sent = values.slice(Math.max(0, values.length - lacked));
    return { frame: after(next, -sent.length), values: sent, last: [...this.#ours].at(-1) ?? null };
  }

  #player(player) {
    return integer("player", player, 0, this.#has.length - 1);
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
    if (this.#own.has(this.#player(player)))
      throw new ArgumentRangeError(`player must be one of another machine, not ${player}`);
    for (const [i, value] of values.entries()) this.#inputs.put(player, after(first, i), value);
    if (last === null) return;
    const theirs = { player, frame: uint32("packet.last[0]", last[0]), hash: last[1] };
    const has = after(last[0], 1);
    if (isBefore(this.#has[player], has)) this.#has[player] = has;
    if (this.#isOpen(theirs)) this.#theirs.push(theirs);
    if (this.#theirs.length > 4 * this.#kept) this.#theirs.shift();
  }

  /** Gives the memory back; the world stays. */
  dispose() {
    this.#history.dispose();
    this.#inputs.dispose();
  }
}

Rollback.prototype[DISPOSE] = Rollback.prototype.dispose;
