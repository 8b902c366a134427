// Differences: between a log's answers and the computed ones, and between two logs.
import { layerMasks } from "../../../bindings/web/commands.js";
import { hex16 } from "../../../bindings/web/logs.js";
import { sameJson } from "../../../bindings/web/replay.js";

const LISTED_MAX = 200; // of what differs in a frame

const sameBytes = (a, b) => a.length === b.length && a.every((byte, at) => byte === b[at]);

// The rows that only one of two lists has, at most LISTED_MAX of each, and how many there are.
function onlyInOne(a, b) {
  const keys = [a, b].map((rows) => new Set(rows.map((row) => JSON.stringify(row))));
  const only = (rows, others) => rows.filter((row) => !others.has(JSON.stringify(row)));
  const found = [only(a, keys[1]), only(b, keys[0])];
  return {
    a: found[0].slice(0, LISTED_MAX),
    b: found[1].slice(0, LISTED_MAX),
    counts: found.map((rows) => rows.length),
  };
}

const rowsOf = (events) =>
  Array.from({ length: events.length / 4 }, (_, row) => [...events.subarray(4 * row, 4 * row + 4)]);

// The differences of a frame's answers: a is recorded, b computed. Null if the answers are equal.
export function differences(run, hash) {
  const { line: frame } = run;
  const fields = run.differing(hash);
  if (fields.length === 0) return null;
  return {
    fields,
    hash: fields.includes("hash") ? { a: frame.hash, b: hex16(hash) } : null,
    state: fields.includes("state") ? { a: frame.state, b: frame.whole } : null,
    events: fields.includes("events") ? onlyInOne(frame.events, rowsOf(run.events)) : null,
    queries: fields.includes("queries") ? differingItems(frame.queries, run.answers) : null,
  };
}

// The items of two lists that differ place by place, with their index.
function differingItems(a, b) {
  const found = [];
  for (let index = 0; index < Math.max(a.length, b.length) && found.length < LISTED_MAX; index++) {
    if (!sameJson(a[index] ?? null, b[index] ?? null))
      found.push({ index, a: a[index] ?? null, b: b[index] ?? null });
  }
  return found;
}

// ---- two logs ----

const HEADER_FIELDS = ["tick_rate", "capacity", "hit_when", "layers", "sim", "seed", "level"];
const ORIGIN = [
  ["data", "with other data"],
  ["semantics", "by another semantics"],
  ["build", "by another build"],
];
const headerValue = ({ header }, field) =>
  field === "layers" ? layerMasks(header.layers) : header[field];
const RECORDED = ["queries", "events", "game", "hash", "state"];
const nameOfRecorded = (field) => (field === "state" ? "recorded" : field);

// Two matches, frame by frame: differences of their commands, recorded answers and computed states.
export class Comparison {
  constructor(a, b) {
    this.a = a;
    this.b = b;
    // frames go by their number; before this one only one log has any
    this.first = Math.max(a.first, b.first);
    this.next = this.first;
    // by frame
    this.differs = new Uint8Array(Math.max(a.first + a.log.frames, b.first + b.log.frames));
    this.result = {
      isDone: false,
      first: null,
      differing: 0,
      frames: [a.log.frames, b.log.frames],
      header: null,
      others: [], // what both say of their recorders, and is not the same: texts
    };
  }

  // Compares the frames that both have checked. True if there are more.
  advance(until) {
    const { a, b, result } = this;
    if (result.isDone || !a.header || !b.header) return false;
    result.header ??= HEADER_FIELDS.filter(
      (field) => !sameJson(headerValue(a, field), headerValue(b, field)),
    );
    const [ours, theirs] = [a.header, b.header];
    result.others = ORIGIN.filter(
      ([key]) => ours[key] !== undefined && theirs[key] !== undefined && ours[key] !== theirs[key],
    ).map(([key, words]) => `${words} (${ours[key]} in A, ${theirs[key]} in B)`);
    const end = Math.min(a.checked, b.checked);
    while (this.next < end && !until()) this.#compareFrame();
    if (a.verdict.isDone && b.verdict.isDone && this.next >= Math.min(a.end, b.end)) {
      if (a.end !== b.end) {
        result.first ??= { frame: this.next, fields: ["length"] };
        this.differs.fill(1, this.next);
      }
      result.isDone = true;
    }
    return this.next < end;
  }

  #compareFrame() {
    const hashes = [this.a, this.b].map((match) => match.hashes[this.next - match.first]);
    const fields = this.#fieldsAt(this.next, hashes);
    if (fields.length > 0) {
      this.result.first ??= { frame: this.next, fields };
      this.result.differing++;
      this.differs[this.next] = 1;
    }
    this.next++;
  }

  // hashes: of both states after the frame.
  #fieldsAt(frame, hashes) {
    const { a, b } = this;
    const world = hashes[0] === hashes[1] ? [] : ["state"];
    const lines = [a, b].map(({ text, first }) => text.line(frame - first + 1));
    if (sameBytes(...lines)) return world;
    const [lineA, lineB] = [a.frame(frame), b.frame(frame)];
    const recorded = RECORDED.filter(
      (field) =>
        lineA[field] !== undefined &&
        lineB[field] !== undefined &&
        !sameJson(lineA[field], lineB[field]),
    );
    const isWhole = lineA.whole === lineB.whole || !lineA.whole || !lineB.whole;
    return [
      ...(sameJson(lineA.commands, lineB.commands) ? [] : ["commands"]),
      ...world,
      ...(isWhole || world.length > 0 ? [] : ["whole"]),
      ...recorded.map(nameOfRecorded),
    ];
  }

  // The differences in the frame that both matches show; null without any, or if they show
  // different frames.
  details() {
    const [runA, runB] = [this.a.shown, this.b.shown];
    if (runA.next !== runB.next || runA.next <= this.first) return null;
    const hashes = [runA, runB].map((run) => run.world.hash());
    const fields = this.#fieldsAt(runA.next - 1, hashes);
    if (fields.length === 0) return null;
    const [lineA, lineB] = [runA.line, runB.line];
    return {
      fields,
      commands: fields.includes("commands") ? differingItems(lineA.commands, lineB.commands) : null,
      events: fields.includes("events") ? onlyInOne(lineA.events, lineB.events) : null,
      computed: fields.includes("state") ? onlyInOne(rowsOf(runA.hits), rowsOf(runB.hits)) : null,
      queries: fields.includes("queries") ? differingItems(lineA.queries, lineB.queries) : null,
      game: fields.includes("game") ? differingItems(lineA.game, lineB.game) : null,
      hash: fields.includes("hash") ? { a: lineA.hash, b: lineB.hash } : null,
      state: fields.includes("recorded") ? { a: lineA.state, b: lineB.state } : null,
      whole: lineA.whole === lineB.whole ? null : { a: lineA.whole, b: lineB.whole },
    };
  }
}
