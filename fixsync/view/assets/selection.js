// The collider that is selected.
import { worker } from "./channel.js";
import { meter, settleSoon, want } from "./playback.js";
import { follow, setFollowing } from "./stage.js";
import { byId, nameOf, player, say, scene, ui } from "./state.js";

const selectable = (side, projection) =>
  (projection ? side.colliders.solidsOf(projection) : side.colliders.solids).filter(({ layer }) =>
    scene.options.layers.has(layer),
  );

// Selects what is at a place of a view of a side.
export function pick(view, side, place) {
  const isOver = byId("views").dataset.compare === "over";
  const from = (isOver ? scene.sides : [scene.sides[side]]).filter(Boolean);
  const found = view.pick(
    ...place,
    from.flatMap((one) => selectable(one, view.projection)),
  );
  select(
    found ??
      from[0]?.level.pick(view.projection, ...view.toWorld(...place), scene.options.layers) ??
      null,
  );
}

export function select(id) {
  scene.selected = id;
  ui.histories = null;
  meter.setTracks([]);
  byId("follow").disabled = id === null;
  if (id === null) setFollowing(false);
  else say(`Selected ${nameOf(id)}.`);
  worker.post({ type: "select", id });
  want(player.wanted ?? player.frame);
  byId("pick-id").value = id === null ? "" : nameOf(id);
  follow();
  settleSoon(false);
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

export function selectNamed(text) {
  const named = Object.entries(scene.names.ids).find(([, name]) => name === text.trim());
  const id = named ? Number(named[0]) : Number.parseInt(text, 10);
  if (Number.isInteger(id) && id >= 0) select(id);
  else say(`There is no collider ${text}.`);
}
