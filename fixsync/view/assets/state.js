// State shared by all parts of the page.
import { Camera } from "./camera.js";
import { sidesIn } from "./roster.js";
import { LEVEL } from "./solids.js";

export const byId = (id) => document.getElementById(id);

// What the page shows: { title, version, logs: [{ name, sim, first, frames, ids, bytes, cut, data,
// hashes, original, game }] }, data, original and game in base64 of gzip.
// its frames are first .. end - 1
export const match = { manifest: null, logs: [], first: 0, end: 0 };

export function setManifest(manifest) {
  const { logs } = manifest;
  const first = Math.min(...logs.map((log) => log.first));
  Object.assign(match, {
    manifest,
    logs,
    first,
    end: Math.max(...logs.map((log) => log.first + log.frames)),
  });
  player.frame = first;
  for (const log of logs) {
    headers.push(null);
    levels.push(null);
    planes.push(0);
    checks.push({ verdict: null, checked: log.first, bounds: null, end: log.first + log.frames });
    scene.sides.push(null);
    games.push(null);
  }
}

export const camera = new Camera();

// What the worker sent about each log.
export const headers = [];
export const levels = []; // solids.js, of a log without one empty
export const checks = [];
export const planes = []; // of a match of two planes: how many ids each has; else 0
export const games = []; // game.js, of a log that was written by a simulation, or null

// What is drawn. sides: of each log, its frame (sides.js), or null.
export const scene = {
  sides: [],
  selected: null,
  other: null, // why the selected collider does not hit it
  moved: new Set(), // ids of the colliders that were moved
  names: { layers: {}, ids: {}, game: {}, owners: {} },
  bodies: [], // lanes.js, of all logs
  options: {
    labels: true,
    facing: true,
    hits: true,
    trails: true,
    queries: true,
    lanes: true,
    plots: true,
    colourBy: "layer",
    layers: new Set(Array.from({ length: 32 }, (_, i) => i)),
  },
  theme: null,
  unitMm: null,
};

export const player = {
  frame: 0,
  wanted: null,
  isPlaying: false,
  speed: 1,
  position: 0,
  rate: 60,
  isFollowing: false,
};

export const ui = {
  plotted: new Set(), // rows of the game's state that are plotted (game.js)
  comparison: null, // of two logs: { result, upTo }
  details: null, // what differs between them in the frame shown
  pair: null, // why the selected collider does not hit another: { ids, rows, isKnown } (pairs.js)
  attacks: null, // of the match (attacks.js)
  isGuess: false, // whether no name says what an attack is (roster.js)
  histories: null, // of the selected collider, for each log
  hidden: new Set(), // pairs of layers (roster.js) whose hits no key and no timeline has
  hasMoved: false, // whether somebody moved the camera
  isFitToMoving: false, // whether the camera shows what moves
  isChoosing: false, // whether the next click chooses the other of a pair
  hasSought: false, // or went to another frame
  hasLayout: false, // or chose the views
  isStale: true, // whether the views need drawing
  arePanelsStale: true,
};

export function say(text) {
  byId("live").textContent = text;
}

// What a collider or a solid is called.
export const nameOf = (id) =>
  scene.names.ids[id] ?? (id >= LEVEL ? `solid ${id - LEVEL}` : String(id));
// What a kind of the game's own events is called.
export const gameName = (kind) => sidesIn(scene.names.game[kind])[0] ?? `event ${kind}`;
// What a and b of its events are.
export const gameSides = (kind) => sidesIn(scene.names.game[kind])[1];
export const layerName = (layer) => scene.names.layers[layer] ?? `layer ${layer}`;

// What an owner is called: as the log says, or by the words that the names of all its colliders
// have. One collider of several never lends it its name.
export function ownerName(owner) {
  if (owner === 0) return "no owner";
  const ids = scene.bodies.find((one) => one.owner === owner)?.ids ?? [];
  const names = ids.map((id) => scene.names.ids[id]?.split(/[\s._:/-]+/)).filter(Boolean);
  const shared = names[0]?.filter((word) => names.every((words) => words.includes(word))).join(" ");
  return scene.names.owners[owner] ?? (isNaN(shared ?? 0) ? shared : `owner ${owner}`);
}
