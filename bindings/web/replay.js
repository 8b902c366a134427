// A world on its way through a match log.
import { bytesOfBase64 } from "./bytes.js";
import {
  ArgumentRangeError,
  ArgumentTypeError,
  quoted,
  UINT64_MAX,
  uint32,
  wide,
  wrong,
} from "./checks.js";
import { DISPOSE } from "./kernel.js";
import { Level } from "./level.js";
import { hex16, MatchLogError } from "./logs.js";
import { FXS_SEMANTICS } from "./raw.js";
import { World } from "./world.js";

const isArea = ([name]) => name === "query" || name === "cast";
const poseOf = ([x, y, z], yaw) => ({ x, y, z, yaw });

// The answer to a query or a cast of a log: ids, or rows of id, fraction and normal.
function answered(world, [name, shape, position, yaw, ...rest]) {
  if (name === "query") {
    const [mask, excludeOwner, hitWhen] = rest;
    return world.query(shape, poseOf(position, yaw), mask, { excludeOwner, hitWhen });
  }
  const [motion, mask, excludeOwner, limit, hitWhen] = rest;
  const options = { excludeOwner, limit, hitWhen };
  return world
    .cast(shape, poseOf(position, yaw), motion, mask, options)
    .map(({ id, fraction, normal }) => [id, fraction, ...normal]);
}

export const sameJson = (a, b) => JSON.stringify(a) === JSON.stringify(b);

const sameEvents = (recorded, events) =>
  recorded.length * 4 === events.length &&
  recorded.every((row, i) => row.every((value, j) => value === events[4 * i + j]));

/** Plays a log of commands, frame by frame. */
export class Replay {
  #log;

  /** Called between the step of a frame and what a simulation does after it. */
  stepped = null;

  /** log: a MatchLog. level: the log's, if it is made already. */
  constructor(log, level) {
    // The viewer has logs of its own kind.
    if (typeof log?.frame !== "function" || typeof log.header !== "object")
      throw wrong("log", "a MatchLog", log);
    const { header, first, ids } = log;
    const own = () =>
      header.level
        ? this.#try(
            "level.solids",
            () => Level.of(header.level.solids),
            (i) => i,
          )
        : null;
    this.#log = log;
    // No state depends on the capacity: the log's ids need less than its header allows.
    this.world = new World(ids, {
      hitWhen: header.hit_when,
      layers: header.layers,
      level: level === undefined ? own() : level,
    });
    /** The frame that `step` plays. */
    this.next = first;
    /** What the log was recorded with that is not so here: a cause of differences. Of a log of
     * commands the results depend on the kernel alone. */
    this.others = [];
    const { semantics: recorded = FXS_SEMANTICS } = header;
    if (recorded !== FXS_SEMANTICS) {
      const words = "recorded by another semantics";
      this.others.push({ what: "semantics", words, recorded, here: FXS_SEMANTICS });
    }
    if (header.from)
      this.#try("from.state", () => this.load(first, bytesOfBase64(header.from.state)));
  }

  /** Goes to a frame whose state was saved before it was played. */
  load(frame, state) {
    const { world } = this;
    const next = uint32("frame", frame);
    const before = world.save();
    world.load(state);
    const own = world.frame;
    if (own !== next) {
      world.load(before);
      throw new ArgumentRangeError(`frame must be ${own}, that of the state, not ${next}`);
    }
    this.next = next;
  }

  /** Plays a frame; its line, parsed. A MatchLogError if the world refuses a command: it is then as
   * before the frame's commands. */
  step() {
    const { world } = this;
    const { first, frames } = this.#log;
    if (this.next === first + frames) {
      const count = frames === 1 ? "1 frame" : `${frames} frames`;
      throw new MatchLogError(0, "", `the log has ${count}, and all were played`);
    }
    const line = this.#log.frame(this.next);
    if (!line.commands) {
      const sim = quoted(this.#log.header.sim);
      throw new MatchLogError(
        this.#at,
        "commands",
        `missing: inputs of ${sim} need their own game`,
      );
    }
    this.#apply("commands", line.commands);
    /** Rows of a, b, kind and contact of the step. */
    this.events = world.step().rows.slice();
    this.stepped?.(line);
    // A simulation's frame in a page of the viewer has commands that came after its step: the
    // frame's hash is that of the state behind them.
    if (line.after) this.#apply("after", line.after);
    this.areas = line.commands.filter(isArea);
    /** The answers to the frame's queries and casts. */
    this.answers = this.areas.map((area) =>
      this.#try(`commands[${line.commands.indexOf(area)}]`, () => answered(world, area)),
    );
    this.line = line;
    this.next++;
    return line;
  }

  // The line of the next frame.
  get #at() {
    return this.next - this.#log.first + 2;
  }

  #apply(name, commands) {
    const changes = commands.filter((command) => !isArea(command));
    this.#try(
      name,
      () => this.world.apply(changes),
      (i) => commands.indexOf(changes[i]),
    );
  }

  // indexOf: of an item in its list, by the index that the error has.
  #try(path, act, indexOf = null) {
    try {
      return act();
    } catch (error) {
      if (!(error instanceof ArgumentRangeError || error instanceof ArgumentTypeError)) throw error;
      const line = /^(from|level)/.test(path) ? 1 : this.#at;
      const index = indexOf && error.index !== undefined ? `[${indexOf(error.index)}]` : "";
      const reason = error.message.replace(/^(commands|solids)\[\d+\]: /, "");
      throw new MatchLogError(line, `${path}${index}`, reason);
    }
  }

  /** The parts of the last frame that differ from its line: "events", "queries", "hash". */
  differing(hash = this.world.hash()) {
    const { line } = this;
    const given = hex16(wide("hash", hash, 0n, UINT64_MAX));
    const fields = [];
    if (line.events !== undefined && !sameEvents(line.events, this.events)) fields.push("events");
    if (line.queries !== undefined && !sameJson(line.queries, this.answers)) fields.push("queries");
    if (line.hash !== undefined && line.hash.toLowerCase() !== given) fields.push("hash");
    return fields;
  }

  /** Gives the memory back. */
  dispose() {
    this.world.dispose();
  }

  [DISPOSE]() {
    this.dispose();
  }
}
