// Buttons that go to a frame or to a collider.
import { element } from "./elements.js";
import { ordinal } from "./format.js";
import { goTo } from "./playback.js";
import { select } from "./selection.js";
import { nameOf } from "./state.js";

export const frameButton = (frame) =>
  element(
    "button",
    { type: "button", onclick: () => goTo(frame), "aria-label": `Frame ${frame}` },
    ordinal(frame),
  );

export const colliderButton = (id) =>
  element("button", { type: "button", onclick: () => select(id) }, nameOf(id));
