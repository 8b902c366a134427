// A match log of the frames that are confirmed.
import { Recorder } from "../../../bindings/web/kit.js";
import { bodyOf, ringOf, SHOTS_EACH, shotOf, slashOf } from "./fight.js";
import { LAYER_NAMES } from "./map.js";

export const PLAYERS = ["Blue", "Amber", "Green"];

// The names of ids.
export function namesOf(players) {
  const names = {};
  for (let p = 0; p < players; p++) {
    names[bodyOf(p)] = PLAYERS[p];
    names[slashOf(p)] = `${PLAYERS[p]}'s slash`;
    names[ringOf(p)] = `${PLAYERS[p]}'s ring`;
    for (let i = 0; i < SHOTS_EACH; i++) names[shotOf(p, i)] = `${PLAYERS[p]}'s shot ${i + 1}`;
  }
  return names;
}

// The recorder of a match that begins.
export function recorderOf(world, players) {
  return new Recorder(world, {
    meta: { game: "arena" },
    names: { layers: LAYER_NAMES, ids: namesOf(players) },
  });
}

// Records a confirmed frame, and the casts of it.
export function record(recorder, { commands, events, hash }, casts) {
  recorder.commands(commands);
  for (const [hits, ...question] of casts) recorder.cast(hits, ...question);
  recorder.step(hash, events);
}
