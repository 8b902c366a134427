// A peer of a match that rolls back: a shell over fxs_rollback of the kernel. It knows nothing of
// the network.
import {
  ArgumentRangeError,
  boolean,
  bytesIn,
  bytesOf,
  instance,
  integer,
  list,
  object,
  optionsIn,
  short,
  textIn,
  UINT64_MAX,
  wide,
  wrong,
} from "./checks.js";
import { commandsAt, putCommands, rowTotal } from "./commands.js";
import { eventsAt, eventWords, gameWords } from "./events.js";
import {
  addressOf,
  checked,
  Holder,
  kernel,
  memory,
  putRow,
  putWords,
  Room,
  results,
  scratch,
} from "./kernel.js";
import {
  FXS_CHECK_MAX,
  FXS_E_ABSENT,
  FXS_E_ID,
  FXS_E_INPUT,
  FXS_E_ORDER,
  FXS_E_ROOM,
  FXS_GAME_EVENT,
  FXS_HISTORY_FRAMES_MAX,
  FXS_INPUT_DELAY_MAX,
  FXS_INPUT_NUMBERS_MAX,
  FXS_MEMORY_MAX,
  FXS_OK,
  FXS_PACKET_SIZE,
  FXS_PREDICTION_MAX,
  FXS_ROLLBACK_CONFIRMED,
  FXS_ROLLBACK_GUESS,
  FXS_ROLLBACK_LOAD,
  FXS_ROLLBACK_NONE,
  FXS_ROLLBACK_PLAYERS_MAX,
  fxs_command,
  fxs_confirmed,
  fxs_desync,
  fxs_event,
  fxs_event_changes,
  fxs_pace,
  fxs_player_pace,
  fxs_pushed,
  fxs_recorded,
  fxs_refusal,
  fxs_rollback_request,
  fxs_rollback_settings,
} from "./raw.js";
import { stateDifferences } from "./states.js";
import { hash64, worldIn } from "./world.js";

const AT_RESULT = 256; // in the scratch memory, behind what is given
const OWN_MAX = 2 ** 30;
const LENGTH_BYTES = 8; // before own bytes of any length: how many there are
const NO_BYTES = new Uint8Array(0);
const PARTS = ["inputs", "world", "own", "events", "shown"];
const PACKET_FIELDS = (
  "bytes, random bytes, semantics, match, data, players, numbers, predictionMax, first frame, " +
  "local players, ack, head, confirmed, hash ack, frame of a hash, end of inputs, input, ahead"
).split(", ");
const PLAYED = ["commands", "events", "game", "reactions", "hash", "shown"];

const count64 = (at) => Number(memory.view.getBigUint64(at, true));
const word = (at) => memory.u32[at / 4];
const hexOf = (at) => memory.view.getBigUint64(at, true).toString(16).padStart(16, "0");
// The numbers of the bits of a word of 64.
const bitsAt = (at) => {
  const bits = memory.view.getBigUint64(at, true);
  return Array.from({ length: 64 }, (_, i) => i).filter((i) => (bits >> BigInt(i)) & 1n);
};

// A number of an input: one that a JavaScript number cannot hold is a BigInt.
function numberAt(at) {
  const number = memory.view.getBigInt64(at, true);
  return BigInt.asIntN(53, number) === number ? Number(number) : number;
}

// A digest: as it is, or of a text or bytes.
function digestIn(name, value) {
  if (typeof value === "string") return hash64(textIn(name, value));
  if (value instanceof Uint8Array) return hash64(value);
  return wide(name, value, 0n, UINT64_MAX);
}

/** What a sync test throws: a frame that was stepped again on the same inputs had another result. */
export class DesyncError extends Error {
  name = "DesyncError";

  constructor(desync) {
    const { message } = object("desync", desync);
    if (typeof message !== "string") throw wrong("desync.message", "a string", message);
    super(message);
    this.desync = desync;
  }
}

const nothing = () => ({
  isStepped: false,
  again: 0,
  takenBack: [],
  predicted: [],
  confirmed: [],
});

export class Rollback extends Holder {
  #game;
  #rooms;
  #settings; // as fxs_rollback_settings
  #peers; // by player
  #ownSizes; // least and most bytes of the game's own state
  #hasLength; // whether their number stands before them
  #ownNames;
  #changes = nothing(); // by a tick that threw, and not returned yet
  #head; // the frame that is stepped next
  #first; // the oldest frame that is not confirmed
  #isTold = false; // the sync test has thrown

  /** game: { world, play(inputs, frame), save(), load(own), guess(player, frame, input, age) }; play
   * gives { commands, events, game, reactions, hash, shown }. The options are the settings of the C header; match
   * and data may be texts or bytes. ownMax: the most bytes of `save`; if it is left out, they are
   * always as many. ownNames: [name, bytes] of what `save` writes, in order, for reports. */
  constructor(game, options) {
    const {
      players,
      numbers = 1,
      peers = [],
      predictionMax = 8,
      inputDelay = 0,
      check = 0,
      past = 60,
      match = 0,
      data = 0,
      random = globalThis.crypto.getRandomValues(new Uint8Array(16)),
      ownMax = null,
      ownNames = [],
      slows = false,
    } = optionsIn(
      options,
      "players, numbers, peers, predictionMax, inputDelay, check, past, match, data, random, " +
        "ownMax, ownNames, slows",
    );
    const world = worldIn(game?.world);
    if (typeof game.play !== "function") throw wrong("game.play", "a function", game.play);
    if (typeof game.save !== typeof game.load)
      throw wrong("game.load", "there with game.save, and only then", game.load);
    const rooms = { block: new Room(), own: new Room(), rows: new Room(), events: new Room() };
    rooms.inputs = new Room();
    super(rooms);
    this.#game = game;
    this.#rooms = rooms;
    const own = bytesIn("what game.save returns", game.save?.() ?? NO_BYTES);
    this.#hasLength = ownMax !== null;
    this.#ownSizes = this.#hasLength
      ? [0, integer("ownMax", ownMax, 0, OWN_MAX)]
      : [own.length, own.length];
    this.#ownNames = Array.from(list("ownNames", ownNames), (row, i) => {
      const name = `ownNames[${i}]`;
      const [own, bytes] = list(name, row, " [name, bytes]");
      if (typeof own !== "string") throw wrong(`${name}[0]`, "a string", own);
      return [own, integer(`${name}[1]`, bytes, 0, OWN_MAX)];
    });
    this.#settings = {
      match: digestIn("match", match),
      data: digestIn("data", data),
      own_size: BigInt(this.#ownSizes[1] + (this.#hasLength ? LENGTH_BYTES : 0)),
      state_size: 2n * kernel.fxs_world_save_size(world),
      command_room: 64n,
      event_room: 64n,
      past: integer("past", past, 0, FXS_HISTORY_FRAMES_MAX),
      players: integer("players", players, 1, FXS_ROLLBACK_PLAYERS_MAX),
      numbers: integer("numbers", numbers, 1, FXS_INPUT_NUMBERS_MAX),
      prediction_max: integer("predictionMax", predictionMax, 0, FXS_PREDICTION_MAX),
      input_delay: integer("inputDelay", inputDelay, 0, FXS_INPUT_DELAY_MAX),
      check: integer("check", check, 0, FXS_CHECK_MAX),
      guesses: typeof game.guess === "function" ? 1 : 0,
      slows: boolean("slows", slows) ? 1 : 0,
      own_has_length: this.#hasLength ? 1 : 0,
    };
    const most = players - 1;
    this.#peers = Array.from({ length: players }, (_, i) =>
      integer(`peers[${i}]`, list("peers", peers)[i] ?? 0, 0, most),
    );
    if (peers.length > players)
      throw new ArgumentRangeError(`peers must be of ${players} players, not ${peers.length}`);
    this.#putSettings(bytesOf("random", random, 16, 16));
    const bytes = Number(kernel.fxs_rollback_size(scratch));
    if (bytes === 0) throw this.#unsized();
    try {
      rooms.own.for(Number(this.#settings.own_size));
      rooms.inputs.for(8 * players * numbers);
      const at = rooms.block.for(bytes);
      checked(kernel.fxs_rollback_init(at, scratch, world, this.#ownIn(own)), "Rollback");
    } catch (error) {
      this.dispose();
      throw error;
    }
    this.#head = this.#first = game.world.frame;
  }

  #putSettings(random) {
    putRow(scratch, fxs_rollback_settings, this.#settings);
    memory.u8.set(random, scratch + fxs_rollback_settings.random);
    memory.u8.set(this.#peers, scratch + fxs_rollback_settings.peers);
  }

  #unsized() {
    const others = [...new Set(this.#peers)].sort((a, b) => a - b);
    return new ArgumentRangeError(
      others.some((peer, i) => peer !== i)
        ? `peers must have 0, this one, and others without a gap, not [${this.#peers}]`
        : `the frames of this match need more than ${FXS_MEMORY_MAX} bytes`,
    );
  }

  get #at() {
    return this.#rooms.block.live("rollback is");
  }

  /** The frame that is stepped next. */
  get head() {
    this.#at;
    return this.#head;
  }

  /** The oldest frame that is not confirmed. */
  get first() {
    this.#at;
    return this.#first;
  }

  #ownIn(own) {
    bytesOf("own", own, ...this.#ownSizes);
    const { at } = this.#rooms.own;
    if (this.#hasLength) putWords(at, [own.length, 0]);
    memory.u8.set(own, at + (this.#hasLength ? LENGTH_BYTES : 0));
    return at;
  }

  // Writes an input, one number or an array of them.
  #putInput(name, input, at) {
    const { numbers } = this.#settings;
    const values = numbers === 1 ? [input] : list(name, input, ` of ${numbers} numbers`);
    if (values.length !== numbers)
      throw new ArgumentRangeError(`${name} must be ${numbers} numbers, not ${values.length}`);
    for (const [i, value] of values.entries()) {
      const number = wide(
        numbers === 1 ? name : `${name}[${i}]`,
        value,
        -(2n ** 63n),
        2n ** 63n - 1n,
      );
      memory.view.setBigInt64(at + 8 * i, number, true);
    }
  }

  #inputsAt(at) {
    const { players, numbers } = this.#settings;
    const of = (player) =>
      Array.from({ length: numbers }, (_, i) => numberAt(at + 8 * (player * numbers + i)));
    return Array.from({ length: players }, (_, player) =>
      numbers === 1 ? of(player)[0] : of(player),
    );
  }

  /** Steps frames again that were predicted wrongly, then the next frame if that is possible.
   * inputs: those of the local players, by player. Before every other peer is connected nothing is
   * stepped. What `play` or `load` throws is passed on; the next tick begins again with the frame in
   * which it was thrown. */
  tick(inputs = []) {
    const { numbers } = this.#settings;
    const local = this.#peers.filter((peer) => peer === 0).length;
    if (list("inputs", inputs).length !== local)
      throw new ArgumentRangeError(
        `inputs must have one of each of ${local} local players, not ${inputs.length}`,
      );
    const { at } = this.#rooms.inputs;
    for (const [i, input] of inputs.entries())
      this.#putInput(`inputs[${i}]`, input, at + 8 * numbers * i);
    const status = kernel.fxs_rollback_tick(this.#at, at);
    if (status === FXS_E_ORDER) return nothing();
    checked(status, "tick");
    while (this.#answer());
    if (this.#settings.check > 0 && !this.#isTold && this.desync?.peer === 0) {
      this.#isTold = true;
      throw new DesyncError(this.desync);
    }
    const changes = this.#changes;
    this.#changes = nothing();
    return changes;
  }

  // Does what the kernel asks for next; false if that is nothing.
  #answer() {
    const { own, inputs, rows, events } = this.#rooms;
    const { command_room: commandRoom, event_room: eventRoom } = this.#settings;
    const commands = rows.for(Number(commandRoom) * fxs_command.$size);
    const met = events.for(Number(eventRoom) * fxs_event.$size);
    const at = [scratch, inputs.at, commands, met];
    checked(
      kernel.fxs_rollback_next(this.#at, worldIn(this.#game.world), own.at, ...at),
      `frame ${this.#head}`,
    );
    const type = word(scratch + fxs_rollback_request.type);
    const frame = word(scratch + fxs_rollback_request.frame);
    if (type === FXS_ROLLBACK_NONE) {
      this.#head = frame;
    } else if (type === FXS_ROLLBACK_LOAD) {
      const from = own.at + (this.#hasLength ? LENGTH_BYTES : 0);
      const size = this.#hasLength ? word(own.at) : this.#ownSizes[1];
      this.#game.load?.(memory.u8.slice(from, from + size));
    } else if (type === FXS_ROLLBACK_GUESS) {
      this.#guess(frame);
    } else if (type === FXS_ROLLBACK_CONFIRMED) {
      this.#confirm(frame, commands, met);
    } else {
      this.#step(frame);
    }
    return type !== FXS_ROLLBACK_NONE;
  }

  #guess(frame) {
    const { at } = this.#rooms.inputs;
    const player = word(scratch + fxs_rollback_request.player);
    const age = word(scratch + fxs_rollback_request.age);
    const guess = this.#game.guess(player, frame, this.#inputsAt(at)[0], age);
    this.#putInput("what game.guess returns", guess, at);
    checked(kernel.fxs_rollback_guess(this.#at, at), "guess");
  }

  #confirm(frame, commands, met) {
    const of = scratch + fxs_rollback_request.confirmed;
    const rows = eventsAt(met, count64(of + fxs_confirmed.events));
    const confirmed = {
      frame,
      inputs: this.#inputsAt(this.#rooms.inputs.at),
      commands: commandsAt(commands, count64(of + fxs_confirmed.commands)),
      events: rows.filter(({ kind }) => kind < FXS_GAME_EVENT),
      game: rows.filter(({ kind }) => kind >= FXS_GAME_EVENT),
      hash: memory.view.getBigUint64(of + fxs_confirmed.hash, true),
    };
    checked(kernel.fxs_rollback_recorded(this.#at, 1, scratch), `frame ${frame}`);
    confirmed.worldHash = memory.view.getBigUint64(scratch + fxs_recorded.hash, true);
    confirmed.state = memory.view.getBigUint64(scratch + fxs_recorded.state, true);
    this.#first = (frame + 1) >>> 0;
    this.#changes.confirmed.push(confirmed);
  }

  #step(frame) {
    const isAgain = word(scratch + fxs_rollback_request.is_again) === 1;
    const { world } = this.#game;
    const played = this.#game.play(this.#inputsAt(this.#rooms.inputs.at), frame);
    const odd = Object.keys(object("what play returns", played)).find((k) => !PLAYED.includes(k));
    if (odd !== undefined || played.events === undefined) {
      const all = `{ ${PLAYED.join(", ")} }, at least events`;
      throw wrong("what play returns", all, odd ?? played);
    }
    this.#push(frame, world, played, this.#game.save?.() ?? NO_BYTES);
    const changes = this.#changes;
    if (isAgain) changes.again++;
    else changes.isStepped = true;
    this.#head = (frame + 1) >>> 0;
  }

  #push(frame, world, played, own) {
    const { commands = [], events, game = [], reactions = [], hash = null, shown = 0 } = played;
    const words = [...eventWords(events), ...gameWords(game)];
    const { rows, events: room } = this.#rooms;
    const { at, count } = putCommands({ commands, reactions }, rows);
    const later = rowTotal(reactions);
    if (later !== 0 && hash === null)
      throw new ArgumentRangeError(
        "hash must be that of the world before the reactions, 0..2^64 - 1, not null",
      );
    const row = {
      hash: hash === null ? 0n : wide("hash", hash, 0n, UINT64_MAX),
      command_count: BigInt(count),
      reaction_count: BigInt(later),
      event_count: BigInt(words.length / 4),
      is_final: 0,
      has_hash: hash === null ? 0 : 1,
    };
    const seen = wide("shown", shown, 0n, UINT64_MAX);
    for (;;) {
      const bytes = Number(this.#settings.event_room) * fxs_event.$size;
      const takenBack = room.for(2 * bytes + 4 * words.length);
      const [predicted, found] = [takenBack + bytes, takenBack + 2 * bytes];
      putWords(found, words);
      putRow(scratch, fxs_pushed, row);
      const status = kernel.fxs_rollback_push(
        this.#at,
        worldIn(world),
        this.#ownIn(own),
        scratch,
        seen,
        at,
        found,
        takenBack,
        predicted,
        scratch + AT_RESULT,
      );
      if (status === FXS_OK) {
        const answer = scratch + AT_RESULT;
        const add = (to, from, counted) => {
          for (const event of eventsAt(from, count64(answer + counted)))
            to.push({ frame, ...event });
        };
        add(this.#changes.takenBack, takenBack, fxs_event_changes.taken_back);
        add(this.#changes.predicted, predicted, fxs_event_changes.predicted);
        return;
      }
      const next = (frame + 1) >>> 0;
      if (status === FXS_E_ORDER && world.frame !== next)
        throw new ArgumentRangeError(
          `world.frame must be ${next}, after the step of frame ${frame}, not ${world.frame}`,
        );
      if (status !== FXS_E_ROOM) checked(status, `frame ${frame}`);
      this.#grow(world, row);
    }
  }

  // Moves the peer to memory in which a frame has its room.
  #grow(world, { command_count: commands, event_count: events }) {
    const state = kernel.fxs_world_save_size(worldIn(world));
    const settings = this.#settings;
    if (state > settings.state_size) settings.state_size = 2n * state;
    else if (events > settings.event_room) settings.event_room = 2n * events;
    else settings.command_room = 2n * settings.command_room + commands;
    this.#putSettings(NO_BYTES);
    const made = new Room();
    made.for(Number(kernel.fxs_rollback_size(scratch)));
    const { block } = this.#rooms;
    checked(kernel.fxs_rollback_grow(made.at, scratch, block.at), "Rollback");
    this.#rooms.block = made;
    block.free();
  }

  /** Sets the input delay for the ticks to come. */
  setDelay(inputDelay) {
    const delay = integer("inputDelay", inputDelay, 0, FXS_INPUT_DELAY_MAX);
    checked(kernel.fxs_rollback_set_delay(this.#at, delay), "inputDelay");
  }

  #peer(peer) {
    return integer("peer", peer, 1, Math.max(1, ...this.#peers));
  }

  /** The next packet for a peer: to be sent once a frame, also while nothing is stepped. */
  packet(peer) {
    const { players, numbers } = this.#settings;
    const room = Math.max(FXS_PACKET_SIZE, 320 + 10 * players * numbers);
    const at = results.for(room);
    const to = this.#peer(peer);
    checked(kernel.fxs_rollback_packet(this.#at, to, at, BigInt(room), scratch), `peer ${peer}`);
    return memory.u8.slice(at, at + word(scratch));
  }

  /** Takes a packet of a peer, in any order, any number of times. One that is refused is an error
   * with its `status`, and changes nothing. */
  receive(peer, bytes) {
    const from = this.#peer(peer);
    const given = bytesIn("bytes", bytes);
    const at = addressOf(given, results);
    const status = kernel.fxs_rollback_receive(this.#at, from, at, BigInt(given.length));
    if (status !== FXS_OK) throw this.#refused(from, status);
  }

  #refused(peer, status) {
    try {
      return checked(status, `packet of peer ${peer}`);
    } catch (error) {
      if (status === FXS_E_ID || kernel.fxs_rollback_refusal(this.#at, peer, scratch) !== FXS_OK)
        return error;
      const [ours, theirs] = [fxs_refusal.ours, fxs_refusal.theirs].map((at) =>
        memory.view.getBigInt64(scratch + at, true),
      );
      const field = PACKET_FIELDS[word(scratch + fxs_refusal.field)];
      const [player, frame] = [fxs_refusal.player, fxs_refusal.frame].map((at) =>
        word(scratch + at),
      );
      const where = status === FXS_E_INPUT ? ` of player ${player} for frame ${frame}` : "";
      error.message += `: ${field}${where} ${theirs}, here ${ours}`;
      return error;
    }
  }

  /** How this peer and the others run. */
  pace() {
    kernel.fxs_rollback_pace(this.#at, scratch);
    const field = (name) => word(scratch + fxs_pace[name]);
    return {
      waiting: bitsAt(scratch + fxs_pace.waiting),
      resteps: count64(scratch + fxs_pace.resteps),
      ahead: field("ahead") | 0,
      isAhead: field("is_ahead") === 1,
      head: field("head"),
      first: field("first"),
      isConnected: field("is_connected") === 1,
    };
  }

  /** How the inputs of a player come: { peer, next, late, ahead }. */
  player(player) {
    const who = integer("player", player, 0, this.#settings.players - 1);
    checked(kernel.fxs_rollback_player(this.#at, who, scratch), `player ${player}`);
    const [peer, next, late, ahead] = ["peer", "next", "late", "ahead"].map((name) =>
      word(scratch + fxs_player_pace[name]),
    );
    return { peer, next, late, ahead: ahead | 0 };
  }

  /** The first frame that differs, of another peer (peer 1 and above) or in the sync test (0); null
   * if none does: { frame, peer, players, part, parts, ours, theirs, differences, message }. */
  get desync() {
    if (kernel.fxs_rollback_desync(this.#at, scratch) === FXS_E_ABSENT) return null;
    const field = (name) => word(scratch + fxs_desync[name]);
    const hashes = (name) =>
      Object.fromEntries(PARTS.map((part, i) => [part, hexOf(scratch + fxs_desync[name] + 8 * i)]));
    const parts = field("parts");
    const found = {
      frame: field("frame"),
      peer: field("peer"),
      players: bitsAt(scratch + fxs_desync.players),
      part: PARTS[field("part")],
      parts: PARTS.filter((_, i) => (parts >> i) & 1),
      ours: hashes("ours"),
      theirs: hashes("theirs"),
    };
    const { frame, peer, players, part } = found;
    found.differences =
      peer === 0 ? this.differences(this.kept("world", 1), this.kept("own", 1)) : [];
    const who =
      peer === 0
        ? "when it is stepped again"
        : `from that of peer ${peer}, player${players.length > 1 ? "s" : ""} ${players.join(", ")}`;
    const [row] = found.differences;
    const [mine, other] = [found.ours, found.theirs].map((of) => of[part]);
    let values = `hashes ${mine} and ${other}`;
    if (row) values = `${row.group}, ${row.field}: ${row.a} and ${row.b}`;
    else if (part === "shown")
      values = `${BigInt(`0x${mine}`)} and ${BigInt(`0x${other}`)}: save lacks a value`;
    found.message = `frame ${frame}: ${part} differs ${who}: ${values}`;
    return found;
  }

  /** The bytes after the frame of `desync`, to be sent to the other peer; null if they are gone.
   * part: "world" or "own". which, of the sync test: 1 for the step before. */
  kept(part, which = 0) {
    const of = PARTS.indexOf(part);
    if (part !== "world" && part !== "own") throw wrong("part", '"world" or "own"', part);
    const step = integer("which", which, 0, 1);
    const at = kernel.fxs_rollback_kept(this.#at, step, of, scratch) >>> 0;
    return at === 0 ? null : memory.u8.slice(at, at + word(scratch));
  }

  /** The differences of the kept bytes from those of another peer: rows of stateDifferences, then the
   * first of the own bytes by its name. */
  differences(world, own) {
    const [ourWorld, ourOwn] = [this.kept("world"), this.kept("own")];
    if (ourWorld === null || world === null) return [];
    const rows = stateDifferences(ourWorld, world);
    const theirs = own === null ? NO_BYTES : instance("own", Uint8Array, "a Uint8Array", own);
    const most = Math.max(ourOwn.length, theirs.length);
    const at = Array.from({ length: most }, (_, i) => i).find((i) => ourOwn[i] !== theirs[i]);
    if (at === undefined) return rows;
    let end = 0;
    const named = this.#ownNames.find(([, bytes]) => {
      end += bytes;
      return at < end;
    });
    const field = named ? named[0] : `byte ${at}`;
    return [...rows, { group: "own", field: short(field), a: ourOwn[at], b: theirs[at] }];
  }
}
