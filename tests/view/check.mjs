// Runs the page's engine under Node. The argument is the kernel's module. Reads lines from standard
// input, each a JSON object { logs: [...], seeks: [...] } with the logs as a page holds them.
// Answers each with a line: what the check of each log came to, the states it goes to in the order
// of `seeks`, and, for two logs, their comparison.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { start } from "../../bindings/web/kernel.js";
import { Attacks } from "../../fixsync/view/assets/attacks.js";
import { Comparison } from "../../fixsync/view/assets/compare.js";
import { LogMatch } from "../../fixsync/view/assets/engine.js";
import { comparisonText, verdictText } from "../../fixsync/view/assets/format.js";
import { PairTrack } from "../../fixsync/view/assets/pairs.js";
import { Track } from "../../fixsync/view/assets/track.js";

await start(readFileSync(process.argv[2]));
const never = () => false;

async function answer({ logs, seeks }) {
  const matches = [];
  const results = [];
  for (const log of logs) {
    const match = new LogMatch(log);
    await match.load(() => {});
    match.check(never);
    matches.push(match);
    const shown = seeks.map((frame) => {
      match.goTo(Math.max(match.first, Math.min(frame, match.end - 1)), never);
      const {
        frame: reached,
        hash,
        colliders,
        events,
        wakes,
        differences,
        centre,
      } = match.snapshot(-1, log.selected ?? null);
      const ids = colliders.byteLength / 52;
      return {
        frame: reached,
        hash,
        ids,
        events: [...events],
        wakes: wakes.map((wake) => wake.frame),
        marks: wakes.at(-1).marks,
        differences,
        centre,
      };
    });
    if (log.hidden) match.hide(log.hidden);
    const { verdict, end } = match;
    const history = log.selected === undefined ? null : match.history(log.selected);
    const lanes = match.lanes.shown(log.selected ?? null, match.checked);
    const track = new Track(match, log.selected ?? 0);
    track.advance(never);
    const attacks = new Attacks(match);
    if (log.attacks) attacks.advance(never);
    const pair = log.pair ? new PairTrack(match, log.pair, seeks[0] ?? 0) : null;
    pair?.advance(never);
    results.push({
      verdict,
      end,
      text: verdictText(verdict, log, match.checked - match.first),
      shown,
      history,
      pairs: [...match.pairs],
      attacks: log.attacks ? attacks.swings : [],
      pair: pair && { rows: pair.rows.map((rows) => [...rows]), isKnown: [...pair.isKnown] },
      counts: { enters: [...match.counts.enters], exits: [...match.counts.exits] },
      lanes: lanes.map((lane) => ({ ...lane, spans: [...lane.spans], hits: [...lane.hits] })),
      track: { places: [...track.places], isThere: [...track.isThere] },
    });
  }
  let comparison = null;
  if (matches.length === 2) {
    const both = new Comparison(...matches);
    both.advance(never);
    comparison = {
      result: both.result,
      text: comparisonText(both.result, both.next),
      details: both.details(),
    };
  }
  return { results, comparison };
}

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(await answer(JSON.parse(line)))}\n`);
}
