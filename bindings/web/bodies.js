// Bodies: the hurtboxes and hitboxes of one fighter, which move, turn, mirror and attack together.
import {
  ArgumentRangeError,
  boolean,
  bytesIn,
  instance,
  integer,
  isList,
  list,
  object,
  optionsIn,
  quoted,
  UINT32_MAX,
  uint32,
} from "./checks.js";
import { commandsAt } from "./commands.js";
import { eventWords } from "./events.js";
import { FrameData } from "./frame_data.js";
import { checked, kernel, memory, putWords, results, scratch } from "./kernel.js";
import {
  FXS_BODY_ROWS,
  FXS_E_ROOM,
  FXS_NO_ATTACK,
  FXS_OK,
  FXS_VICTIMS_MAX,
  fxs_body,
  fxs_collider,
  fxs_command,
  fxs_event,
} from "./raw.js";
import { putPose } from "./shapes.js";
import { worldIn } from "./world.js";

const AT_BODY = 512; // in the scratch memory, behind all arguments
const AT_POSE = 128;
const ROWS_BYTES = FXS_BODY_ROWS * fxs_command.$size;
const PHASES = [null, "startup", "active", "recovery"];

const tooMany = (why) =>
  new ArgumentRangeError(`one hit remembers ${FXS_VICTIMS_MAX} victims, and ${why}: see rehits`);

/** Several colliders of one owner. A call that changes the world changes all of them, or none, and
 * returns its commands, for a Recorder. */
export class Body {
  #world;
  #frameData;
  #owner;
  #ids;
  // the fxs_body, which each call has in the scratch memory
  #state = new Uint32Array(fxs_body.$size / 4);

  /** Adds the parts to the world. ids: one for each part, or the first of as many in a row. */
  constructor(world, frameData, pose, options) {
    const { ids, owner, isMirrored = false } = optionsIn(options, "ids, owner, isMirrored");
    worldIn(world);
    instance("frameData", FrameData, "a FrameData", frameData);
    [this.#world, this.#frameData] = [world, frameData];
    this.#owner = integer("owner", owner, 1, UINT32_MAX);
    const names = frameData.parts;
    const numbers = isList(ids) ? [...ids] : names.map((_, i) => uint32("ids", ids) + i);
    if (numbers.length !== names.length) {
      throw new ArgumentRangeError(
        `ids must be one for each of the ${names.length} parts, not ${numbers.length}`,
      );
    }
    for (const [i, id] of numbers.entries())
      integer(`id of part ${quoted(names[i])}`, id, 0, world.capacity - 1);
    this.#ids = Object.freeze(Object.fromEntries(names.map((name, i) => [name, numbers[i]])));
    putPose(scratch + AT_POSE, pose);
    putWords(scratch, numbers);
    this.#state.set(numbers);
    const mirrored = boolean("isMirrored", isMirrored) ? 1 : 0;
    this.added = this.#change((body, table, at, rows) =>
      kernel.fxs_body_add(body, table, at, scratch, owner, scratch + AT_POSE, mirrored, rows),
    );
  }

  // Calls with the body, the table and the world, and keeps the new body.
  #call(act) {
    const [body, first] = [scratch + AT_BODY, (scratch + AT_BODY) / 4];
    memory.u32.set(this.#state, first);
    const answer = act(body, this.#frameData.address, this.#world.address);
    this.#state.set(memory.u32.subarray(first, first + this.#state.length));
    return answer;
  }

  // Calls with room for rows too; the commands that they are.
  #change(act) {
    const rows = results.for(ROWS_BYTES);
    const count = this.#call((...where) => act(...where, rows));
    if (count < 0) {
      const id = memory.u32[(rows + fxs_command.collider + fxs_collider.id) / 4];
      checked(count, `part ${quoted(this.partOf(id))}: id ${id}`);
    }
    return commandsAt(rows, count);
  }

  #apply(commands) {
    this.#world.apply(commands);
    return commands;
  }

  #field(offset) {
    return this.#state[offset / 4];
  }

  // ---- its state ----

  get frameData() {
    return this.#frameData;
  }

  /** That of its first part in the world; after `remove` the one that it was made with. */
  get owner() {
    const there = Object.values(this.#ids).find((id) => this.#world.has(id));
    return there === undefined ? this.#owner : this.#world.get(there).owner;
  }

  /** The id of each part, by its name. */
  get ids() {
    return this.#ids;
  }

  /** The name of the part that has an id; null if none has. */
  partOf(id) {
    return this.#frameData.parts.find((name) => this.#ids[name] === id) ?? null;
  }

  /** The pose of its first part, without the part's own yaw. */
  get pose() {
    const at = scratch + AT_POSE;
    const status = this.#call((body, table, world) => kernel.fxs_body_pose(body, table, world, at));
    const [name] = this.#frameData.parts;
    checked(status, `part ${quoted(name)}: id ${this.#ids[name]}`);
    const [x, y, z, yaw] = memory.i32.subarray(at / 4, at / 4 + 4);
    return { x, y, z, yaw };
  }

  get isMirrored() {
    return this.#field(fxs_body.is_mirrored) === 1;
  }

  // ---- changes of place ----

  /** Moves and turns all parts. */
  setPose(pose) {
    putPose(scratch + AT_POSE, pose);
    return this.#change((body, table, world, rows) =>
      kernel.fxs_body_set_pose(body, table, world, scratch + AT_POSE, rows),
    );
  }

  /** Moves all parts. */
  move(x, y, z) {
    return this.#apply(Object.values(this.#ids).map((id) => ["move", id, [x, y, z]]));
  }

  /** Turns all parts. */
  turn(yaw) {
    return this.setPose({ ...this.pose, yaw });
  }

  /** Moves all of the body to where `World.separate` or `separate` has pushed a part of it. */
  follow(moved) {
    const places = new Map();
    const add = (id, ...place) => {
      if (this.partOf(id) !== null) places.set(String(place), place);
    };
    if (Array.isArray(moved)) {
      for (const row of moved) {
        const { id, x, y, z } = object("a row of moved", row);
        add(id, x, y, z);
      }
    } else {
      instance("moved", Int32Array, "an Int32Array or rows of separate", moved);
      for (let row = 0; row < moved.length; row += 4) add(...moved.subarray(row, row + 4));
    }
    if (places.size > 1) {
      throw new ArgumentRangeError(
        `the parts of a body were pushed to different places: ${[...places.keys()].join("; ")}`,
      );
    }
    return [...places.values()].flatMap((place) => this.move(...place));
  }

  /** Has the body face its local +x (false) or -x (true): for side views, which do not turn. */
  mirror(isMirrored) {
    const flag = boolean("isMirrored", isMirrored) ? 1 : 0;
    return this.#change((body, table, world, rows) =>
      kernel.fxs_body_mirror(body, table, world, flag, rows),
    );
  }

  /** Switches parts on or off: those named, or all. */
  setActive(active, ...names) {
    const parts = names.length > 0 ? names : this.#frameData.parts;
    return this.#apply(
      parts.map((name) => [
        "active",
        this.#ids[this.#frameData.parts[this.#index("part", name)]],
        active,
      ]),
    );
  }

  /** Gives all parts an owner, 1 or more. An attack under way keeps the victims that it struck. */
  setOwner(owner) {
    const number = integer("owner", owner, 1, UINT32_MAX);
    return this.#apply(Object.values(this.#ids).map((id) => ["owner", id, number]));
  }

  /** Removes all parts from the world. */
  remove() {
    return this.#change((body, table, world, rows) =>
      kernel.fxs_body_remove(body, table, world, rows),
    );
  }

  // ---- attacks ----

  #index(what, name) {
    const names = this.#frameData[`${what}s`];
    const index = names.indexOf(name);
    if (index >= 0) return index;
    throw new ArgumentRangeError(
      `no ${what} is called ${quoted(name)}; there are ${names.join(", ")}`,
    );
  }

  /** Begins an attack with its frame 0; one that is under way is cancelled first. */
  start(name) {
    const attack = this.#index("attack", name);
    return this.#change((body, table, world, rows) =>
      kernel.fxs_body_start(body, table, world, attack, rows),
    );
  }

  /** Whether an attack may begin now: none is under way, or that has a cancel into it. */
  canStart(name) {
    const attack = this.#index("attack", name);
    return this.#call((body, table) => kernel.fxs_body_can_start(body, table, attack)) === 1;
  }

  /** Once a frame, after the step: the attack under way goes on to its next frame, or ends. */
  tick() {
    return this.#change((body, table, world, rows) =>
      kernel.fxs_body_tick(body, table, world, rows),
    );
  }

  /** Ends the attack under way, if there is one. */
  cancel() {
    return this.#change((body, table, world, rows) =>
      kernel.fxs_body_cancel(body, table, world, rows),
    );
  }

  /** The name of the attack under way, or null. */
  get attack() {
    const attack = this.#field(fxs_body.attack);
    return attack === FXS_NO_ATTACK ? null : this.#frameData.attacks[attack];
  }

  /** The frame of the attack under way, from 0. */
  get attackFrame() {
    return this.#field(fxs_body.frame);
  }

  /** Of the attack under way: "startup", "active" while a part is on, "recovery"; or null. */
  get phase() {
    return PHASES[this.#call((body, table) => kernel.fxs_body_phase(body, table))];
  }

  /** Which hit of the attack is under way, from 0: it grows at each frame of its `rehits`. */
  get hit() {
    return this.#call((body, table) => kernel.fxs_body_hit(body, table));
  }

  /** Whether the attack under way has met a victim. */
  get hasHit() {
    return this.#field(fxs_body.has_hit) === 1;
  }

  /** The victims of the hit under way, ascending. */
  get victims() {
    const first = fxs_body.victims / 4;
    return [...this.#state.subarray(first, first + this.#field(fxs_body.victim_count))];
  }

  /** Whether the hit under way meets a victim, any number, for the first time: one swing hurts
   * once. */
  strike(victim) {
    const number = uint32("victim", victim);
    const status = this.#call((body) => kernel.fxs_body_strike(body, number));
    if (status === FXS_E_ROOM) throw tooMany(`${victim} is one more`);
    return status === 1;
  }

  /** The new strikes of a frame: { attacker, victim, part }, each attacker and victim once, with the
   * first part in order that meets the victim. events: of the last step. mask: the layers on which
   * a part is struck; a part on one of them does not strike. */
  static strikes(world, events, bodies, mask) {
    const [at, met, layers] = [worldIn(world), eventWords(events), uint32("mask", mask)];
    const given = Array.from(list("bodies", bodies), (body, i) =>
      instance(`bodies[${i}]`, Body, "a Body", body),
    );
    const [count, bytes] = [met.length / 4, given.length * fxs_body.$size];
    if (new Set(given).size !== given.length || given.some((body) => body.#world !== world))
      throw new ArgumentRangeError("bodies must be of this world, each once");
    const from = results.for(bytes + 2 * count * fxs_event.$size);
    const [rows, out] = [from + bytes, from + bytes + count * fxs_event.$size];
    for (const [i, body] of given.entries()) putWords(from + i * fxs_body.$size, body.#state);
    putWords(rows, met);
    const sizes = [BigInt(count), layers, from, BigInt(given.length)];
    const found = kernel.fxs_strikes(at, rows, ...sizes, out);
    if (found === FXS_E_ROOM) throw tooMany("there are more, so nobody is struck");
    const { u32 } = memory;
    for (const [i, body] of given.entries()) {
      const words = (from + i * fxs_body.$size) / 4;
      body.#state.set(u32.subarray(words, words + body.#state.length));
    }
    return Array.from({ length: found }, (_, i) => {
      const [attacker, victim, part] = u32.subarray(out / 4 + 4 * i);
      const { parts } = given[attacker].frameData;
      return { attacker: given[attacker], victim: given[victim], part: parts[part] };
    });
  }

  // ---- state ----

  /** The state of the body, to save beside the world's; the same bytes on every platform. */
  save() {
    return this.#call((body) => {
      const bytes = Number(kernel.fxs_body_save_size(body));
      const at = results.for(bytes);
      kernel.fxs_body_save(body, at);
      return memory.u8.slice(at, at + bytes);
    });
  }

  /** Restores the bytes of `save`; load the world's state with it. */
  load(data) {
    bytesIn("data", data);
    const at = results.for(data.length);
    memory.u8.set(data, at);
    const status = this.#call((body, table) =>
      kernel.fxs_body_load(body, table, at, BigInt(data.length), scratch),
    );
    if (status !== FXS_OK) checked(status, `byte ${memory.u32[scratch / 4]}`);
  }

  /** XXH64 of the bytes that `save` gives, as an unsigned BigInt. */
  hash() {
    return BigInt.asUintN(
      64,
      this.#call((body) => kernel.fxs_body_hash(body)),
    );
  }
}
