// The colliders of a match as its commands leave them: what changes of each, and which are attacks.
import { LEVEL } from "./solids.js";

const LAYERS = 32;
const FIELDS = ["shape", "offset", "owner", "layer", "active"]; // commands with one value

// The pair of layers that a number of `layersOf` is.
export const layersIn = (pair) => [Math.floor(pair / LAYERS), pair % LAYERS];

const ATTACK = /(?<![a-z])(attacks?|hitbox(es)?)(?![a-z])/i;

// The layers or ids whose name calls them attacks (fixsync/base/names.py).
const attacksIn = (names) =>
  new Set(
    Object.keys(names ?? {}).flatMap((key) => (ATTACK.test(names[key]) ? [Number(key)] : [])),
  );

const SIDES = /^(.+) \((collider|owner|number), (collider|owner|number)\)$/s;

// The name of a kind of the game's events, and what their a and b are (fixsync/base/names.py).
export function sidesIn(name) {
  const [, plain, ...sides] = SIDES.exec(name ?? "") ?? [];
  return plain ? [plain, sides] : [name, ["number", "number"]];
}

// What no other collider of a match is called.
export const lifeOf = (id, count) => `${id} ${count}`;

// A collider from its `add` to its `remove` is an object { id, count (how often its id was added
// before), life (`lifeOf` both), shape, layer, owner, offset, active, isAttack }.
//
// An attack is at a step on a layer, or of an id, that the log's names call one. If they call nothing
// so, it is a guess: inactive at a step, or added in another frame than 0, unless its id was that of
// a body before. `fixsync attacks` has the same.
export class Roster {
  #colliders = new Map(); // by id
  #counts = new Map(); // by id: how often it was added
  #switched = new Set(); // since the last step
  lives = new Set(); // of all attacks there ever were
  #layers; // that are called attacks
  #ids;

  // world: before the first frame. planes: the size of a plane; only ground views count. names: of
  // the log's header.
  constructor(world, planes, solids, names) {
    this.planes = planes;
    this.solids = solids;
    this.#layers = attacksIn(names?.layers);
    this.#ids = attacksIn(names?.ids);
    this.isGuess = this.#layers.size + this.#ids.size === 0;
    for (const id of world.ids()) {
      const { shape, layer, owner, offset, active } = world.get(id);
      if (!this.#isLeftOut(id)) this.#add(id, { shape, layer, owner, offset, active });
    }
    this.step();
  }

  #isLeftOut(id) {
    return this.planes > 0 && id >= this.planes;
  }

  #add(id, values, isLate = false) {
    const count = this.#counts.get(id) ?? 0;
    this.#counts.set(id, count + 1);
    const collider = { id, count, life: lifeOf(id, count), ...values, isAttack: false };
    const wasBody = count > 0 && !this.lives.has(lifeOf(id, count - 1));
    if (this.isGuess && isLate && !wasBody) this.#mark(collider);
    this.#colliders.set(id, collider);
    this.#switched.add(collider);
  }

  #isAttack({ id, layer, active }) {
    return this.isGuess ? !active : this.#ids.has(id) || this.#layers.has(layer);
  }

  #mark(collider) {
    collider.isAttack = true;
    this.lives.add(collider.life);
  }

  get(id) {
    return this.#colliders.get(id);
  }

  get colliders() {
    return this.#colliders.values();
  }

  // The pair of layers of a hit, as one number.
  layersOf(a, b) {
    const most = this.planes ? LAYERS / 2 : LAYERS;
    const pair = [a, b].map((id) =>
      id >= LEVEL ? this.solids.solid(id).layer : (this.get(id)?.layer ?? 0) % most,
    );
    return Math.min(...pair) * LAYERS + Math.max(...pair);
  }

  // Ends the commands before a step.
  step() {
    for (const collider of this.#switched) if (this.#isAttack(collider)) this.#mark(collider);
    this.#switched.clear();
  }

  // Follows a command that takes effect in a frame. What it changes: its name, "on", "off", or null
  // if nothing is other than it was, or is only somewhere else.
  apply(frame, [name, id, value, ...rest]) {
    if (this.#isLeftOut(id)) return null;
    if (name === "add") {
      const [, , layer, owner, offset, active] = rest;
      this.#add(id, { shape: value, layer, owner, offset, active }, frame !== 0);
      return name;
    }
    const collider = this.get(id);
    if (!collider) return null;
    if (name === "remove") {
      this.#colliders.delete(id);
      this.#switched.delete(collider);
      return name;
    }
    if (!FIELDS.includes(name) || String(collider[name]) === String(value)) return null;
    collider[name] = value;
    if (name === "active" || name === "layer") this.#switched.add(collider);
    if (name !== "active") return name;
    return value ? "on" : "off";
  }
}
