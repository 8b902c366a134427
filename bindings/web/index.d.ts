// The package's types, by hand. makers.d.ts has those of shapes, and raw.d.ts those of the C
// functions, and the constants FXS_… and structures fxs_… that are named here: import them from
// "fixsync/raw".
/// <reference lib="esnext.disposable" />
import type { Shape } from "./makers.js";
import type * as raw from "./raw.js";

/** Makes fixsync ready; nothing else works before. `source`: nothing, for the fixsync.wasm beside
 * the package; or its address, its bytes, a Response or a compiled module. */
export function init(source?: InitSource | Promise<InitSource>): Promise<void>;
/** An address as a string or a URL, an ArrayBuffer or a view of one, a Response or a
 * WebAssembly.Module, an object without members: these types need no DOM. */
export type InitSource =
  | string
  | ArrayBuffer
  | ArrayBufferView
  | { readonly href: string; readonly searchParams: object }
  | { readonly ok: boolean; arrayBuffer(): Promise<ArrayBuffer> }
  | { readonly href?: never; readonly ok?: never };

/** A value of the wrong type; a number with a fraction too. */
export class ArgumentTypeError extends TypeError {
  /** The index of the command at fault, of `World.apply` and a Recorder. */
  readonly index?: number;
}
/** A value out of range, or one that the world refuses. */
export class ArgumentRangeError extends RangeError {
  /** The kernel's status (FXS_E_…), if it refused. */
  readonly status?: number;
  /** The index of the command at fault, of `World.apply` and a Recorder. */
  readonly index?: number;
}

/** The C functions, in the memory that everything here shares. A KernelArray, a World and a Level
 * have an `address` in it. */
export const kernel: raw.Kernel;

// ---- numbers: integers in Q16.16, 65536 to a unit ----

/** One unit. */
export const ONE: 65536;
/** Units to Q16.16, exactly: q("0.375") is 24576. Other values are an error. */
export function q(units: number | bigint | string): number;
/** Units to the nearest Q16.16 number, ties to even. */
export function qNear(units: number | bigint | string): number;
/** Degrees to the nearest yaw, 0..65535. */
export function degrees(value: number | bigint | string): number;
/** The direction of a yaw in Q2.30: [cos, sin], along x and z. */
export function direction(yaw: number): [number, number];
/** The yaw that faces (dx, dz). */
export function yawOf(dx: number | bigint, dz: number | bigint): number;
/** floor(sqrt(dx² + dy² + dz²)), below 2^33. */
export function length(dx: number | bigint, dy: number | bigint, dz: number | bigint): number;
/** The shorter turn from one yaw to another, -32768..32767. */
export function yawBetween(from: number, to: number): number;
/** Whether (dx, dz) lies within halfAngle steps of a yaw. */
export function faces(
  yaw: number,
  halfAngle: number,
  dx: number | bigint,
  dz: number | bigint,
): boolean;
/** A length in the direction of a yaw: [x, z]. */
export function forward(yaw: number, length: number): [number, number];

/** a · b in Q16.16. As all below: exact, rounded once, halves away from zero; an error for a result
 * outside int32. */
export function mul(a: number, b: number): number;
/** a / b in Q16.16. */
export function div(a: number, b: number): number;
/** a · b / c of plain integers, rounded once: 30 percent of a damage. */
export function mulDiv(a: number, b: number, c: number): number;
export function sqrt(a: number): number;
/** The number at a fraction, 0..65536, of the way from a to b. */
export function lerp(a: number, b: number, fraction: number): number;
/** The number of low..high that is nearest to a value. */
export function clamp(value: number, low: number, high: number): number;
/** A value moved towards a target by `most` at most. */
export function approach(value: number, target: number, most: number): number;
/** A yaw turned towards another the shorter way, by `most` steps at most. */
export function turnTowards(yaw: number, end: number, most: number): number;
/** The length of a vector, rounded. */
export function hypot(x: number, y: number, z?: number): number;
export function dot(a: Vector, b: Vector): number;
/** A vector times a factor. */
export function scale(v: Vector, factor: number): [number, number, number];
/** A vector brought to a length: a speed in the direction of a target. */
export function withLength(v: Vector, length: number): [number, number, number];

// ---- shapes, as match logs write them ----

export * from "./makers.js";

export interface Pose {
  readonly x: number;
  readonly y: number;
  readonly z: number;
  /** 0..65535; 0 if it is left out. */
  readonly yaw?: number;
}
export type Vector = readonly [x: number, y: number, z: number];

export type Contact = 0 | 1 | 2;
export const APART: 0;
export const TOUCHING: 1;
export const OVERLAPPING: 2;

/** The contact of two shapes, exact. */
export function overlap(shapeA: Shape, poseA: Pose, shapeB: Shape, poseB: Pose): Contact;
/** The shortest planar translation that moves a out of b: [x, z]. */
export function pushOut(shapeA: Shape, poseA: Pose, shapeB: Shape, poseB: Pose): [number, number];
/** The shortest vertical translation that moves a out of b. */
export function lift(shapeA: Shape, poseA: Pose, shapeB: Shape, poseB: Pose): number;
/** The face of the box b that pushOut moves a out of: FXS_SIDE_NONE to FXS_SIDE_NEG_Z. */
export function side(shapeA: Shape, poseA: Pose, shapeB: Shape, poseB: Pose): number;
/** When two shapes that move straight first meet; null if they do not. An error for a sector. */
export function castPair(
  shapeA: Shape,
  poseA: Pose,
  motionA: Vector,
  shapeB: Shape,
  poseB: Pose,
  motionB: Vector,
  options?: { hitWhen?: 1 | 2 },
): Meeting | null;

/** The outline of a shape, for drawing: of the kernel, so it is where the hits are. segments: how
 * many pieces draw a whole circle, 3..65536; 32 if it is left out. */
export function outline(shape: Shape, pose: Pose, options?: { segments?: number }): Outline;

/** A shape from above, and its heights, in Q16.16. */
export interface Outline {
  /** The vertices [x, z] of a polygon, counterclockwise as yaw turns. */
  readonly outer: [x: number, z: number][];
  /** Those of its hole, clockwise; empty without a hole. */
  readonly hole: [x: number, z: number][];
  readonly yLow: number;
  readonly yHigh: number;
}

export interface Meeting {
  /** floor(65536 · time), 0..65536. */
  fraction: number;
  /** Q2.30, towards the shape that is cast. */
  normal: [number, number, number];
}

// ---- levels ----

/** A solid, as match logs write it. */
export type Solid =
  | readonly [
      "prism",
      layer: number,
      y_low: number,
      y_high: number,
      vertices: readonly (readonly [x: number, z: number])[],
    ]
  | readonly [
      "cylinder",
      layer: number,
      y_low: number,
      y_high: number,
      centre: readonly [x: number, z: number],
      radius: number,
    ];

/** The static geometry of a map, which any number of worlds share. The id of solid i is
 * FXS_LEVEL + i. */
export class Level implements Disposable {
  /** The level of bytes as `toBytes` gives them. */
  constructor(data: Uint8Array);
  static of(solids: readonly Solid[]): Level;
  /** How many solids it has. */
  readonly size: number;
  /** Where the fxs_level stands in the kernel's memory. */
  readonly address: number;
  hash(): bigint;
  toBytes(): Uint8Array;
  /** The outline of the solid of an index: a prism's own vertices, or those of a circle. */
  outline(index: number, options?: { segments?: number }): Outline;
  /** The contact of a shape with the solid of an index. */
  contact(index: number, shape: Shape, pose: Pose): Contact;
  /** The ids of the solids that a shape meets, ascending. */
  query(shape: Shape, pose: Pose, mask?: number, options?: { hitWhen?: 1 | 2 }): number[];
  /** The solids that a shape that moves straight meets, by (fraction, distance, id). */
  cast(
    shape: Shape,
    pose: Pose,
    motion: Vector,
    mask?: number,
    options?: { limit?: number; hitWhen?: 1 | 2 },
  ): (Meeting & { id: number })[];
  /** Gives the memory back. A call of a world that has the level is an error after it. */
  dispose(): void;
  [Symbol.dispose](): void;
}

// ---- the world ----

export type EventKind = 1 | 2 | 3;
export const ENTER: 1;
export const STAY: 2;
export const EXIT: 3;

export interface HitEvent {
  a: number;
  b: number;
  kind: EventKind;
  contact: Contact;
}

/** The events of a step, until the next step of the same world. */
export class Events implements Iterable<HitEvent> {
  private constructor();
  readonly length: number;
  /** Rows of a, b, kind and contact, a view on the kernel's memory. */
  readonly rows: Uint32Array;
  [Symbol.iterator](): Iterator<HitEvent>;
}

export interface Collider {
  id: number;
  shape: Shape;
  pose: Required<Pose>;
  layer: number;
  owner: number;
  offset: [number, number, number];
  active: boolean;
}

/** A change of a world, as match logs write it. */
export type Command =
  | readonly [
      "add",
      id: number,
      shape: Shape,
      position: Vector,
      yaw: number,
      layer: number,
      owner: number,
      offset: Vector,
      active: boolean,
    ]
  | readonly ["move", id: number, position: Vector]
  | readonly ["turn", id: number, yaw: number]
  | readonly ["pose", id: number, position: Vector, yaw: number]
  | readonly ["shape", id: number, shape: Shape]
  | readonly ["offset", id: number, offset: Vector]
  | readonly ["owner", id: number, owner: number]
  | readonly ["layer", id: number, layer: number]
  | readonly ["active", id: number, active: boolean]
  | readonly ["remove", id: number]
  | readonly ["layers", layers: LayerPairs];

/** The pairs of layers that meet; null if all do. */
export type LayerPairs = readonly (readonly [number, number])[] | null;
export type Rows = Int8Array | Uint8Array | Int32Array | Uint32Array | DataView | KernelArray;

/** A typed array in the kernel's own memory: rows in it are handed over without a copy. */
export class KernelArray<
  Type extends Int32Array | Uint32Array | Uint8Array = Int32Array | Uint32Array | Uint8Array,
> implements Disposable
{
  constructor(
    type: {
      new (buffer: ArrayBufferLike, offset: number, length: number): Type;
      readonly BYTES_PER_ELEMENT: number;
    },
    length: number,
  );
  readonly length: number;
  readonly byteLength: number;
  readonly address: number;
  /** Ask again after calls that may need memory: the array moves then. */
  readonly array: Type;
  dispose(): void;
  [Symbol.dispose](): void;
}

export class World implements Iterable<number>, Disposable {
  /** An empty world for ids 0..capacity - 1. hitWhen: the least contact that is a hit. */
  constructor(
    capacity: number,
    options?: { hitWhen?: 1 | 2; layers?: LayerPairs; level?: Level | null },
  );
  static fromBytes(data: Uint8Array, capacity: number, options?: { level?: Level | null }): World;
  /** Solids of the level are in its hits, queries, casts and pushes. */
  readonly level: Level | null;
  /** Gives the memory back. `using` calls it. */
  dispose(): void;
  [Symbol.dispose](): void;

  /** Where the fxs_world stands in the kernel's memory, until the next step or load. */
  readonly address: number;
  readonly capacity: number;
  /** Steps taken, modulo 2^32. */
  readonly frame: number;
  /** How many colliders there are. */
  readonly size: number;
  readonly hitWhen: 1 | 2;
  readonly layers: [number, number][] | null;
  has(id: number): boolean;
  get(id: number): Collider;
  ids(): Uint32Array;
  [Symbol.iterator](): Iterator<number>;
  /** fxs_collider rows, ascending by id: a view until the next call. */
  colliders(): Uint8Array;
  /** Rows of a, b and contact of the last step: a view until the next call. */
  hits(): Uint32Array;

  add(
    id: number,
    shape: Shape,
    pose: Pose,
    options?: { layer?: number; owner?: number; offset?: Vector; active?: boolean },
  ): void;
  remove(id: number): void;
  move(id: number, x: number, y: number, z: number): void;
  turn(id: number, yaw: number): void;
  setPose(id: number, pose: Pose): void;
  setShape(id: number, shape: Shape): void;
  setOffset(id: number, offset: Vector): void;
  setOwner(id: number, owner: number): void;
  setLayer(id: number, layer: number): void;
  setActive(id: number, active: boolean): void;
  setLayers(layers: LayerPairs): void;
  /** Makes changes in order: all or, where one is refused, none. */
  apply(commands: readonly Command[]): void;
  /** Adds colliders from fxs_collider rows. */
  addMany(rows: Rows): void;
  /** ids: uint32 each; positions: three int32 for each. */
  moveMany(ids: Rows, positions: Rows): void;
  /** ids: uint32 each; poses: four 32-bit integers for each: x, y, z, yaw. */
  setPoseMany(ids: Rows, poses: Rows): void;
  /** Pushes bodies that overlap apart, into walls and through them too. yields: [layer, to layer] pairs. Rows of id, x, y, z of
   * those moved: a view until the next call. */
  separate(
    yields: readonly (readonly [number, number])[],
    options?: { passes?: number },
  ): Int32Array;

  /** Finds this frame's hits and returns the events since the last step, by (a, b). */
  step(): Events;

  /** The ids that a shape meets now, ascending. hitWhen: the least contact; null: the world's. */
  query(
    shape: Shape,
    pose: Pose,
    mask?: number,
    options?: { excludeOwner?: number; hitWhen?: 1 | 2 | null },
  ): number[];
  /** The same, nearest first: the first `limit` (0: all). */
  nearest(
    shape: Shape,
    pose: Pose,
    mask?: number,
    options?: { excludeOwner?: number; limit?: number; hitWhen?: 1 | 2 | null },
  ): number[];
  /** The hits of a shape that moves straight, by (fraction, distance, id). */
  cast(
    shape: Shape,
    pose: Pose,
    motion: Vector,
    mask?: number,
    options?: { excludeOwner?: number; limit?: number; hitWhen?: 1 | 2 | null },
  ): (Meeting & { id: number })[];
  /** A cast of a collider's own shape from its pose, at all that layers and owners let it hit. */
  sweep(
    id: number,
    motion: Vector,
    options?: { limit?: number; hitWhen?: 1 | 2 | null },
  ): (Meeting & { id: number })[];
  /** The pairs that meet while colliders move at once, each along its own motion; all others stand
   * still. By (fraction, distance, a, b). The world does not change. */
  sweepPairs(
    motions: Map<number, Vector>,
    options?: { limit?: number; hitWhen?: 1 | 2 | null },
  ): (Meeting & { a: number; b: number })[];
  contact(a: number, b: number): Contact;
  /** The outline of a collider as it is now, active or not, or of a solid of the level. */
  outline(id: number, options?: { segments?: number }): Outline;
  /** Why a pair is not a hit, and by how much it misses, as the world is now. */
  explain(a: number, b: number): Explanation;
  /** Why `query` does not find b, a collider or a solid. */
  explainQuery(
    shape: Shape,
    pose: Pose,
    b: number,
    mask?: number,
    options?: { excludeOwner?: number; hitWhen?: 1 | 2 | null },
  ): Explanation;
  pushOut(a: number, b: number): [number, number];
  lift(a: number, b: number): number;
  side(a: number, b: number): number;

  /** The whole state as bytes, the same on every platform. */
  save(): Uint8Array;
  /** Replaces everything but the capacity by a saved state. */
  load(data: Uint8Array): void;
  /** XXH64 of the bytes that `save` gives, unsigned. */
  hash(): bigint;
  copy(): World;
}

/** A cause why a pair is not a hit. */
export type Cause =
  | "same"
  | "a_inactive"
  | "b_inactive"
  | "owner"
  | "layers"
  | "mask"
  | "excluded"
  | "sectors"
  | "height"
  | "beside"
  | "corner"
  | "grazes";

/** Why a pair is not a hit. Lengths are raw units; null: no growth, or no turn, makes them meet. */
export interface Explanation {
  /** Bits FXS_WHY_SAME to FXS_WHY_GRAZES; 0 exactly if it is a hit. */
  readonly why: number;
  readonly causes: readonly Cause[];
  /** Whose growth planar and gap are. */
  readonly grows: "a" | "b";
  /** How the other shape misses a sector. */
  readonly sector: "beyond" | "outside" | "hole" | null;
  readonly contact: Contact;
  /** Vertical distance, exact; negative if they share heights. */
  readonly height: number;
  /** The growth that they need at one height. */
  readonly planar: number | null;
  /** The growth that they need where they are. */
  readonly gap: number | null;
  /** Yaw steps that the sector's half angle must grow by. */
  readonly turn: number | null;
}

/** Why the contact of two shapes is less than hitWhen. */
export function explain(
  shapeA: Shape,
  poseA: Pose,
  shapeB: Shape,
  poseB: Pose,
  options?: { hitWhen?: 1 | 2 },
): Explanation;

/** The causes as text, with names for a and b of at most 60 bytes:
 * "beside: they would meet if boss were 0.25 units thicker". */
export function explanationText(explanation: Explanation, a?: string, b?: string): string;

/** XXH64 (seed 0) of bytes, unsigned. */
export function hash64(data: ArrayBufferView): bigint;

/** The 32 masks of a layer matrix. */
export function layerMasks(layers: LayerPairs): number[];

export interface Difference {
  /** Such as "world", "collider 7" or "hit 3, 9". */
  group: string;
  field: string;
  /** undefined: the state does not have the field. */
  a: number | string | boolean | undefined;
  b: number | string | boolean | undefined;
}

/** The differences of two saved states. */
export function stateDifferences(stateA: Uint8Array, stateB: Uint8Array): Difference[];
/** The fields of a saved state, by group. */
export function stateFields(
  state: Uint8Array,
): Map<string, Record<string, number | string | boolean>>;

// ---- the kit ----

/** SplitMix64. Its `state` is one number, which a game saves with its own. Not for secrets. */
export class Random {
  constructor(seed: number | bigint);
  get state(): bigint;
  set state(value: number | bigint);
  /** The next number, 0..2^64 - 1. */
  next(): bigint;
  /** A number of 0..count - 1. */
  below(count: number): number;
  /** A number of low..high, both included. */
  between(low: number, high: number): number;
  /** Whether an event happens that has a chance of numerator in denominator. */
  chance(numerator: number, denominator: number): boolean;
  /** Puts an array into a random order, in place. */
  shuffle<Item>(items: Item[]): Item[];
}

/** The part of a motion up to a cast's fraction. With the normal of the hit it ends outside of what
 * it met. */
export function along(
  motion: Vector,
  fraction: number,
  normal?: Vector | null,
): [number, number, number];
/** A motion thrown back by a surface, which keeps `kept` (65536: all) of its speed into it. */
export function bounce(motion: Vector, normal: Vector, kept: number): [number, number, number];
/** A motion without its part into a surface. */
export function slide(motion: Vector, normal: Vector): [number, number, number];
/** Moves a collider straight, and slides it along obstacles; its hits, in order. */
export function moveAndSlide(
  world: World,
  id: number,
  motion: Vector,
  options?: { mask?: number; passes?: number },
): (Meeting & { id: number })[];

/** A character: it moves along walls, up steps, down to the floor. */
export class Mover {
  /** floorY: the least y of a floor's normal, in Q2.30; 45 degrees if it is left out. */
  constructor(
    id: number,
    options?: {
      /** Bit i: layer i blocks it. Left out: those that the layer matrix lets it meet. */
      mask?: number;
      /** Bit i: layer i is a floor from above, and blocks no other way. Needs a mask that shares no
       * layer with it. */
      oneWay?: number;
      passes?: number;
      stepHeight?: number;
      snap?: number;
      floorY?: number;
    },
  );
  move(
    world: World,
    motion: Vector,
  ): {
    x: number;
    y: number;
    z: number;
    /** Without its components into walls, floor and ceiling. */
    motion: [number, number, number];
    /** FXS_ON_FLOOR to FXS_STUCK. */
    flags: number;
    /** The id of the collider or solid that it stands on. */
    floor: number;
    hits: (Meeting & { id: number })[];
  };
}

/** `World.separate` for characters: none is pushed through a wall, or into one. A row for each
 * collider that is pushed to another place, by ascending id. Walls belong in the masks of the
 * movers, not in yields. */
export function separate(
  world: World,
  yields: readonly (readonly [number, number])[],
  movers: Iterable<Mover>,
  options?: { passes?: number },
): {
  id: number;
  x: number;
  y: number;
  z: number;
  /** Whether an obstacle kept it from the place that it was pushed to. */
  isHeld: boolean;
}[];

/** Moves a platform, with the movers on it, and pushes those in its way; a row for each mover, by
 * ascending id. platforms: the ids that make up one platform, a cabin's floor and walls together. */
export function carry(
  world: World,
  platforms: Iterable<number>,
  motion: Vector,
  movers: Iterable<Mover>,
): {
  id: number;
  x: number;
  y: number;
  z: number;
  /** The motion that it made. */
  motion: [number, number, number];
  /** FXS_RODE to FXS_SQUEEZED. */
  flags: number;
  /** The id that stopped it last, its floor, or the id that first shoved it; see fxs_carried. */
  by: number;
}[];

/** Frame data as a JSON file (docs/frames.md): a number is raw, a string a decimal, such as
 * "0.5". */
export interface FrameDataDocument<Part extends string = string, Attack extends string = string> {
  parts: Readonly<Record<Part, PartEntry>>;
  attacks?: Readonly<Record<Attack, AttackEntry>>;
  /** The game's own, here and in parts, attacks and keys; the table does not have it. */
  meta?: Readonly<Record<string, unknown>>;
}
/** Raw, 65536 to a unit or to a turn; or a decimal in units or degrees. */
export type Written = number | string;
export interface PartEntry {
  /** As in a match log: ["box", "0.5", "0.25", "0.25"]. */
  shape: Shape | readonly (string | number)[];
  offset?: readonly Written[];
  layer?: number;
  yaw?: Written;
  active?: boolean;
  /** The offset turns with the yaw, which may then be any. */
  turns?: boolean;
  meta?: Readonly<Record<string, unknown>>;
}
/** Shape and place of a part in the frames [first, last] of an attack; the part's where left
 * out. */
export interface KeyEntry {
  frames: readonly number[];
  shape?: Shape | readonly (string | number)[];
  offset?: readonly Written[];
  yaw?: Written;
  turns?: boolean;
  meta?: Readonly<Record<string, unknown>>;
}
export interface AttackEntry {
  frames: number;
  /** The frames, [first, last], in which parts are on; they are off in all others. */
  active?: Readonly<Record<string, readonly (readonly number[])[]>>;
  /** The frames in which parts are off; they are on in all others. */
  inactive?: Readonly<Record<string, readonly (readonly number[])[]>>;
  /** The frames at which another hit begins. */
  rehits?: readonly number[];
  cancels?: readonly { into: string; frames: readonly number[]; on_hit?: boolean }[];
  /** The frames in which a part has another shape, offset or yaw. */
  keys?: Readonly<Record<string, readonly KeyEntry[]>>;
  meta?: Readonly<Record<string, unknown>>;
}

/** The parts and attacks of one kind of fighter, which any number of bodies share. */
export class FrameData<Part extends string = string, Attack extends string = string> {
  /** The table of bytes as `fixsync frame-data -o` writes them, and the names, in order. */
  constructor(table: Uint8Array, names: { parts: readonly Part[]; attacks?: readonly Attack[] });
  static of<Part extends string, Attack extends string = never>(
    document: FrameDataDocument<Part, Attack>,
  ): FrameData<Part, Attack>;
  readonly parts: readonly Part[];
  readonly attacks: readonly Attack[];
  /** The document that `of` was given, with the game's own `meta`; null without one. */
  readonly document: FrameDataDocument<Part, Attack> | null;
  /** Where the table stands in the kernel's memory. */
  readonly address: number;
  toBytes(): Uint8Array;
}

/** The hurtboxes and hitboxes of one fighter, which move, turn, mirror and attack together. A call
 * that changes the world changes all parts, or none, and returns its commands, for a Recorder. */
export class Body<Part extends string = string, Attack extends string = string> {
  /** Adds the parts to the world. ids: one for each part, or the first of as many in a row. owner:
   * of all parts, 1 or more. */
  constructor(
    world: World,
    frameData: FrameData<Part, Attack>,
    pose: Pose,
    options: { ids: number | readonly number[]; owner: number; isMirrored?: boolean },
  );
  /** The commands that added it. */
  readonly added: readonly Command[];
  readonly frameData: FrameData<Part, Attack>;
  /** The owner of its first part in the world; after `remove` the one that it was made with. */
  readonly owner: number;
  /** The id of each part. */
  readonly ids: Readonly<Record<Part, number>>;
  /** The name of the part that has an id; null if none has. */
  partOf(id: number): Part | null;
  /** The pose of its first part, without the part's own yaw. */
  readonly pose: Required<Pose>;
  readonly isMirrored: boolean;

  /** Moves and turns all parts. */
  setPose(pose: Pose): Command[];
  move(x: number, y: number, z: number): Command[];
  turn(yaw: number): Command[];
  /** Moves all of the body to where `World.separate` or `separate` has pushed a part of it. */
  follow(moved: Int32Array | ReturnType<typeof separate>): Command[];
  /** Has it face its local +x (false) or -x (true): for side views, which do not turn. */
  mirror(isMirrored: boolean): Command[];
  /** Switches parts on or off: those named, or all. */
  setActive(active: boolean, ...names: Part[]): Command[];
  /** Gives all parts an owner, 1 or more. Bodies of one owner are one victim. */
  setOwner(owner: number): Command[];
  /** Removes all parts from the world. */
  remove(): Command[];

  /** Begins an attack with its frame 0; one that is under way is cancelled first. */
  start(name: Attack): Command[];
  /** Whether an attack may begin now: none is under way, or that has a cancel into it. */
  canStart(name: Attack): boolean;
  /** Once a frame, after the step: the attack under way goes on to its next frame, or ends. */
  tick(): Command[];
  /** Ends the attack under way, if there is one. */
  cancel(): Command[];
  /** The attack under way. */
  readonly attack: Attack | null;
  /** Its frame, from 0. */
  readonly attackFrame: number;
  readonly phase: "startup" | "active" | "recovery" | null;
  /** Which hit of the attack is under way, from 0: it grows at each frame of its `rehits`. */
  readonly hit: number;
  /** Whether the attack has met a victim. */
  readonly hasHit: boolean;
  /** The victims of the hit under way, ascending. */
  readonly victims: number[];
  /** Whether the hit under way meets a victim, any number, for the first time: one swing hurts
   * once. */
  strike(victim: number): boolean;
  /** The new strikes of a frame: each attacker and victim once, with the best part. events: of the
   * last step. bodies: all that may attack or be struck. mask: the layers on which a part is struck;
   * a part on one of them does not strike. Each attack remembers the owners of its victims, at
   * most 64 a hit; with more nobody is struck. */
  static strikes<Part extends string, Attack extends string>(
    world: World,
    events: Iterable<HitEvent>,
    bodies: readonly Body<Part, Attack>[],
    mask: number,
  ): Strike<Part, Attack>[];

  /** The state of the body, to save beside the world's; the same bytes on every platform. */
  save(): Uint8Array;
  /** Restores the bytes of `save`; load the world's state with it. */
  load(data: Uint8Array): void;
  hash(): bigint;
}

/** An attack that hits somebody for the first time. */
export interface Strike<Part extends string = string, Attack extends string = string> {
  attacker: Body<Part, Attack>;
  victim: Body<Part, Attack>;
  /** The first part of the attacker, in the order of its frame data, that meets the victim. */
  part: Part;
}

/** A hitbox of a beat-'em-up: its ground view, seen from above, and its side view. It meets another
 * where both views meet. No view is turned. */
export interface Hitbox {
  ground:
    | readonly ["circle", radius: number]
    | readonly ["rectangle", half_x: number, half_z: number];
  side: readonly [half_x: number, half_y: number];
}

/** A world of hitboxes in two planes. Its changes return the commands that `world` took, for a
 * Recorder. */
export class TwoPlanes implements Disposable {
  /** Ids are 0..capacity - 1, layers 0..15. */
  constructor(capacity: number, options?: { hitWhen?: 1 | 2; layers?: LayerPairs });
  /** The world of both views, of twice the capacity: save, load, hash and record it as it is. */
  readonly world: World;
  readonly capacity: number;
  /** How many hitboxes there are. */
  readonly size: number;

  add(
    id: number,
    hitbox: Hitbox,
    position: Vector,
    options?: { layer?: number; owner?: number; active?: boolean },
  ): Command[];
  remove(id: number): Command[];
  move(id: number, x: number, y: number, z: number): Command[];
  setHitbox(id: number, hitbox: Hitbox): Command[];
  setOwner(id: number, owner: number): Command[];
  setLayer(id: number, layer: number): Command[];
  setActive(id: number, active: boolean): Command[];
  setLayers(layers: LayerPairs): Command[];

  position(id: number): [number, number, number];
  /** The lesser of the contacts of both views. */
  contact(a: number, b: number): Contact;
  /** The shortest planar translation that moves a out of b: [x, z]. */
  pushOut(a: number, b: number): [number, number];
  /** The shortest vertical translation that moves a out of b. */
  lift(a: number, b: number): number;
  /** The ids that a hitbox meets now, ascending. */
  query(
    hitbox: Hitbox,
    position: Vector,
    mask?: number,
    options?: { excludeOwner?: number; hitWhen?: 1 | 2 | null },
  ): number[];
  /** The hits of a hitbox that moves straight, by (fraction, distance, id). */
  cast(
    hitbox: Hitbox,
    position: Vector,
    motion: Vector,
    mask?: number,
    options?: { excludeOwner?: number; limit?: number; hitWhen?: 1 | 2 | null },
  ): (Meeting & { id: number })[];
  /** A cast of a hitbox from its position, at all that layers and owners let it hit. */
  sweep(
    id: number,
    motion: Vector,
    options?: { limit?: number; hitWhen?: 1 | 2 | null },
  ): (Meeting & { id: number })[];

  /** Steps the world; the events of the hitboxes, by (a, b). */
  step(): HitEvent[];
  /** The events of the hitboxes, of those of one step of `world`. */
  combine(events: Events): HitEvent[];
  /** The hits of the last step, by (a, b). */
  hits(): { a: number; b: number; contact: Contact }[];
  dispose(): void;
  [Symbol.dispose](): void;
}

/** A match log that is not valid, or a frame of it that cannot be played. */
export class MatchLogError extends Error {
  private constructor();
  /** From 1; 0: the file as a whole. */
  readonly line: number;
  /** The place on the line, such as "commands[3]"; "" for all of it. */
  readonly path: string;
  readonly reason: string;
}

/** The first line of a match log (docs/match-logs.md). */
export interface LogHeader {
  readonly format: "fixsync-match";
  readonly version: 1;
  readonly tick_rate: number | readonly [number, number];
  readonly capacity: number;
  readonly hit_when: 1 | 2;
  readonly layers: LayerPairs;
  readonly sim: string | null;
  /** Digits, where a number cannot hold it. */
  readonly seed: number | string;
  readonly meta: Readonly<Record<string, unknown>>;
  readonly names?: Readonly<
    Partial<Record<"layers" | "ids" | "game", Readonly<Record<string, string>>>>
  >;
  readonly unit_mm?: number;
  /** Pictures show +z downwards. */
  readonly z_down?: true;
  readonly level?: { readonly solids: readonly Solid[] };
  readonly from?: { readonly frame: number; readonly state: string };
  /** FXS_SEMANTICS of the recorder's kernel. */
  readonly semantics?: number;
  /** The game's build. */
  readonly build?: string;
  /** The digest of what the game plays with. */
  readonly data?: string;
}

/** The line of a frame. */
export interface LogFrame {
  readonly frame: number;
  /** Without a sim. */
  readonly commands?: readonly (Command | readonly ["query" | "cast", ...unknown[]])[];
  /** With a sim: one a player; digits, where a number cannot hold it. */
  readonly inputs?: readonly (number | string | readonly (number | string)[])[];
  readonly queries?: readonly (readonly unknown[])[];
  readonly events?: readonly (readonly [a: number, b: number, kind: number, contact: number])[];
  readonly game?: readonly (readonly [a: number, b: number, kind: number, value: number])[];
  readonly hash?: string;
  /** With a sim: the hash of its whole state. */
  readonly state?: string;
}

/** A Blob or a File, without the types of the DOM. */
export interface BlobLike {
  readonly size: number;
  readonly type: string;
  arrayBuffer(): Promise<ArrayBuffer>;
}

/** A match log as a file has it. Its frames are first..end - 1. A line that no log may have is a
 * MatchLogError, as for `fixsync replay`. */
export class MatchLog {
  private constructor();
  /** Reads text, bytes or a Blob; gzip is unpacked. Only whole lines count. */
  static from(source: string | Uint8Array | ArrayBuffer | BlobLike): Promise<MatchLog>;
  readonly header: LogHeader;
  readonly first: number;
  readonly end: number;
  /** How many frames it has. */
  readonly frames: number;
  /** One more than the highest id that it adds. */
  readonly ids: number;
  /** Why it counts as cut short; "" for a whole one. */
  readonly cut: string;
  /** The line of a frame, parsed and checked. */
  frame(number: number): LogFrame;
  /** The text against the SHA-256 on the last line: "none" without one, "unknown" where it cannot
   * be computed. */
  digest(): Promise<"same" | "differs" | "none" | "unknown">;
}

/** Plays a log of commands, frame by frame. */
export class Replay implements Disposable {
  /** level: the log's, if it is made already. */
  constructor(log: MatchLog, level?: Level | null);
  readonly world: World;
  /** The frame that `step` plays. */
  readonly next: number;
  /** What the log was recorded with that is not so here: its semantics. A difference then is not one
   * of a fault or a cheat, and `words` say so: "recorded by another semantics". */
  readonly others: readonly {
    readonly what: "semantics";
    readonly words: string;
    readonly recorded: number;
    readonly here: number;
  }[];
  /** Called right after the step of a frame, before what a simulation does after it. */
  stepped: ((line: LogFrame) => void) | null;
  /** Plays a frame; its line. A MatchLogError if the world refuses a command. */
  step(): LogFrame;
  /** The line of the last frame. */
  readonly line: LogFrame;
  /** Rows of a, b, kind and contact of the last step. */
  readonly events: Uint32Array;
  /** The last frame's answers to its queries and casts. */
  readonly answers: readonly (readonly unknown[])[];
  /** The parts of the last frame that differ from its line. hash: of the world, if it is known. */
  differing(hash?: bigint): ("events" | "queries" | "hash")[];
  /** Goes to a frame whose state was saved before it was played: the state is of this frame. */
  load(frame: number, state: Uint8Array): void;
  dispose(): void;
  [Symbol.dispose](): void;
}

/** A game's own event. Its kind is FXS_GAME_EVENT (16) or above. */
export interface GameEvent {
  a: number;
  b: number;
  kind: number;
  /** An int32. */
  value: number;
}

/** A frame that is not stepped again: for scores, sounds and a Recorder. */
export interface ConfirmedFrame {
  frame: number;
  commands: Command[];
  events: HitEvent[];
  game: GameEvent[];
  /** Of the world right after the step. */
  hash: bigint;
}

/** A number of an input; a BigInt if it is beyond 2^53, which only another program sends. */
export type InputNumber = number | bigint;
/** An input: with the option `numbers` above 1 as many numbers. */
export type Input = InputNumber | readonly InputNumber[];

/** A game that a Rollback plays. */
export interface RollbackGame {
  /** Rollback saves and loads it. */
  readonly world: World;
  /** Changes the world by the inputs, one a player, and steps it once. It reads nothing that
   * differs between machines or runs, and it takes every input: others come from the network. */
  // biome-ignore lint/suspicious/noExplicitAny: a game says which of both inputs it has
  play(inputs: any[], frame: number): PlayedFrame;
  /** The game's own state as bytes, such as health and score; the world is not part of it. */
  save?(): Uint8Array;
  /** Restores the bytes of `save`; the world is loaded already. It is there if `save` is. */
  load?(own: Uint8Array): void;
  /** A guess of an input that is not known; without it the last one is repeated. age: frames since
   * the player's last known input. */
  // biome-ignore lint/suspicious/noExplicitAny: as in play
  guess?(player: number, frame: number, input: any, age: number): Input;
}

/** What a game did in a frame. */
export interface PlayedFrame {
  /** Those before the step. */
  commands?: readonly Command[];
  events?: Events | readonly HitEvent[];
  game?: readonly GameEvent[];
  /** Commands after the step, in answer to its events; part of the next frame. */
  reactions?: readonly Command[];
  /** Of the world right after the step; needed with reactions. */
  hash?: bigint | null;
  /** A hash of what players see, such as health and score, which peers compare: it finds a
   * value that nobody saves. */
  shown?: number | bigint;
}

/** The result of a tick. Each event has its frame. */
export interface Tick {
  /** Whether it stepped the next frame. */
  isStepped: boolean;
  /** How many frames it stepped again. */
  again: number;
  /** Events that were predicted and are taken back. */
  takenBack: ({ frame: number } & (HitEvent | GameEvent))[];
  /** Events that are predicted. */
  predicted: ({ frame: number } & (HitEvent | GameEvent))[];
  /** The frames that are certain since the last tick, in order. */
  confirmed: (ConfirmedFrame & {
    inputs: Input[];
    /** `World.hash` after the frame, its reactions included, as a log of inputs has it. */
    worldHash: bigint;
    /** XXH64 of the world's saved state and the game's own bytes then. */
    state: bigint;
  })[];
}

/** Parts of a frame that peers compare, each by a hash. */
export type DesyncPart = "inputs" | "world" | "own" | "events" | "shown";

/** The first frame that differs. */
export interface Desync {
  frame: number;
  /** The other peer; 0: the sync test, and `theirs` is the step before. */
  peer: number;
  /** Players of the other peer. */
  players: number[];
  /** The first part that differs. */
  part: DesyncPart;
  parts: DesyncPart[];
  ours: Record<DesyncPart, string>;
  theirs: Record<DesyncPart, string>;
  /** Of the sync test, the fields. */
  differences: Difference[];
  /** "frame 60: world differs when it is stepped again: collider 0, x: 5 and 6". */
  message: string;
}

/** What a tick of a sync test throws, once. */
export class DesyncError extends Error {
  constructor(desync: Desync);
  readonly desync: Desync;
}

/** One peer of a match that rolls back: fxs_rollback of the kernel. A peer is a machine, which plays
 * one player or more. It knows nothing of the network. */
export class Rollback implements Disposable {
  /** Begins before the next frame of the game's world: world and own state are the same on all
   * peers. */
  constructor(
    game: RollbackGame,
    options: {
      /** 1..64, the same on all peers, as are the next three. */
      players: number;
      /** Numbers in an input, 1..16; 1 if it is left out. */
      numbers?: number;
      /** Frames that may be predicted, 0..256; 0: lockstep. 8 if it is left out. */
      predictionMax?: number;
      /** What the match is (its id, the game, the seed), and what the game plays with (frame data,
       * level): texts, bytes, or hashes of them. Packets of another match are refused. */
      match?: string | Uint8Array | InputNumber;
      data?: string | Uint8Array | InputNumber;
      /** By player, the peer that plays it: 0 is this one; others are 1, 2, ..., as this machine
       * numbers them. All players are local if it is left out. */
      peers?: readonly number[];
      /** Frames from a local input to the frame that it is for, 0..64; 0 if it is left out. */
      inputDelay?: number;
      /** Frames that the sync test goes back, 0..64: each frame is stepped again, and a tick throws
       * a DesyncError if the result is another. 0, off, if it is left out. */
      check?: number;
      /** States to keep of confirmed frames, for `kept`; 60 if it is left out. */
      past?: number;
      /** 16 secure random bytes, new for each start. */
      random?: Uint8Array;
      /** The most bytes that `save` returns, 0..2^30; if it is left out, it always returns as many,
       * as programs in other languages do. */
      ownMax?: number;
      /** Names of the own bytes, in order: [name, bytes] of each. */
      ownNames?: readonly (readonly [name: string, bytes: number])[];
      /** Whether the game's clock runs a fifth slower while isAhead of `pace`; else one tick in five
       * steps no frame then. */
      slows?: boolean;
    },
  );
  /** The frame that is stepped next. */
  readonly head: number;
  /** The oldest frame that is not confirmed. */
  readonly first: number;
  /** The first frame that differs, in the sync test or from another peer; null if none does. */
  readonly desync: Desync | null;
  /** Steps again what was predicted wrongly, then the next frame. inputs: of the local players, by
   * player. It steps nothing before all peers are connected, and while inputs are missing for
   * longer than predictionMax. What `play`, `save` or `load` throws is passed on: the next tick
   * begins with that frame again, and returns what this one would have. */
  tick(inputs?: readonly Input[]): Tick;
  /** The packet for a peer, once a tick, also while nothing is stepped: a lost one costs only
   * time. */
  packet(peer: number): Uint8Array;
  /** Takes a packet of a peer, in any order, any number of times. One that is refused is an error
   * with its `status`, and nothing has changed: catch it, since anybody can send bytes. */
  receive(peer: number, bytes: Uint8Array): void;
  /** Sets the input delay for the ticks to come. */
  setDelay(inputDelay: number): void;
  /** How this peer and the others run. ahead: Q16.16 frames that it is ahead of the others. isAhead:
   * it runs a fifth slower, until the others are as far. waiting: players without whose input no
   * frame can be stepped. resteps: frames that were stepped again since the start. isConnected:
   * every other peer has answered. */
  pace(): {
    waiting: number[];
    resteps: number;
    ahead: number;
    isAhead: boolean;
    head: number;
    first: number;
    isConnected: boolean;
  };
  /** How the inputs of a player come. next: the first frame whose input is not known. late: frames
   * that are stepped without it. ahead: Q16.16 frames that this peer is ahead of it. */
  player(player: number): { peer: number; next: number; late: number; ahead: number };
  /** The bytes after the frame of `desync`, to be sent to the other peer; null without a desync, or
   * if they are gone. which: of the sync test, 1 for the step before. */
  kept(part: "world" | "own", which?: 0 | 1): Uint8Array | null;
  /** The fields in which the kept bytes differ from those that another peer has kept. */
  differences(world: Uint8Array | null, own: Uint8Array | null): Difference[];
  dispose(): void;
  [Symbol.dispose](): void;
}

/** A match log, written by the kernel: the bytes that fixsync itself writes. In a rollback game,
 * record frames once they are confirmed. */
export class Recorder implements Disposable {
  /** Begins with the world as it is. tickRate: frames a second, or [frames, seconds]. meta: what
   * the game likes to say: strings, safe integers, booleans, and arrays and objects of them.
   * names: of layers, ids and kinds of game events, by number. build: the game's build. data: what
   * the game plays with besides its code; its digest is in the log. */
  constructor(
    world: World,
    options?: {
      tickRate?: number | readonly [frames: number, seconds: number];
      meta?: Readonly<Record<string, unknown>>;
      names?: {
        layers?: Readonly<Record<number, string>>;
        ids?: Readonly<Record<number, string>>;
        game?: Readonly<Record<number, string>>;
      } | null;
      build?: string | null;
      data?: string | ArrayBufferView | null;
      /** The simulation's name: frames then have inputs, no commands. */
      sim?: string | null;
      seed?: InputNumber | null;
      /** The bytes of the simulation's save, if it does not begin at frame 0. */
      state?: Uint8Array;
    },
  );
  /** Adds a frame that `Rollback` has confirmed. */
  frame(confirmed: Tick["confirmed"][number]): void;
  /** Adds the inputs of all players of this frame, in a log with a `sim`. */
  inputs(inputs: readonly Input[]): void;
  /** Adds commands of this frame, as the world took them. Their fields and ids are checked; not
   * whether the world has a collider of that id. */
  commands(commands: readonly Command[]): void;
  /** Adds a query that was made after the step of this frame: its answer, then its arguments. */
  query(
    ids: readonly number[],
    shape: Shape,
    pose: Pose,
    mask?: number,
    options?: { excludeOwner?: number; hitWhen?: 1 | 2 | null },
  ): void;
  /** Adds a cast that was made after the step of this frame: its answer, then its arguments. */
  cast(
    hits: readonly (Meeting & { id: number })[],
    shape: Shape,
    pose: Pose,
    motion: Vector,
    mask?: number,
    options?: { excludeOwner?: number; limit?: number; hitWhen?: 1 | 2 | null },
  ): void;
  /** Ends a frame. world: after its step, or the hash that it had then. events: those of that
   * step. game: the game's own, of every frame or of none. state: XXH64 of all that the
   * simulation saves then. */
  step(
    world: World | bigint,
    events: Events | readonly HitEvent[],
    game?: readonly GameEvent[] | null,
    state?: bigint | null,
  ): void;
  /** The log so far, with its last line: all frames that have ended. Recording may go on. */
  text(): string;
  dispose(): void;
  [Symbol.dispose](): void;
}
