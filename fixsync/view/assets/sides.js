// A log's frame as the worker sends it, made ready to be drawn.
import { FXS_EXIT, fxs_collider } from "../../../bindings/web/raw.js";
import { Colliders, WAKE_FRAMES } from "./colliders.js";

// `before`: the frame shown before, whose wakes go on if this one is not fresh.
export function readSide(side, before, level) {
  const hitIds = new Set();
  for (let at = 0; at < side.events.length; at += 4) {
    if (side.events[at + 2] !== FXS_EXIT) hitIds.add(side.events[at]).add(side.events[at + 1]);
  }
  const old = side.isFresh || !before ? [] : before.wakes;
  const wakes = [
    ...old,
    ...side.wakes.map((wake) => ({ ...wake, indexOf: indexIn(wake.ids) })),
  ].slice(-WAKE_FRAMES - 1);
  const differing = new Set();
  const { events } = side.differences ?? {};
  for (const [a, b] of [...(events?.a ?? []), ...(events?.b ?? [])]) differing.add(a).add(b);
  return {
    ...side,
    level,
    colliders: new Colliders(side.colliders, before?.colliders, side.planes),
    hitIds,
    wakes,
    differing,
  };
}

// The index of an id in an ascending list of them, or -1.
function indexIn(ids) {
  return (id) => {
    let [low, high] = [0, ids.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (ids[middle] < id) low = middle + 1;
      else high = middle;
    }
    return ids[low] === id ? low : -1;
  };
}

const RECORD_WORDS = fxs_collider.$size / 4;

// Marks the colliders that are not the same, value by value, in one frame of two logs, and the
// pairs of events that are not.
export function markDiffering(a, b, details) {
  if (a?.frame !== b?.frame || !a) return;
  const ids = new Set();
  for (const [one, other] of [
    [a, b],
    [b, a],
  ]) {
    for (let i = 0; i < one.colliders.count; i++) {
      const id = one.colliders.id(i);
      const j = other.colliders.indexOf(id);
      let isSame = j >= 0;
      for (let word = 0; isSame && word < RECORD_WORDS; word++) {
        isSame =
          one.colliders.words[i * RECORD_WORDS + word] ===
          other.colliders.words[j * RECORD_WORDS + word];
      }
      if (!isSame) ids.add(id);
    }
  }
  for (const found of [details?.events, details?.computed]) {
    for (const [first, second] of [...(found?.a ?? []), ...(found?.b ?? [])])
      ids.add(first).add(second);
  }
  for (const id of ids) {
    a.differing.add(id);
    b.differing.add(id);
  }
}
