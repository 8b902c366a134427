// Outlines of solids, added to the current path of a view (view.js).
import { BOX, CAPSULE, halfHeight, halfWidths, SECTOR, SPHERE, sectorSpan } from "./colliders.js";

export const FULL_TURN = 2 * Math.PI;

export function isVisible(view, solid) {
  const { sx, sy } = solid;
  const { scale } = view.camera;
  const reach = 12 + scale * (solid.kind === BOX ? Math.hypot(...solid.size) : solid.size[0] + halfHeight(solid));
  return sx > -reach && sy > -reach && sx < view.width + reach && sy < view.height + reach;
}

// Adds the outline of a placed solid to the current path, grown by `margin` pixels.
export function outline(view, solid, margin = 0) {
  if (view.projection === "top") outlineTop(view, solid, margin);
  else outlineSide(view, solid, margin);
}

function outlineTop(view, solid, margin) {
  const { context: g } = view;
  const { scale } = view.camera;
  const { sx, sy } = solid;
  const radius = solid.size[0] * scale + margin;
  if (solid.kind === BOX) {
    const [hx, hz] = [solid.size[0] * scale + margin, solid.size[2] * scale + margin];
    const [cx, cz] = [solid.c, -solid.s * view.upSign]; // the box's x axis on the screen
    const [ex, ez] = [-solid.s, -solid.c * view.upSign]; // its z axis
    g.moveTo(sx + hx * cx + hz * ex, sy + hx * cz + hz * ez);
    g.lineTo(sx - hx * cx + hz * ex, sy - hx * cz + hz * ez);
    g.lineTo(sx - hx * cx - hz * ex, sy - hx * cz - hz * ez);
    g.lineTo(sx + hx * cx - hz * ex, sy + hx * cz - hz * ez);
    g.closePath();
  } else if (solid.kind === SECTOR && solid.halfAngle < Math.PI) {
    const facing = -solid.yaw * view.upSign;
    g.moveTo(sx, sy);
    g.arc(sx, sy, radius, facing - solid.halfAngle, facing + solid.halfAngle);
    g.closePath();
  } else {
    g.moveTo(sx + radius, sy);
    g.arc(sx, sy, radius, 0, FULL_TURN);
  }
}

function outlineSide(view, solid, margin) {
  const { context: g } = view;
  const { scale } = view.camera;
  const { sx, sy } = solid;
  if (solid.kind === SPHERE || solid.kind === CAPSULE) {
    const radius = solid.size[0] * scale + margin;
    const straight = solid.kind === CAPSULE ? solid.size[1] * scale : 0;
    g.moveTo(sx + radius, sy - straight);
    if (straight === 0) {
      g.arc(sx, sy, radius, 0, FULL_TURN);
      return;
    }
    g.lineTo(sx + radius, sy + straight);
    g.arc(sx, sy + straight, radius, 0, Math.PI);
    g.lineTo(sx - radius, sy - straight);
    g.arc(sx, sy - straight, radius, Math.PI, FULL_TURN);
    g.closePath();
    return;
  }
  const tall = solid.size[1] * scale + margin;
  const [left, right] = solid.kind === SECTOR ? sectorSpan(solid) : [-halfWidths(solid)[0], halfWidths(solid)[0]];
  g.rect(sx + left * scale - margin, sy - tall, (right - left) * scale + 2 * margin, 2 * tall);
}

// Draws the marks of the kinds that share an outline, and the edges of a turned box seen from the
// side.
export function details(view, solid) {
  const { context: g } = view;
  const { scale } = view.camera;
  const { sx, sy } = solid;
  const radius = solid.size[0] * scale;
  if (view.projection === "top") {
    if (radius < 7) return;
    if (solid.kind === SPHERE) {
      g.moveTo(sx + 1.5, sy);
      g.arc(sx, sy, 1.5, 0, FULL_TURN);
    } else if (solid.kind === CAPSULE) {
      g.moveTo(sx + radius * 0.55, sy);
      g.arc(sx, sy, radius * 0.55, 0, FULL_TURN);
    }
  } else if (solid.kind === BOX && solid.s !== 0 && solid.c !== 0) {
    // The corner nearest to a viewer who stands at the lower edge of the top view.
    const inner = Math.abs(solid.s) * solid.size[2] - Math.abs(solid.c) * solid.size[0];
    const edge = inner * scale * Math.sign(solid.c * solid.s) * (view.camera.isZDown ? -1 : 1);
    g.moveTo(sx + edge, sy - solid.size[1] * scale);
    g.lineTo(sx + edge, sy + solid.size[1] * scale);
  }
}

export function facing(view, solid) {
  const { context: g } = view;
  const { scale } = view.camera;
  const { sx, sy } = solid;
  const length = solid.size[0] * scale;
  g.moveTo(sx, sy);
  g.lineTo(sx + solid.c * length, view.projection === "top" ? sy - solid.s * length * view.upSign : sy);
}
