// A game that rolls back: inputs that are predicted, and frames until they are confirmed.
import {
  ArgumentRangeError,
  boolean,
  bytesIn,
  bytesOf,
  integer,
  object,
  UINT64_MAX,
  uint32,
  wide,
} from "./checks.js";
import { commandsAt, putCommands, rowTotal } from "./commands.js";
import { eventsAt, eventWords, gameWords } from "./events.js";
import {
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
import { stateOf } from "./kit.js";
import {
  FXS_E_ORDER,
  FXS_E_RANGE,
  FXS_E_ROOM,
  FXS_E_TAKEN,
  FXS_GAME_EVENT,
  FXS_HISTORY_FRAMES_MAX,
  FXS_INPUT_FRAMES_MAX,
  FXS_INPUT_PLAYERS_MAX,
  FXS_MEMORY_MAX,
  FXS_OK,
  fxs_command,
  fxs_confirmed,
  fxs_event,
  fxs_event_changes,
  fxs_history_room,
  fxs_pushed,
} from "./raw.js";
import { worldIn } from "./world.js";

const AT_RESULT = 64; // in the scratch memory, behind what is given
const OWN_MAX = 2 ** 30;
const LENGTH_BYTES = 4; // before the game's own bytes: how many there are
const NO_BYTES = new Uint8Array(0);

export const after = (frame, frames) => (frame + frames) >>> 0;
const count64 = (at) => Number(memory.view.getBigUint64(at, true));

/** The frames that are not confirmed: their states, commands and events. It takes more memory by
 * itself. */
export class History extends Holder {
  #rooms;
  #room; // as fxs_history_room
  #settled; // the first frame that is not final
  #sizes; // least and most bytes of the game's own state

  /** Begins before the next frame of a world. window: how many frames may be unconfirmed. own: the
   * game's own state as bytes. ownMax: the most of them; if it is left out, always as many. past:
   * states to keep of frames before those. */
  constructor(world, window, own = NO_BYTES, ownMax = null, past = 0) {
    const rooms = { block: new Room(), own: new Room(), rows: new Room(), events: new Room() };
    super(rooms);
    this.#rooms = rooms;
    const bytes = bytesIn("own", own).length;
    this.#sizes = ownMax === null ? [bytes, bytes] : [0, integer("ownMax", ownMax, 0, OWN_MAX)];
    const at = worldIn(world);
    this.#room = {
      own_size: LENGTH_BYTES + this.#sizes[1],
      state_size: 2 * Number(kernel.fxs_world_save_size(at)),
      command_room: 64,
      event_room: 64,
      window: integer("window", window, 1, FXS_HISTORY_FRAMES_MAX),
      past: integer("past", past, 0, FXS_HISTORY_FRAMES_MAX),
    };
    this.#settled = world.frame;
    try {
      rooms.block = this.#made(this.#room);
      rooms.own.for(this.#room.own_size);
      const put = [this.#putRoom(this.#room), at, this.#ownIn(own)];
      checked(kernel.fxs_history_init(rooms.block.at, ...put), "History");
    } catch (error) {
      this.dispose();
      throw error;
    }
  }

  #putRoom(room) {
    const { window, past, ...sizes } = room;
    const wides = Object.entries(sizes).map(([name, value]) => [name, BigInt(value)]);
    return putRow(scratch, fxs_history_room, { window, past, ...Object.fromEntries(wides) });
  }

  // Memory for a history of a room.
  #made(room) {
    const bytes = Number(kernel.fxs_history_size(this.#putRoom(room)));
    if (bytes === 0)
      throw new ArgumentRangeError(
        `window of ${room.window} and past of ${room.past} frames: more than ${FXS_MEMORY_MAX} bytes`,
      );
    const made = new Room();
    made.for(bytes);
    return made;
  }

  get #at() {
    return this.#rooms.block.live("history is");
  }

  /** The frame that is stepped next. */
  get head() {
    return kernel.fxs_history_head(this.#at) >>> 0;
  }

  /** The oldest frame that `confirm` has not given. */
  get first() {
    return kernel.fxs_history_first(this.#at) >>> 0;
  }

  /** How many frames can be pushed before one must be confirmed. */
  get free() {
    return kernel.fxs_history_free(this.#at) >>> 0;
  }

  #ownIn(own) {
    bytesOf("own", own, ...this.#sizes);
    const { at } = this.#rooms.own;
    putWords(at, [own.length]);
    memory.u8.set(own, at + LENGTH_BYTES);
    return at;
  }

  /** Keeps the frame that was just stepped; { takenBack, predicted }: the events that are taken
   * back, and those that are predicted.
   * own: the game's own state now. isFinal: whether all its inputs are known. commands: those
   * before the step. events: of the step. game: the game's own. reactions: commands after the step,
   * part of the next frame. hash: of the world right after the step, before reactions. */
  push(world, frame) {
    const {
      own = NO_BYTES,
      isFinal = false,
      commands = [],
      events = [],
      game = [],
      reactions = [],
      hash = null,
    } = frame === undefined ? {} : object("frame", frame);
    const state = Number(kernel.fxs_world_save_size(worldIn(world)));
    const final = boolean("isFinal", isFinal) ? 1 : 0;
    const words = [...eventWords(events), ...gameWords(game)];
    const count = words.length / 4;
    const { rows, events: room } = this.#rooms;
    const { at, count: all } = putCommands({ commands, reactions }, rows);
    const later = rowTotal(reactions);
    const hashed = hash === null ? null : wide("hash", hash, 0n, UINT64_MAX);
    if (later !== 0 && hashed === null) {
      throw new ArgumentRangeError(
        "hash must be that of the world before the reactions, 0..2^64 - 1, not null",
      );
    }
    for (;;) {
      const { event_room: most } = this.#room;
      const bytes = most * fxs_event.$size;
      const takenBack = room.for(2 * bytes + 16 * count);
      const [predicted, found] = [takenBack + bytes, takenBack + 2 * bytes];
      putWords(found, words);
      putRow(scratch, fxs_pushed, {
        hash: hashed ?? 0n,
        command_count: BigInt(all),
        reaction_count: BigInt(later),
        event_count: BigInt(count),
        is_final: final,
        has_hash: hashed === null ? 0 : 1,
      });
      const status = kernel.fxs_history_push(
        this.#at,
        worldIn(world),
        this.#ownIn(own),
        scratch,
        at,
        found,
        takenBack,
        predicted,
        scratch + AT_RESULT,
      );
      if (status === FXS_OK) {
        if (isFinal) this.#settled = after(this.#settled, 1);
        const answer = scratch + AT_RESULT;
        return {
          takenBack: eventsAt(takenBack, count64(answer + fxs_event_changes.taken_back)),
          predicted: eventsAt(predicted, count64(answer + fxs_event_changes.predicted)),
        };
      }
      if (status === FXS_E_ORDER) throw this.#disorder(world);
      if (status !== FXS_E_ROOM) checked(status, `frame ${this.head}`);
      this.#grow(state, all, count);
    }
  }

  // Why a push is not allowed at this point.
  #disorder(world) {
    const { head, first, free } = this;
    const next = after(head, 1);
    if (world.frame !== next) {
      return new ArgumentRangeError(
        `world.frame must be ${next}, after the step of frame ${head}, not ${world.frame}`,
      );
    }
    const why =
      free === 0
        ? `the window of ${this.#room.window} frames is full: frame ${first} must be confirmed`
        : `isFinal must be false, not true: frame ${this.#settled} is not final`;
    return new ArgumentRangeError(`frame ${head}: ${why}`);
  }

  // Moves the history to memory in which a frame has its room.
  #grow(state, commands, events) {
    const room = { ...this.#room };
    if (state > room.state_size) room.state_size = 2 * state;
    else if (events > room.event_room) room.event_room = 2 * events;
    else room.command_room = 2 * room.command_room + commands;
    const made = this.#made(room);
    const { block } = this.#rooms;
    checked(kernel.fxs_history_grow(made.at, this.#putRoom(room), block.at), "History");
    this.#rooms.block = made;
    this.#room = room;
    block.free();
  }

  #atFrame(frame, act) {
    const wanted = uint32("frame", frame);
    const status = act(wanted);
    if (status === FXS_E_RANGE) {
      const most = this.head;
      throw new ArgumentRangeError(`frame must be ${this.#settled}..${most}, not ${frame}`);
    }
    checked(status, `frame ${frame}`);
  }

  /** Makes all frames before a frame final: they were stepped on the real inputs. */
  settle(frame) {
    this.#atFrame(frame, (wanted) => kernel.fxs_history_settle(this.#at, wanted));
    this.#settled = frame;
  }

  /** Loads the state before a frame that is not final into a world; the game's own bytes. */
  back(frame, world) {
    const own = this.#rooms.own.at;
    this.#atFrame(frame, (wanted) =>
      kernel.fxs_history_back(this.#at, wanted, worldIn(world), own),
    );
    const first = own + LENGTH_BYTES;
    return memory.u8.slice(first, first + memory.u32[own / 4]);
  }

  /** A copy of the kept state before a frame, or null. */
  state(frame) {
    return stateOf(kernel.fxs_history_states(this.#at), frame);
  }

  /** The frames that are final and were not given yet: { frame, commands, events, game, hash } of
   * each. */
  confirm() {
    const { command_room: commandRoom, event_room: eventRoom } = this.#room;
    const frames = [];
    for (;;) {
      const commands = this.#rooms.rows.for(commandRoom * fxs_command.$size);
      const events = this.#rooms.events.for(eventRoom * fxs_event.$size);
      const out = scratch + AT_RESULT;
      const status = kernel.fxs_history_confirm(this.#at, out, commands, events);
      if (status !== FXS_OK) return frames; // none is left
      const rows = eventsAt(events, count64(out + fxs_confirmed.events));
      frames.push({
        frame: memory.u32[(out + fxs_confirmed.frame) / 4],
        commands: commandsAt(commands, count64(out + fxs_confirmed.commands)),
        events: rows.filter(({ kind }) => kind < FXS_GAME_EVENT),
        game: rows.filter(({ kind }) => kind >= FXS_GAME_EVENT),
        hash: memory.view.getBigUint64(out + fxs_confirmed.hash, true),
      });
    }
  }
}

/** The inputs of all players: those that came, and those that were predicted. An input is a safe
 * integer. */
export class Inputs extends Holder {
  #rooms;
  #players;
  #window;

  /** window: how many frames there may be from the first with an unknown or wrongly predicted
   * input. frame: the first that is stepped. */
  constructor(players, window, frame = 0) {
    const rooms = { block: new Room(), values: new Room() };
    super(rooms);
    this.#rooms = rooms;
    this.#players = integer("players", players, 1, FXS_INPUT_PLAYERS_MAX);
    this.#window = integer("window", window, 1, FXS_INPUT_FRAMES_MAX);
    const first = uint32("frame", frame);
    const { block, values } = rooms;
    const at = block.for(Number(kernel.fxs_inputs_size(players, window)));
    checked(kernel.fxs_inputs_init(at, players, window, first), "Inputs");
    values.for(8 * players);
  }

  get #at() {
    return this.#rooms.block.live("inputs are");
  }

  /** The first frame that was stepped on a wrong prediction; without one, the next to take. */
  get redo() {
    return kernel.fxs_inputs_redo(this.#at) >>> 0;
  }

  /** The first frame for which an input is not known: all before it are final. */
  get confirmed() {
    return kernel.fxs_inputs_confirmed(this.#at) >>> 0;
  }

  /** Adds the input of a player for a frame, in any order, any number of times. False if the frame
   * is after the window: then it must come again later. */
  put(player, frame, value) {
    const who = integer("player", player, 0, this.#players - 1);
    const when = uint32("frame", frame);
    const most = Number.MAX_SAFE_INTEGER;
    const input = BigInt(integer("value", value, -most, most));
    const status = kernel.fxs_inputs_put(this.#at, who, when, input);
    if (status === FXS_E_RANGE) return false;
    if (status === FXS_E_TAKEN) {
      const first = this.#known(who, when);
      throw new ArgumentRangeError(
        `value must be ${first}, which came before for player ${player} and frame ${frame}, ` +
          `not ${value}`,
      );
    }
    checked(status, `player ${player}, frame ${frame}`);
    return true;
  }

  // The input that came. A copy of the inputs is taken up to the frame: these do not change.
  #known(player, frame) {
    const { block, values } = this.#rooms;
    const copy = results.for(block.bytes);
    memory.u8.copyWithin(copy, block.at, block.at + block.bytes);
    const { redo } = this;
    let next = ((redo - frame) | 0) > 0 ? frame : redo;
    const take = () => kernel.fxs_inputs_take(copy, next, values.at);
    while (take() === FXS_OK && next !== frame) next = after(next, 1);
    return memory.view.getBigInt64(values.at + 8 * player, true);
  }

  /** The inputs to step a frame with, one a player. Take each frame in order; an earlier one may be
   * taken again. */
  take(frame) {
    const { at } = this.#rooms.values;
    const status = kernel.fxs_inputs_take(this.#at, uint32("frame", frame), at);
    if (status === FXS_E_RANGE) {
      const { redo, confirmed } = this;
      const first = after(redo, -confirmed) < 2 ** 31 ? confirmed : redo;
      throw new ArgumentRangeError(
        `frame must follow the last that was taken, as one of ${this.#window} from ${first} on, ` +
          `not ${frame}`,
      );
    }
    checked(status, `frame ${frame}`);
    return Array.from({ length: this.#players }, (_, i) =>
      Number(memory.view.getBigInt64(at + 8 * i, true)),
    );
  }
}
