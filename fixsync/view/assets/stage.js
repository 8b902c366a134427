// The views: how they are laid out, where they look, and the pointer in them.
import { boxToShow, FIT_MARGIN, withLevels } from "./camera.js";
import { element } from "./elements.js";
import { byId, camera, checks, levels, match, player, scene, ui } from "./state.js";
import { View } from "./view.js";

export const views = []; // { view, side, canvas, caption, pointer, figure }

export const PROJECTION_NAMES = { top: "From above", side: "From the side" };

// onPick(view, side, place, isOther) is called for a click, isOther with Shift.
export function buildViews(onPick) {
  const root = byId("views");
  for (const side of match.logs.keys()) {
    for (const projection of ["top", "side"]) {
      const canvas = element("canvas", { role: "img", "aria-label": PROJECTION_NAMES[projection] });
      const caption = element("figcaption", {});
      const pointer = element("span", { class: "pointer", "aria-hidden": "true" });
      root.append(
        element(
          "figure",
          { class: "view", "data-side": side, "data-projection": projection },
          caption,
          canvas,
          pointer,
        ),
      );
      const entry = {
        view: new View(canvas, projection, camera),
        side,
        canvas,
        caption,
        pointer,
        figure: canvas.parentElement,
      };
      views.push(entry);
      watchPointers(entry, onPick);
    }
  }
  showCaptions();
}

export function showCaptions() {
  const isOver = byId("views").dataset.compare === "over";
  for (const { side, view, caption } of views) {
    const axes = view.projection === "top" ? `x → z ${camera.isZDown ? "↓" : "↑"}` : "x → y ↑";
    const beside = isOver ? " · A, with B dashed" : ` · ${"AB"[side]}: ${match.logs[side].name}`;
    const last = scene.sides[side]?.frame ?? player.frame;
    const ended = last < player.frame ? ` · ended with frame ${last}` : "";
    const others = match.logs.length === 1 ? "" : beside;
    caption.textContent = `${view.projection} ${axes}${others}${ended}`;
    view.captionWidth = caption.offsetWidth;
  }
}

const visibleViews = () => views.filter(({ figure }) => !figure.hidden);

export function setLayout(layout) {
  const root = byId("views");
  root.dataset.layout = layout;
  for (const button of document.querySelectorAll("[data-layout][aria-pressed]")) {
    button.setAttribute("aria-pressed", String(button.dataset.layout === layout));
  }
  const isOver = root.dataset.compare === "over";
  for (const { figure, side, view } of views) {
    figure.hidden = (layout !== "both" && view.projection !== layout) || (isOver && side === 1);
  }
  resizeViews();
}

export function chooseLayout(layout) {
  ui.hasLayout = true;
  setLayout(layout);
}

// A flat match, all of whose shapes reach through all heights, is shown from above; until somebody
// chooses.
export function layOutFor() {
  const isFlat = checks.every(
    ({ bounds }) => !bounds || bounds.centres.low[1] > bounds.centres.high[1],
  );
  if (!ui.hasLayout) setLayout(isFlat ? "top" : "both");
}

export function setCompare(mode) {
  byId("views").dataset.compare = mode;
  for (const button of document.querySelectorAll("[data-compare][aria-pressed]")) {
    button.setAttribute("aria-pressed", String(button.dataset.compare === mode));
  }
  showCaptions();
  setLayout(byId("views").dataset.layout);
  if (!ui.hasMoved) fit(ui.isFitToMoving);
}

export function resizeViews() {
  for (const { view, caption } of visibleViews()) {
    view.resize();
    view.captionWidth = caption.offsetWidth;
  }
  ui.isStale = true;
}

export function drawViews() {
  const isOver = byId("views").dataset.compare === "over";
  for (const { view, side } of visibleViews()) {
    const [a, b] = scene.sides;
    const sides = isOver ? [a, b && { ...b, isGhost: true }] : [scene.sides[side]];
    view.draw({ ...scene, sides });
  }
}

// Shows all of the match, or what moves in it.
export function fit(isMoving = false) {
  const known = checks.map(({ bounds }) => bounds).filter(Boolean);
  const moving = known.map((bounds) => bounds.moving).filter(({ sizes }) => sizes.size > 0);
  if (known.length === 0) return;
  const box =
    isMoving && moving.length > 0
      ? boxToShow(moving)
      : withLevels(
          boxToShow(known),
          levels.map((level) => level?.box),
        );
  shareHeight(box);
  camera.fit(
    box,
    visibleViews().map(({ view }) => view),
  );
  ui.isStale = true;
}

// Both views have one scale: each gets the height that the match needs in it, and its margins.
function shareHeight({ low, high }) {
  const root = byId("views");
  const [, tall, deep] = high.map((value, axis) => value - low[axis]);
  const margins = (2 * FIT_MARGIN) / Math.max(root.clientHeight, 8 * FIT_MARGIN);
  const share = (tall / (tall + deep)) * (1 - 2 * margins) + margins;
  const side = Math.min(0.5, Math.max(0.22, share));
  root.style.setProperty("--side-share", `${side}fr`);
  root.style.setProperty("--top-share", `${1 - side}fr`);
  resizeViews();
}

function moveCamera(change) {
  ui.hasMoved = true;
  change();
  ui.isStale = true;
}

export const zoomBy = (factor) => moveCamera(() => camera.zoom(factor, visibleViews()[0].view));
export const panBy = (dx, dy) => {
  setFollowing(false);
  moveCamera(() => camera.pan(visibleViews()[0].view, dx, dy));
};

export function follow() {
  if (!player.isFollowing) return;
  for (const side of scene.sides) {
    const i = side?.colliders.indexOf(scene.selected) ?? -1;
    if (i < 0) continue;
    const { x, y, z } = side.colliders.solids[i];
    Object.assign(camera, { x, y, z });
    return;
  }
}

export function setFollowing(isFollowing) {
  player.isFollowing = isFollowing && scene.selected !== null;
  byId("follow").setAttribute("aria-pressed", String(player.isFollowing));
  if (player.isFollowing) {
    ui.hasMoved = true;
    follow();
    ui.isStale = true;
  }
}

// Drag pans, two pointers zoom, a click selects, the wheel zooms where it points.
function watchPointers({ view, side, canvas, pointer }, onPick) {
  const held = new Map();
  let travelled = 0;
  const place = (event) => {
    const { left, top } = canvas.getBoundingClientRect();
    return [event.clientX - left, event.clientY - top];
  };
  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    canvas.setPointerCapture(event.pointerId);
    if (held.size === 0) travelled = 0;
    held.set(event.pointerId, place(event));
  });
  canvas.addEventListener("pointermove", (event) => {
    const now = place(event);
    const before = held.get(event.pointerId);
    showPointer(view, pointer, now);
    if (!before) return;
    travelled += Math.hypot(now[0] - before[0], now[1] - before[1]);
    const other = [...held].find(([id]) => id !== event.pointerId)?.[1];
    held.set(event.pointerId, now);
    if (other) {
      const spread = ([x, y]) => Math.max(10, Math.hypot(x - other[0], y - other[1]));
      moveCamera(() =>
        camera.zoom(
          spread(now) / spread(before),
          view,
          (now[0] + other[0]) / 2,
          (now[1] + other[1]) / 2,
        ),
      );
    } else if (travelled > 4) {
      setFollowing(false);
      moveCamera(() => camera.pan(view, now[0] - before[0], now[1] - before[1]));
    }
  });
  canvas.addEventListener("pointerup", (event) => {
    if (held.delete(event.pointerId) && travelled <= 4)
      onPick(view, side, place(event), event.shiftKey);
  });
  canvas.addEventListener("pointercancel", (event) => held.delete(event.pointerId));
  canvas.addEventListener("pointerleave", () => {
    pointer.textContent = "";
  });
  canvas.addEventListener(
    "wheel",
    (event) => {
      event.preventDefault();
      const pixels = event.deltaY * [1, 16, 400][event.deltaMode];
      const [x, y] = player.isFollowing ? [undefined, undefined] : place(event);
      moveCamera(() => camera.zoom(Math.exp(-pixels * 0.0016), view, x, y));
    },
    { passive: false },
  );
}

function showPointer(view, pointer, [atX, atY]) {
  const [x, up] = view.toWorld(atX, atY);
  const digits = Math.max(0, Math.min(4, Math.ceil(Math.log10(view.camera.scale))));
  pointer.textContent = `x ${x.toFixed(digits)}  ${view.upAxis} ${up.toFixed(digits)}`;
}

// Fits all; where all is shown already, what moves.
export function refit() {
  setFollowing(false);
  ui.isFitToMoving = !ui.hasMoved && !ui.isFitToMoving;
  ui.hasMoved = false;
  fit(ui.isFitToMoving);
}
