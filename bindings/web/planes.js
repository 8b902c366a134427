// Worlds of hitboxes in two planes: a ground view and a side view, which must both meet.
import {
  ArgumentTypeError,
  boolean,
  instance,
  integer,
  isList,
  optionsIn,
  quoted,
  uint32,
  unitsIn,
  vector,
  wordIn,
} from "./checks.js";
import { commandsAt, masksOf } from "./commands.js";
import { Events } from "./events.js";
import { checked, DISPOSE, kernel, memory, putWords, results, scratch, words3 } from "./kernel.js";
import { hitsAnswered, idsAnswered } from "./questions.js";
import {
  FXS_BOX,
  FXS_CAPACITY_MAX,
  FXS_COMMAND_ACTIVE,
  FXS_COMMAND_ADD,
  FXS_COMMAND_LAYER,
  FXS_COMMAND_LAYERS,
  FXS_COMMAND_MOVE,
  FXS_COMMAND_OWNER,
  FXS_COMMAND_REMOVE,
  FXS_COMMAND_SHAPE,
  FXS_CYLINDER,
  FXS_PLANES_LAYERS,
  FXS_SIZE_MAX,
  fxs_command,
  fxs_event,
  fxs_hit,
  fxs_hitbox,
  fxs_hitbox_cast,
  fxs_planes_command,
} from "./raw.js";
import { hitWhenIn, motionIn } from "./shapes.js";
import { World } from "./world.js";

const GROUNDS = {
  circle: { code: FXS_CYLINDER, sizes: ["radius"] },
  rectangle: { code: FXS_BOX, sizes: ["half_x", "half_z"] },
};
const AT_OTHER = 128; // in the scratch memory, behind a command or a cast
const AT_COUNT = 256;
const MASK_MAX = 2 ** FXS_PLANES_LAYERS - 1;

const planeLayer = (value) => integer("layer", value, 0, FXS_PLANES_LAYERS - 1);
const size = (name, value) => unitsIn(name, value, 1, FXS_SIZE_MAX);

// Writes the shape and position of a hitbox to an address: { ground, side } and [x, y, z].
function putSizes(at, hitbox, name = "hitbox") {
  const { ground, side } = hitbox ?? {};
  if (!isList(ground) || !isList(side) || side.length !== 2) {
    throw new ArgumentTypeError(
      `${name} must be { ground: ["circle", radius], side: [half_x, half_y] } or the like`,
    );
  }
  const { code, sizes } = wordIn(`${name}'s ground`, ground[0], GROUNDS);
  if (ground.length !== 1 + sizes.length) {
    throw new ArgumentTypeError(
      `a ${ground[0]} has ${sizes.join(", ")}, not ${quoted(ground.slice(1))}`,
    );
  }
  memory.view.setUint8(at + fxs_hitbox.kind, code);
  putWords(at + fxs_hitbox.ground, [0, 0]);
  putWords(
    at + fxs_hitbox.ground,
    sizes.map((what, i) => size(what, ground[1 + i])),
  );
  putWords(at + fxs_hitbox.side, [size("side half_x", side[0]), size("side half_y", side[1])]);
}

const putPlace = (at, position) => putWords(at + fxs_hitbox.x, vector("position", position));

/** A world of hitboxes. Its changes return the commands that `world` took, for a Recorder. */
export class TwoPlanes {
  #capacity;
  #world;

  /** Ids are 0..capacity - 1, layers 0..15. */
  constructor(capacity, options) {
    const { hitWhen, layers = null } = optionsIn(options, "hitWhen, layers");
    this.#capacity = integer("capacity", capacity, 1, FXS_CAPACITY_MAX / 2);
    this.#world = new World(2 * capacity, { hitWhen, layers: [] });
    this.setLayers(layers);
  }

  /** The world of both views: save, load, hash and record it as it is. */
  get world() {
    return this.#world;
  }

  get capacity() {
    return this.#capacity;
  }

  /** How many hitboxes there are. */
  get size() {
    return this.#world.size / 2;
  }

  #id(id) {
    return integer("id", id, 0, this.#capacity - 1);
  }

  // Applies commands, each written by put(at, i); those that the world took.
  #change(count, what, put) {
    const bytes = count * fxs_planes_command.$size;
    const at = results.for(bytes + 2 * count * fxs_command.$size);
    memory.u8.fill(0, at, at + bytes);
    for (let i = 0; i < count; i++) put(at + i * fxs_planes_command.$size, i);
    const bad = scratch + AT_COUNT;
    checked(kernel.fxs_planes_apply(this.#world.address, at, BigInt(count), at + bytes, bad), what);
    return [at + bytes, 2 * count];
  }

  // One command of a type for an id, with fields written by put(hitbox).
  #one(type, id, put) {
    const number = this.#id(id);
    return commandsAt(
      ...this.#change(1, `id ${id}`, (at) => {
        putWords(at + fxs_planes_command.type, [type]);
        const hitbox = at + fxs_planes_command.hitbox;
        putWords(hitbox + fxs_hitbox.id, [number]);
        put(hitbox);
      }),
    );
  }

  // ---- changes ----

  /** Adds a hitbox: { ground: ["circle", radius] or ["rectangle", half_x, half_z], side:
   * [half_x, half_y] }. */
  add(id, hitbox, position, options) {
    const { layer = 0, owner = 0, active = true } = optionsIn(options, "layer, owner, active");
    return this.#one(FXS_COMMAND_ADD, id, (at) => {
      putSizes(at, hitbox);
      putPlace(at, position);
      putWords(at + fxs_hitbox.owner, [uint32("owner", owner)]);
      memory.view.setUint8(at + fxs_hitbox.layer, planeLayer(layer));
      memory.view.setUint8(at + fxs_hitbox.active, boolean("active", active) ? 1 : 0);
    });
  }

  remove(id) {
    return this.#one(FXS_COMMAND_REMOVE, id, () => {});
  }

  move(id, x, y, z) {
    return this.#one(FXS_COMMAND_MOVE, id, (at) => putPlace(at, [x, y, z]));
  }

  setHitbox(id, hitbox) {
    return this.#one(FXS_COMMAND_SHAPE, id, (at) => putSizes(at, hitbox));
  }

  setOwner(id, owner) {
    return this.#one(FXS_COMMAND_OWNER, id, (at) =>
      putWords(at + fxs_hitbox.owner, [uint32("owner", owner)]),
    );
  }

  setLayer(id, layer) {
    return this.#one(FXS_COMMAND_LAYER, id, (at) =>
      memory.view.setUint8(at + fxs_hitbox.layer, planeLayer(layer)),
    );
  }

  setActive(id, active) {
    const flag = boolean("active", active) ? 1 : 0;
    return this.#one(FXS_COMMAND_ACTIVE, id, (at) =>
      memory.view.setUint8(at + fxs_hitbox.active, flag),
    );
  }

  /** The pairs of layers that meet; null if all do. */
  setLayers(layers) {
    const masks = masksOf(layers, FXS_PLANES_LAYERS);
    this.#change(FXS_PLANES_LAYERS, "layers", (at, layer) => {
      putWords(at + fxs_planes_command.type, [FXS_COMMAND_LAYERS, masks[layer]]);
      memory.view.setUint8(at + fxs_planes_command.hitbox + fxs_hitbox.layer, layer);
    });
    return [["layers", this.#world.layers]];
  }

  // ---- one and two hitboxes ----

  // The fxs_hitbox of an id, written to an address; the address.
  #get(at, id) {
    checked(kernel.fxs_planes_get(this.#world.address, this.#id(id), at), `id ${id}`);
    return at;
  }

  /** Where a hitbox is: [x, y, z]. */
  position(id) {
    return words3(this.#get(scratch, id) + fxs_hitbox.x);
  }

  /** The contact of two hitboxes as they are now, the lesser of those of both views. */
  contact(a, b) {
    return checked(
      kernel.fxs_hitbox_contact(this.#get(scratch, a), this.#get(scratch + AT_OTHER, b)),
      "contact",
    );
  }

  /** The shortest planar translation that moves a out of b: [x, z]. */
  pushOut(a, b) {
    const out = scratch + AT_COUNT;
    checked(
      kernel.fxs_hitbox_push_out(this.#get(scratch, a), this.#get(scratch + AT_OTHER, b), out),
      "pushOut",
    );
    return [...memory.i32.subarray(out / 4, out / 4 + 2)];
  }

  /** The shortest vertical translation that moves a out of b. */
  lift(a, b) {
    const out = scratch + AT_COUNT;
    checked(
      kernel.fxs_hitbox_lift(this.#get(scratch, a), this.#get(scratch + AT_OTHER, b), out),
      "lift",
    );
    return memory.i32[out / 4];
  }

  // ---- questions ----

  /** The ids that a hitbox meets now, ascending. */
  query(hitbox, position, mask = MASK_MAX, options) {
    const { excludeOwner = 0, hitWhen = null } = optionsIn(options, "excludeOwner, hitWhen");
    putSizes(scratch, hitbox);
    putPlace(scratch, position);
    const asked = [
      integer("mask", mask, 0, MASK_MAX),
      uint32("excludeOwner", excludeOwner),
      hitWhen === null ? 0 : hitWhenIn(hitWhen),
    ];
    return idsAnswered("query", (ids, room, count) =>
      kernel.fxs_planes_query(this.#world.address, scratch, ...asked, ids, room, count),
    );
  }

  /** The hits of a hitbox that moves straight, in the order of a world: { id, fraction, normal }. */
  cast(hitbox, position, motion, mask = MASK_MAX, options) {
    const {
      excludeOwner = 0,
      limit = 0,
      hitWhen = null,
    } = optionsIn(options, "excludeOwner, limit, hitWhen");
    const at = scratch + fxs_hitbox_cast.hitbox;
    putSizes(at, hitbox);
    putPlace(at, position);
    putWords(scratch + fxs_hitbox_cast.motion, [
      ...motionIn("motion", motion),
      integer("mask", mask, 0, MASK_MAX),
      uint32("excludeOwner", excludeOwner),
      uint32("limit", limit),
      hitWhen === null ? 0 : hitWhenIn(hitWhen),
    ]);
    return hitsAnswered("cast", (hits, room, count) =>
      kernel.fxs_planes_cast(this.#world.address, scratch, hits, room, count),
    );
  }

  /** A cast of a hitbox from its position, at all that layers and owners let it hit. */
  sweep(id, motion, options) {
    const { limit = 0, hitWhen = null } = optionsIn(options, "limit, hitWhen");
    const [self, most] = [this.#id(id), uint32("limit", limit)];
    putWords(scratch, motionIn("motion", motion));
    const when = hitWhen === null ? 0 : hitWhenIn(hitWhen);
    return hitsAnswered(`id ${id}`, (hits, room, count) =>
      kernel.fxs_planes_sweep(this.#world.address, self, scratch, most, when, hits, room, count),
    );
  }

  // ---- steps ----

  /** Steps the world; the events of the hitboxes, by (a, b). */
  step() {
    return this.combine(this.#world.step());
  }

  /** The events of the hitboxes, of those of one step of `world`. */
  combine(events) {
    const { rows, length } = instance("events", Events, "a step's", events);
    const bytes = length * fxs_event.$size;
    const at = results.for(2 * bytes);
    putWords(at, rows);
    const count = scratch + AT_COUNT;
    checked(
      kernel.fxs_planes_events(this.#world.address, at, BigInt(length), at + bytes, count),
      "events",
    );
    return rowsAt(at + bytes, memory.u32[count / 4], ["a", "b", "kind", "contact"]);
  }

  /** The hits of the last step, by (a, b): { a, b, contact }. */
  hits() {
    const { address } = this.#world;
    const at = results.for(Number(kernel.fxs_world_hit_count(address)) * fxs_hit.$size);
    return rowsAt(at, Number(kernel.fxs_planes_hits(address, at)), ["a", "b", "contact"]);
  }

  /** Gives the memory back. */
  dispose() {
    this.#world.dispose();
  }
}

// Rows of so many words, as objects.
function rowsAt(at, count, names) {
  return Array.from({ length: count }, (_, row) => {
    const first = at / 4 + row * names.length;
    return Object.fromEntries(names.map((name, i) => [name, memory.u32[first + i]]));
  });
}

TwoPlanes.prototype[DISPOSE] = TwoPlanes.prototype.dispose;
