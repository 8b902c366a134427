// What the parts of the page share.
import { Camera } from "./camera.js";

export const byId = (id) => document.getElementById(id);

// What the page was written with: { title, version, logs: [{ name, sim, frames, ids, bytes, cut, hashes, original }] }.
export const manifest = JSON.parse(byId("manifest").textContent);
export const { logs } = manifest;
for (const [i, log] of logs.entries()) log.data = byId(`log-${i}`).textContent;
export const frames = Math.max(...logs.map((log) => log.frames));

export const camera = new Camera();

// What the worker has told of each log.
export const headers = logs.map(() => null);
export const checks = logs.map(() => ({ verdict: null, checked: 0, bounds: null }));

// What is drawn. sides: of each log, its frame (sides.js), or null.
export const scene = {
  sides: logs.map(() => null),
  selected: null,
  names: { layers: {}, ids: {} },
  options: {
    labels: true,
    facing: true,
    hits: true,
    trails: true,
    queries: true,
    layers: new Set(Array.from({ length: 32 }, (_, i) => i)),
  },
  theme: null,
  unitMm: null,
};

export const player = { frame: 0, wanted: null, isPlaying: false, speed: 1, position: 0, rate: 60, isFollowing: false };

export const ui = {
  comparison: null, // of two logs: { result, upTo }
  details: null, // what differs between them in the frame shown
  histories: null, // of the selected collider, for each log
  hasMoved: false, // whether somebody moved the camera
  hasSought: false, // or went to another frame
  isStale: true, // whether the views need drawing
  arePanelsStale: true,
};
