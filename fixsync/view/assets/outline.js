// Outlines of solids, added to the current path of a view (view.js).
import { halfHeight, innerRadius } from "./colliders.js";
import { drawingOf, FULL_TURN } from "./kinds.js";

export function isVisible(view, solid) {
  const { sx, sy } = solid;
  const reach = 12 + view.camera.scale * (drawingOf(solid).plan.reach(solid) + halfHeight(solid));
  return sx > -reach && sy > -reach && sx < view.width + reach && sy < view.height + reach;
}

// Adds the outline of a placed solid to the current path, grown by `margin` pixels.
export function outline(view, solid, margin = 0) {
  const { plan, profile } = drawingOf(solid);
  const at = { scale: view.camera.scale, upSign: view.upSign, margin };
  if (view.projection === "top") plan.outline(view.context, solid, at);
  else profile.outline(view.context, solid, at, plan.span(solid));
}

// Draws the marks of the kinds that share an outline, and upright edges seen from the side.
export function details(view, solid) {
  const { context: g } = view;
  const { scale, isZDown } = view.camera;
  const { sx, sy } = solid;
  const { plan, mark } = drawingOf(solid);
  if (view.projection === "top") {
    const radius = solid.size[0] * scale;
    if (radius < 7 || !mark) return;
    g.moveTo(sx + mark(radius), sy);
    g.arc(sx, sy, mark(radius), 0, FULL_TURN);
    return;
  }
  for (const x of plan.edges(solid)) {
    const edge = x * scale * (isZDown ? -1 : 1);
    g.moveTo(sx + edge, sy - solid.size[1] * scale);
    g.lineTo(sx + edge, sy + solid.size[1] * scale);
  }
}

export function facing(view, solid) {
  const { context: g } = view;
  const { scale } = view.camera;
  const { sx, sy } = solid;
  const up = view.projection === "top" ? -solid.s * view.upSign : 0;
  const [from, to] = [innerRadius(solid) * scale, solid.size[0] * scale];
  g.moveTo(sx + solid.c * from, sy + up * from);
  g.lineTo(sx + solid.c * to, sy + up * to);
}
