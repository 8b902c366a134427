// A match log of the frames that are confirmed: a trace, in the form that fixsync writes itself.
import { bodyOf, ringOf, SHOTS_EACH, shotOf, slashOf } from "./fight.js";
import { CAPACITY, LAYER_NAMES, MEETING, SOLIDS } from "./map.js";

export const PLAYERS = ["Blue", "Amber", "Green"];

const hashText = (hash) => hash.toString(16).padStart(16, "0");

// What ids are called.
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

export class LogOfMatch {
  frames = 0;
  #setup;
  #lines;

  constructor(setup, players) {
    this.#setup = setup;
    const header = {
      format: "fixsync-match",
      version: 1,
      tick_rate: 60,
      capacity: CAPACITY,
      hit_when: 1,
      layers: MEETING,
      sim: null,
      seed: 0,
      meta: { game: "arena" },
      names: { layers: LAYER_NAMES, ids: namesOf(players) },
      level: { solids: SOLIDS },
    };
    this.#lines = [`${JSON.stringify(header)}\n`];
  }

  // A confirmed frame: what the game returned, and the state after it.
  add({ commands, queries, events }, { worldHash }) {
    const all = this.frames === 0 ? [...this.#setup, ...commands] : commands;
    const hash = hashText(worldHash);
    const line = { frame: this.frames, commands: all, queries, events, hash };
    this.#lines.push(`${JSON.stringify(line)}\n`);
    this.frames++;
  }

  // The whole text, with its last line.
  async text() {
    const [frames, body] = [this.frames, this.#lines.join("")];
    const last = { frames };
    if (globalThis.crypto?.subtle) {
      const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(body));
      last.sha256 = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
    }
    return `${body}${JSON.stringify(last)}\n`;
  }
}
