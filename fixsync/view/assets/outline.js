// Outlines of solids, added to the current path of a view (view.js).
import {
  BOX,
  CAPSULE,
  halfHeight,
  halfWidths,
  innerRadius,
  SECTOR,
  SPHERE,
  sectorSpan,
} from "./colliders.js";

export const FULL_TURN = 2 * Math.PI;

export function isVisible(view, solid) {
  const { sx, sy } = solid;
  const { scale } = view.camera;
  const reach =
    12 +
    scale * (solid.kind === BOX ? Math.hypot(...solid.size) : solid.size[0] + halfHeight(solid));
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
  const hole = Math.max(0, innerRadius(solid) * scale - margin);
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
    g.moveTo(
      sx + hole * Math.cos(facing - solid.halfAngle),
      sy + hole * Math.sin(facing - solid.halfAngle),
    );
    g.arc(sx, sy, radius, facing - solid.halfAngle, facing + solid.halfAngle);
    // Back along the hole, or to the apex.
    g.arc(sx, sy, hole, facing + solid.halfAngle, facing - solid.halfAngle, true);
    g.closePath();
  } else {
    g.moveTo(sx + radius, sy);
    g.arc(sx, sy, radius, 0, FULL_TURN);
    if (hole > 0) {
      // The other way round, so that it is not filled.
      g.moveTo(sx + hole, sy);
      g.arc(sx, sy, hole, FULL_TURN, 0, true);
    }
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
  const [left, right] =
    solid.kind === SECTOR ? sectorSpan(solid) : [-halfWidths(solid)[0], halfWidths(solid)[0]];
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
  const up = view.projection === "top" ? -solid.s * view.upSign : 0;
  const [from, to] = [innerRadius(solid) * scale, solid.size[0] * scale];
  g.moveTo(sx + solid.c * from, sy + up * from);
  g.lineTo(sx + solid.c * to, sy + up * to);
}
