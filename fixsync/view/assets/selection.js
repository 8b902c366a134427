// The collider that is selected.
import { worker } from "./channel.js";
import { meter, showSoon, want } from "./playback.js";
import { LEVEL } from "./solids.js";
import { follow, setFollowing } from "./stage.js";
import { byId, headers, levels, nameOf, player, say, scene, ui } from "./state.js";

const selectable = (side, projection) =>
  (projection ? side.colliders.solidsOf(projection) : side.colliders.solids).filter(({ layer }) =>
    scene.options.layers.has(layer),
  );

const SAME_PIXELS = 4; // clicks as near as this are on the same stack

let lastClick = null; // { view, place }

// Selects what is at a place of a view of a side: the smallest first, with each further click there
// the next larger. isOther: chooses the other of a pair instead.
export function pick(view, side, place, isOther) {
  const isOver = byId("views").dataset.compare === "over";
  const from = (isOver ? scene.sides : [scene.sides[side]]).filter(Boolean);
  const { projection } = view;
  const found = view.pick(
    ...place,
    from.flatMap((one) => selectable(one, projection)),
  );
  const solids = from[0]?.level.pick(projection, ...view.toWorld(...place), scene.options.layers);
  const isPair = scene.selected !== null && (isOther || ui.isChoosing);
  const stack = [...new Set([...found, ...(solids ?? [])])].filter(
    (id) => !isPair || id !== scene.selected,
  );
  const isAgain =
    lastClick?.view === view &&
    Math.hypot(place[0] - lastClick.place[0], place[1] - lastClick.place[1]) <= SAME_PIXELS;
  lastClick = { view, place };
  const at = stack.indexOf(isPair ? scene.other : scene.selected);
  const id = stack[isAgain && at >= 0 ? (at + 1) % stack.length : 0] ?? null;
  if (isPair) choose(id);
  else select(id);
}

// Chooses what the selected collider is asked about; null for nothing.
export function choose(id) {
  setChoosing(false);
  if (id !== null && id >= LEVEL && scene.selected >= LEVEL) {
    say("Two solids never hit each other.");
    return;
  }
  select(scene.selected, id);
}

// Whether the next click chooses the other of a pair.
export function setChoosing(isChoosing) {
  ui.isChoosing = isChoosing && scene.selected !== null;
  byId("why").setAttribute("aria-pressed", String(ui.isChoosing));
  if (ui.isChoosing) say("Click another collider.");
}

export function select(id, other = null) {
  if (id !== scene.selected) ui.histories = null;
  Object.assign(scene, { selected: id, other });
  ui.pair = null;
  meter.setTracks([]);
  setChoosing(false);
  byId("follow").disabled = byId("why").disabled = id === null;
  if (id === null) setFollowing(false);
  else say(`Selected ${nameOf(id)}${other === null ? "" : ` and ${nameOf(other)}`}.`);
  worker.post({ type: "select", id, other });
  want(player.wanted ?? player.frame);
  byId("pick-id").value = id === null ? "" : nameOf(id);
  byId("pick-failure").textContent = "";
  byId("panels").scrollTop = 0;
  follow();
  showSoon(false);
  ui.isStale = true;
  ui.arePanelsStale = true;
}

export function selectNext(step) {
  const side = scene.sides.find(Boolean);
  const ids = side ? [...new Set(selectable(side).map(({ key }) => key))] : [];
  if (ids.length === 0) return;
  const next =
    step > 0
      ? ids.find((id) => id > (scene.selected ?? -1))
      : ids.findLast((id) => id < (scene.selected ?? Number.POSITIVE_INFINITY));
  select(next ?? ids.at(step > 0 ? 0 : -1));
}

// The id that a text names, as a name, "7" or "solid 3"; null if there is no such collider.
function idOf(text) {
  const named = Object.entries(scene.names.ids).find(([, name]) => name === text);
  if (named) return Number(named[0]);
  const [, solid, digits] = /^(solid )?(\d+)$/.exec(text) ?? [];
  if (digits === undefined) return null;
  const id = Number(digits) + (solid ? LEVEL : 0);
  const isThere =
    id < LEVEL
      ? headers.some((header) => id < header?.capacity)
      : levels.some((level) => level?.solid(id));
  return isThere ? id : null;
}

export function selectNamed(text) {
  const id = idOf(text.trim());
  if (id !== null) select(id);
  else {
    const most = Math.max(...headers.map((header) => header?.capacity ?? 1)) - 1;
    byId("pick-failure").textContent =
      `There is no collider ${JSON.stringify(text.trim())}: an id is 0..${most}, or a name.`;
  }
}
