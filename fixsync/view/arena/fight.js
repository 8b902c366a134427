// The game: integers alone, and the same for every peer. Positions are in the world and nowhere
// else; all other numbers are in `#fields`. Every change of the world is a command, so the commands
// of a frame are its part of the match log.

import { along, slide } from "../../../bindings/web/kit.js";
import { Level } from "../../../bindings/web/level.js";
import { cylinder, sector, sphere } from "../../../bindings/web/makers.js";
import { forward, length, ONE, yawOf } from "../../../bindings/web/numbers.js";
import { FXS_ENTER, FXS_LEVEL, FXS_OVERLAPPING } from "../../../bindings/web/raw.js";
import { World } from "../../../bindings/web/world.js";
import { ATTACK, BODY, CAPACITY, MEETING, SHOTS, SOLIDS, SPAWNS, WALL } from "./map.js";

// Buttons, as bits of an input.
export const BUTTON = {
  up: 1,
  down: 2,
  left: 4,
  right: 8,
  slash: 16,
  dash: 32,
  ring: 64,
  shot: 128,
};

export const ACTION = { none: 0, slash: 1, ring: 2, dash: 3, shot: 4, out: 5 };
export const HEALTH = 5;
export const SHOTS_EACH = 2;

// Frames: an attack is active from `from` to `to`, and over at `end`.
export const TIMES = {
  [ACTION.slash]: { from: 6, to: 11, end: 22 },
  [ACTION.ring]: { from: 16, to: 21, end: 38 },
  [ACTION.dash]: { from: 1, to: 8, end: 16 },
  [ACTION.shot]: { from: 7, to: 8, end: 18 },
  [ACTION.out]: { from: 60, to: 61, end: 61 },
};
const STUN_FRAMES = 18;
const SAFE_FRAMES = 90;
const SHOT_FRAMES = 80;

// Q16.16, and per frame.
const WALK = 5600;
const KNOCK = 13000;
const SHOT_SPEED = 15000;
const DASH_LENGTH = 4 * ONE;
const DASH_STEPS = TIMES[ACTION.dash].to - TIMES[ACTION.dash].from;
const AIM_RANGE = 6 * ONE;
const TALL = ONE / 2;

export const BODY_SHAPE = cylinder(ONE / 2, TALL);
export const SLASH_SHAPE = sector((ONE * 9) / 4, 9000, TALL);
export const RING_SHAPE = sector(3 * ONE, 32768, TALL, (ONE * 3) / 2);
const SHOT_SHAPE = sphere(ONE / 4);

export const bodyOf = (player) => 1 + player;
export const slashOf = (player) => 11 + player;
export const ringOf = (player) => 21 + player;
export const shotOf = (player, i) => 31 + SHOTS_EACH * player + i;
const ownerOf = (player) => player + 1;

// The numbers of a player beside the world, in this order.
export const FIELDS = [
  ...["health", "score", "action", "timer", "stun", "vx", "vz", "safe", "held", "dashed"],
  ...["shot0", "shot0_vx", "shot0_vz", "shot1", "shot1_vx", "shot1_vz"],
];
const F = Object.fromEntries(FIELDS.map((name, i) => [name, i]));

const KEPT_FRAMES = 240; // their states are kept, to draw them and to find a difference

const CENTRED = [0, 0, 0];
const middle = (x, z) => yawOf(-x, -z);

let walls = null;

// The level, which all worlds share.
function level() {
  walls ??= Level.of(SOLIDS);
  return walls;
}

export class Fight {
  #players;
  #world;
  #fields;
  #commands = []; // of the frame being played
  #casts = [];
  #kept = new Map(); // by frame: the state before it, and the casts that led to it
  #fault = null; // { frame, id, bit }

  constructor(players) {
    this.#players = players;
    this.#fields = new Int32Array(FIELDS.length * players);
    this.#world = new World(CAPACITY, { layers: MEETING, level: level() });
    for (let p = 0; p < players; p++) {
      const [x, z] = SPAWNS[p];
      const add = (id, shape, layer, active) =>
        this.#do([["add", id, shape, [x, 0, z], middle(x, z), layer, ownerOf(p), CENTRED, active]]);
      add(bodyOf(p), BODY_SHAPE, BODY, true);
      add(slashOf(p), SLASH_SHAPE, ATTACK, false);
      add(ringOf(p), RING_SHAPE, ATTACK, false);
      for (let i = 0; i < SHOTS_EACH; i++) add(shotOf(p, i), SHOT_SHAPE, SHOTS, false);
      this.#set(p, F.health, HEALTH);
    }
    this.#commands = [];
    this.#keep();
  }

  get world() {
    return this.#world;
  }

  dispose() {
    this.#world.dispose();
  }

  // ---- for Rollback ----

  save() {
    return new Uint8Array(this.#fields.slice().buffer);
  }

  load(own) {
    this.#fields.set(new Int32Array(own.buffer));
  }

  play(inputs) {
    const { frame } = this.#world;
    this.#commands = [];
    this.#casts = [];
    for (let p = 0; p < this.#players; p++) this.#act(p, inputs[p]);
    for (let p = 0; p < this.#players; p++) for (let i = 0; i < SHOTS_EACH; i++) this.#fly(p, i);
    const events = [...this.#world.step()];
    const dashes = [];
    for (let p = 0; p < this.#players; p++) {
      if (this.#get(p, F.action) === ACTION.dash && this.#get(p, F.timer) === 0) dashes.push(p);
    }
    for (const p of dashes) this.#dash(p);
    for (const event of events) this.#react(event);
    if (frame === this.#fault?.frame) this.#flip(this.#fault);
    this.#keep();
    return { commands: this.#commands, events };
  }

  // ---- for those who watch ----

  // The state before a frame, as it is known now: { world, fields, casts }.
  before(frame) {
    return this.#kept.get(frame);
  }

  #keep() {
    const { frame } = this.#world;
    this.#kept.set(frame, {
      world: this.#world.save(),
      fields: this.#fields.slice(),
      casts: this.#casts,
    });
    this.#kept.delete(frame - KEPT_FRAMES);
  }

  // Flips a bit of a collider's x after the next frame, and whenever that is played again, as a
  // broken machine would: no command says so.
  breakBit(id, bit) {
    this.#fault = { frame: this.#world.frame, id, bit };
  }

  #flip({ id, bit }) {
    const { x, y, z } = this.#pose(id);
    this.#world.move(id, x ^ (1 << bit), y, z);
  }

  // ---- numbers and commands ----

  #get(p, field) {
    return this.#fields[p * FIELDS.length + field];
  }
  #set(p, field, value) {
    this.#fields[p * FIELDS.length + field] = value;
  }

  #do(commands) {
    this.#world.apply(commands);
    this.#commands.push(...commands);
  }

  #pose(id) {
    return this.#world.get(id).pose;
  }

  // ---- a player's frame ----

  #act(p, input) {
    const pressed = input & ~this.#get(p, F.held);
    this.#set(p, F.held, input);
    if (this.#get(p, F.safe) > 0) this.#set(p, F.safe, this.#get(p, F.safe) - 1);
    this.#interrupt(p, ACTION.slash, slashOf(p));
    this.#interrupt(p, ACTION.ring, ringOf(p));
    if (this.#get(p, F.stun) > 0) this.#stagger(p);
    else if (this.#get(p, F.action) === ACTION.none) this.#choose(p, input, pressed);
    else this.#goOn(p, input);
  }

  // A hit ends an attack; its area goes with the next frame's commands.
  #interrupt(p, action, area) {
    if (this.#get(p, F.action) !== action && this.#world.get(area).active)
      this.#do([["active", area, false]]);
  }

  // Thrown back by a hit.
  #stagger(p) {
    this.#set(p, F.stun, this.#get(p, F.stun) - 1);
    const [vx, vz] = [this.#get(p, F.vx), this.#get(p, F.vz)];
    this.#walk(p, vx, vz, null, (1 << WALL) | (1 << BODY));
    this.#set(p, F.vx, Math.trunc((vx * 7) / 8));
    this.#set(p, F.vz, Math.trunc((vz * 7) / 8));
  }

  #choose(p, input, pressed) {
    const wanted = ["slash", "ring", "dash", "shot"].find((name) => pressed & BUTTON[name]);
    if (wanted && (wanted !== "shot" || this.#freeShot(p) !== null)) {
      this.#set(p, F.action, ACTION[wanted]);
      this.#set(p, F.timer, 0);
      this.#stride(p, input, 0, this.#aim(p, input));
      return;
    }
    this.#stride(p, input, WALK, null);
  }

  // The yaw that an action takes: the nearest other fighter, or where the player steers.
  #aim(p, input) {
    const from = this.#pose(bodyOf(p));
    let [best, nearest] = [null, AIM_RANGE];
    for (let other = 0; other < this.#players; other++) {
      if (other === p || this.#get(other, F.action) === ACTION.out) continue;
      const to = this.#pose(bodyOf(other));
      const howFar = length(to.x - from.x, 0, to.z - from.z);
      if (howFar < nearest) [best, nearest] = [yawOf(to.x - from.x, to.z - from.z), howFar];
    }
    return best ?? steered(input) ?? from.yaw;
  }

  #goOn(p, input) {
    const action = this.#get(p, F.action);
    const timer = this.#get(p, F.timer) + 1;
    this.#set(p, F.timer, timer);
    const { from, to, end } = TIMES[action];
    if (action === ACTION.out) {
      if (timer === 1) this.#do([["active", bodyOf(p), false]]);
      if (timer === end) this.#comeBack(p);
      return;
    }
    if (action === ACTION.dash && timer > from && timer <= to) {
      this.#walk(p, this.#get(p, F.vx), this.#get(p, F.vz), null, 1 << WALL);
    } else if (action !== ACTION.dash)
      this.#stride(p, input, Math.trunc(WALK / 3), this.#pose(bodyOf(p)).yaw);
    const area = action === ACTION.slash ? slashOf(p) : action === ACTION.ring ? ringOf(p) : null;
    if (area !== null && timer >= from && timer < to) {
      const { x, y, z, yaw } = this.#pose(bodyOf(p));
      this.#do([["pose", area, [x, y, z], yaw]]);
      if (timer === from) this.#do([["active", area, true]]);
    }
    if (area !== null && timer === to) this.#do([["active", area, false]]);
    if (action === ACTION.shot && timer === from) this.#shoot(p);
    if (timer === end) this.#set(p, F.action, ACTION.none);
  }

  #comeBack(p) {
    const [x, z] = SPAWNS[p];
    this.#do([
      ["pose", bodyOf(p), [x, 0, z], middle(x, z)],
      ["active", bodyOf(p), true],
    ]);
    this.#set(p, F.action, ACTION.none);
    this.#set(p, F.health, HEALTH);
    this.#set(p, F.safe, SAFE_FRAMES);
  }

  // Walks where the player steers.
  #stride(p, input, speed, yaw) {
    const heading = steered(input);
    const [mx, mz] = heading === null || speed === 0 ? [0, 0] : forward(heading, speed);
    this.#walk(p, mx, mz, yaw ?? heading, (1 << WALL) | (1 << BODY));
  }

  // Moves a fighter up to an obstacle, and along it. Other bodies that it is in already do
  // not hold it.
  #walk(p, mx, mz, yaw, mask) {
    const id = bodyOf(p);
    const pose = this.#pose(id);
    const facing = yaw ?? pose.yaw;
    let [x, z] = [pose.x, pose.z];
    let [restX, restZ] = [mx, mz];
    for (let turn = 0; turn < 3 && (restX !== 0 || restZ !== 0); turn++) {
      const options = { excludeOwner: ownerOf(p), hitWhen: FXS_OVERLAPPING };
      const hits = this.#world.cast(BODY_SHAPE, { x, y: 0, z }, [restX, 0, restZ], mask, options);
      const wall = hits.find((met) => met.id >= FXS_LEVEL && isWithin(met));
      if (wall && turn > 0) break; // rounding may lead into the next wall: the next frame leads out
      if (wall) {
        const [outX, outZ] = this.#world.pushOut(id, wall.id);
        [x, z] = [x + outX, z + outZ];
        continue;
      }
      const hit = hits.find((met) => !isWithin(met));
      const [stepX, , stepZ] = hit
        ? along([restX, 0, restZ], hit.fraction, hit.normal)
        : [restX, 0, restZ];
      [x, z] = [x + stepX, z + stepZ];
      if (!hit) break;
      [restX, , restZ] = slide([restX - stepX, 0, restZ - stepZ], hit.normal);
    }
    if (x !== pose.x || z !== pose.z || facing !== pose.yaw)
      this.#do([["pose", id, [x, 0, z], facing]]);
  }

  // ---- dash: one cast finds how far it goes, another whom it meets ----

  #dash(p) {
    const { x, z, yaw } = this.#pose(bodyOf(p));
    const [mx, mz] = forward(yaw, DASH_LENGTH);
    const walls = this.#cast(p, x, z, mx, mz, 1 << WALL, 1);
    const [wayX, , wayZ] = along([mx, 0, mz], walls[0]?.fraction ?? 65536);
    this.#set(p, F.vx, Math.trunc(wayX / DASH_STEPS));
    this.#set(p, F.vz, Math.trunc(wayZ / DASH_STEPS));
    for (const { id } of this.#cast(p, x, z, wayX, wayZ, 1 << BODY, 0)) this.#hurt(id - 1, p, yaw);
  }

  #cast(p, x, z, mx, mz, mask, limit) {
    const options = { excludeOwner: ownerOf(p), limit, hitWhen: FXS_OVERLAPPING };
    const question = [BODY_SHAPE, { x, y: 0, z }, [mx, 0, mz], mask, options];
    const hits = this.#world.cast(...question);
    this.#casts.push([hits, ...question]);
    return hits;
  }

  // ---- shots ----

  #freeShot(p) {
    for (let i = 0; i < SHOTS_EACH; i++) if (this.#get(p, F.shot0 + 3 * i) === 0) return i;
    return null;
  }

  #shoot(p) {
    const i = this.#freeShot(p);
    const { x, z, yaw } = this.#pose(bodyOf(p));
    const [ax, az] = forward(yaw, Math.trunc((ONE * 3) / 4));
    const [vx, vz] = forward(yaw, SHOT_SPEED);
    const at = p * FIELDS.length + F.shot0 + 3 * i;
    this.#fields.set([SHOT_FRAMES, vx, vz], at);
    this.#do([
      ["pose", shotOf(p, i), [x + ax, 0, z + az], yaw],
      ["active", shotOf(p, i), true],
    ]);
  }

  #fly(p, i) {
    const at = F.shot0 + 3 * i;
    const left = this.#get(p, at);
    if (left === 0) return;
    if (left === 1) {
      this.#endShot(p, i);
      return;
    }
    this.#set(p, at, left - 1);
    const { x, z } = this.#pose(shotOf(p, i));
    this.#do([["move", shotOf(p, i), [x + this.#get(p, at + 1), 0, z + this.#get(p, at + 2)]]]);
  }

  // A shot that is over stops; the next frame takes it away.
  #stopShot(id) {
    const [p, i] = [Math.trunc((id - shotOf(0, 0)) / SHOTS_EACH), (id - shotOf(0, 0)) % SHOTS_EACH];
    this.#fields.set([1, 0, 0], p * FIELDS.length + F.shot0 + 3 * i);
  }

  #endShot(p, i) {
    this.#set(p, F.shot0 + 3 * i, 0);
    this.#do([["active", shotOf(p, i), false]]);
  }

  // ---- hits ----

  #react({ a, b, kind }) {
    if (kind !== FXS_ENTER) return;
    const isShot = (id) => id >= shotOf(0, 0) && id < shotOf(SPAWNS.length, 0);
    if (isShot(a)) this.#stopShot(a); // b is a wall
    if (a >= slashOf(0)) return;
    const attacker = isShot(b) ? Math.trunc((b - shotOf(0, 0)) / SHOTS_EACH) : (b - 1) % 10;
    const from = this.#pose(isShot(b) ? b : bodyOf(attacker));
    const to = this.#pose(a);
    this.#hurt(a - 1, attacker, isShot(b) ? from.yaw : yawOf(to.x - from.x, to.z - from.z));
    if (isShot(b)) this.#stopShot(b);
  }

  #hurt(p, by, yaw) {
    if (this.#get(p, F.safe) > 0 || this.#get(p, F.action) === ACTION.out) return;
    const health = this.#get(p, F.health) - 1;
    const [vx, vz] = forward(yaw, KNOCK);
    this.#set(p, F.health, health);
    this.#set(p, F.stun, STUN_FRAMES);
    this.#set(p, F.safe, STUN_FRAMES + 6);
    this.#set(p, F.vx, vx);
    this.#set(p, F.vz, vz);
    this.#set(p, F.action, ACTION.none);
    if (health > 0) return;
    this.#set(by, F.score, this.#get(by, F.score) + 1);
    this.#set(p, F.action, ACTION.out);
    this.#set(p, F.timer, 0);
    this.#set(p, F.stun, 0);
  }
}

// The yaw that the direction buttons name, or null.
function steered(input) {
  const dx = (input & BUTTON.right ? 1 : 0) - (input & BUTTON.left ? 1 : 0);
  const dz = (input & BUTTON.up ? 1 : 0) - (input & BUTTON.down ? 1 : 0);
  return dx === 0 && dz === 0 ? null : yawOf(dx, dz);
}

// A cast's hit of an obstacle that the shape overlaps at the start.
const isWithin = ({ normal: [nx, ny, nz] }) => nx === 0 && ny === 0 && nz === 0;
