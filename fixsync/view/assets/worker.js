// The page's worker: one loop that answers requests for frames and, in between, checks the logs
// from start to end.

import { bytesOfBase64, inflated } from "../../../bindings/web/bytes.js";
import { start } from "../../../bindings/web/kernel.js";
import { Attacks } from "./attacks.js";
import { Comparison } from "./compare.js";
import { LogMatch } from "./engine.js";
import { logOf } from "./logfile.js";
import { PairTrack } from "./pairs.js";
import { Track } from "./track.js";

const SLICE_MS = 8;
const REPORT_MS = 60;
const LANES_MS = 500;

let matches = [];
let comparison = null;
let wanted = null; // { frame, wakeFrames }: the newest request that has not been answered
let shown = -2; // the last frame sent
let lastReports = []; // per match: { checked, isDone }, as reported last
let compared = { upTo: -1, isDone: false }; // of the comparison
let lastReport = 0;
let asked = null; // the other of a pair that the address names
let selected = null; // the id of the collider whose history, lane and places are sent
let pair = null; // why the selected collider does not hit another, of the first match
let attacks = null; // of the first match
let tracks = []; // of the selected collider, for each match
let lanesAt = 0; // when lanes were sent last

const post = (message) => self.postMessage(message);
const failed = (error) => post({ type: "failed", message: error.message, stack: error.stack });

// A message to oneself: the requests that wait in the queue come first.
const channel = new MessageChannel();
let isTurning = false;
channel.port1.onmessage = () => {
  isTurning = false;
  try {
    turn();
  } catch (error) {
    failed(error);
  }
};

function wake() {
  if (!isTurning && matches.length > 0) {
    isTurning = true;
    channel.port2.postMessage(null);
  }
}

function turn() {
  const end = performance.now() + SLICE_MS;
  const until = () => performance.now() >= end;
  let isBusy = wanted !== null && answer(until) === "later";
  if (!isBusy) {
    for (const match of matches) isBusy = match.check(until) || isBusy;
    if (comparison) isBusy = comparison.advance(until) || isBusy;
    for (const track of tracks) isBusy = track.advance(until) || isBusy;
    if (pair) isBusy = pair.advance(until) || isBusy;
    if (!isBusy) isBusy = listAttacks(until);
  }
  if (!isBusy || performance.now() - lastReport > REPORT_MS) report();
  if (isBusy) wake();
}

// Sends the wanted frame once all matches are there. "later": call again; "waiting": when more of
// the logs has arrived.
function answer(until) {
  const { frame, wakeFrames } = wanted;
  for (const match of matches) {
    const target = Math.max(match.first, Math.min(frame, match.end - 1));
    if (!match.header || target >= match.first + match.text.arrived) return "waiting";
    if (target < match.end && !match.goTo(target, until, wakeFrames)) return "later";
  }
  const sides = matches.map((match) =>
    match.end > match.first ? match.snapshot(shown, selected) : null,
  );
  post({ type: "frame", frame, sides, details: comparison?.details() ?? null });
  shown = frame;
  wanted = null;
  return "sent";
}

// Reports how far the check has come, with the counts of new frames; nothing if that was reported.
function report() {
  lastReport = performance.now();
  for (const [side, match] of matches.entries()) {
    const { checked: from, isDone } = lastReports[side];
    const { verdict, end, bounds, checked: to } = match;
    if (from === to && isDone === verdict.isDone) continue;
    const start = Math.max(match.first, from);
    const counts = Object.fromEntries(
      Object.entries(match.counts).map(([name, all]) => [
        name,
        all.slice(start - match.first, to - match.first),
      ]),
    );
    lastReports[side] = { checked: to, isDone: verdict.isDone };
    const { pairs, moved } = match;
    post({ type: "progress", side, from: start, to, counts, end, bounds, verdict, pairs, moved });
    if (verdict.isDone || lastReport - lanesAt > LANES_MS) sendSelected();
  }
  if (tracks.length > 0 && !tracks.some(({ next, match }) => next < match.end)) {
    post({
      type: "track",
      id: selected,
      sides: tracks.map(({ places, isThere }) => ({ places, isThere })),
    });
    tracks = [];
  }
  if (pair) {
    const { ids, rows, isKnown, isDone } = pair;
    post({ type: "pair", ids, rows, isKnown });
    if (isDone) pair = null;
  }
  if (
    comparison &&
    (comparison.next !== compared.upTo || comparison.result.isDone !== compared.isDone)
  ) {
    const { result, next: upTo, differs } = comparison;
    compared = { upTo, isDone: result.isDone };
    post({ type: "compared", result, upTo, differs });
  }
}

// Finds the attacks of a match that has been checked, and sends them. True if there are more.
function listAttacks(until) {
  const [match] = matches;
  if (attacks?.isDone || !match.verdict.isDone || match.planes > 0) return false;
  attacks ??= new Attacks(match);
  if (attacks.advance(until)) return true;
  const swings = attacks.swings.map(({ missed, ...swing }) => ({
    ...swing,
    missed: missed[0] ?? null,
  }));
  post({ type: "attacks", swings, isGuess: match.roster.isGuess });
  return false;
}

// Sends the lanes, and the history of the selected collider.
function sendSelected() {
  lanesAt = performance.now();
  const known = matches.filter((match) => match.header);
  post({ type: "lanes", sides: known.map((match) => match.lanes.shown(selected, match.checked)) });
  if (selected !== null)
    post({ type: "history", sides: known.map((match) => match.history(selected)) });
}

function select(id, other = null) {
  selected = id;
  const [match] = matches;
  pair = null;
  if (other !== null && match.header) {
    pair = new PairTrack(match, [id, other], wanted?.frame ?? shown);
    pair.ids = [id, other];
  }
  tracks =
    id === null ? [] : matches.filter((match) => match.header).map((match) => new Track(match, id));
  sendSelected();
  wake();
}

async function open({ wasm, logs }) {
  await start(await (await inflated(bytesOfBase64(wasm))).arrayBuffer());
  matches = logs.map((log) => new LogMatch(log));
  lastReports = logs.map(() => ({ checked: -1, isDone: false }));
  if (matches.length === 2) comparison = new Comparison(...matches);
  await Promise.all(matches.map((match, side) => load(match, side)));
}

async function load(match, side) {
  let isAnnounced = false;
  await match.load(() => {
    if (match.header && !isAnnounced) {
      isAnnounced = true;
      post({ type: "opened", side, header: match.header, planes: match.planes });
      select(selected, asked);
    }
    wake();
  });
}

async function read({ file }) {
  try {
    post({ type: "read", log: await logOf(file) });
  } catch (error) {
    post({ type: "read", log: null, message: `${file.name}: ${error.message}` });
  }
}

self.onmessage = ({ data }) => {
  if (data.type === "read") read(data);
  if (data.type === "open") open(data).catch(failed);
  if (data.type === "want") {
    wanted = data;
    wake();
  }
  if (data.type === "hide") {
    for (const [side, match] of matches.entries()) {
      match.hide(data.pairs);
      lastReports[side] = { checked: -1, isDone: false };
    }
    report();
  }
  if (data.type === "select") {
    if (matches.length > 0) select(data.id, data.other);
    else [selected, asked] = [data.id, data.other];
  }
};
