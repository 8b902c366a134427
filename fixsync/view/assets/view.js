// One canvas that shows a frame from above (XZ) or from the side (XY).
import { coversGround, coversSide } from "./colliders.js";
import { drawSide } from "./figures.js";
import { drawingOf } from "./kinds.js";
import { sharpen } from "./sharp.js";

// One canvas. `scene`, what to draw, is { sides, options, selected, theme, ... } of page.js.
export class View {
  constructor(canvas, projection, camera) {
    this.canvas = canvas;
    this.projection = projection;
    this.camera = camera;
    this.upAxis = projection === "top" ? "z" : "y";
    this.context = canvas.getContext("2d", { alpha: false });
    this.width = 0;
    this.height = 0;
    this.captionWidth = 0; // in pixels, at the top on the left
  }

  get upSign() {
    return this.projection === "top" && this.camera.isZDown ? -1 : 1;
  }

  resize() {
    Object.assign(this, sharpen(this.canvas));
  }

  toScreen(point) {
    const { camera } = this;
    // of two planes, hits have two places
    const x = this.projection === "side" ? (point.sideX ?? point.x) : point.x;
    return [
      this.width / 2 + (x - camera.x) * camera.scale,
      this.height / 2 - (point[this.upAxis] - camera[this.upAxis]) * camera.scale * this.upSign,
    ];
  }

  toWorld(atX, atY) {
    const { camera } = this;
    return [
      camera.x + (atX - this.width / 2) / camera.scale,
      camera[this.upAxis] - (atY - this.height / 2) / camera.scale / this.upSign,
    ];
  }

  // The keys of the visible colliders under a point of the canvas, the smallest first. A few pixels
  // beside one count.
  pick(atX, atY, solids) {
    const [x, up] = this.toWorld(atX, atY);
    const covers = this.projection === "top" ? coversGround : coversSide;
    const found = [];
    for (const solid of solids) {
      const [sx, sy] = this.toScreen(solid);
      const isNear = Math.hypot(sx - atX, sy - atY) < 6;
      const size = solid.size[0] * drawingOf(solid).plan.breadth(solid);
      if (isNear || covers(solid, x, up)) found.push({ key: solid.key, size, isNear });
    }
    found.sort((a, b) => b.isNear - a.isNear || a.size - b.size || a.key - b.key);
    return found.map(({ key }) => key);
  }

  // Where a solid is on this canvas, into the solid itself: all that is drawn of it asks for that
  // again and again.
  place(solid) {
    const { camera } = this;
    solid.sx = this.width / 2 + (solid.x - camera.x) * camera.scale;
    solid.sy =
      this.height / 2 - (solid[this.upAxis] - camera[this.upAxis]) * camera.scale * this.upSign;
    return solid;
  }

  draw(scene) {
    const { context: g } = this;
    g.save();
    g.fillStyle = scene.theme.stage;
    g.fillRect(0, 0, this.width, this.height);
    this.#drawGrid(scene);
    for (const side of scene.sides) if (side) drawSide(this, scene, side);
    this.#drawScaleBar(scene);
    g.restore();
  }

  // ---- the ground ----

  #spacing() {
    const least = 64 / this.camera.scale;
    const power = 10 ** Math.floor(Math.log10(least));
    return power * [1, 2, 5, 10].find((step) => power * step >= least);
  }

  #drawGrid({ theme }) {
    const { context: g } = this;
    const spacing = this.#spacing();
    const [left, high] = this.toWorld(0, 0);
    const [right, low] = this.toWorld(this.width, this.height);
    const [bottom, top] = [Math.min(low, high), Math.max(low, high)];
    const line = (x0, y0, x1, y1) => {
      g.moveTo(Math.round(x0) + 0.5, Math.round(y0) + 0.5);
      g.lineTo(Math.round(x1) + 0.5, Math.round(y1) + 0.5);
    };
    g.lineWidth = 1;
    g.strokeStyle = theme.grid;
    g.beginPath();
    for (let i = Math.ceil(left / spacing); i * spacing <= right; i++) {
      const [x] = this.toScreen({ x: i * spacing, y: 0, z: 0 });
      line(x, 0, x, this.height);
    }
    for (let i = Math.ceil(bottom / spacing); i * spacing <= top; i++) {
      const [, y] = this.toScreen({ x: 0, y: i * spacing, z: i * spacing });
      line(0, y, this.width, y);
    }
    g.stroke();
    // The axes, and the end of the world: coordinates are int32.
    g.strokeStyle = theme.axis;
    g.beginPath();
    const [x0, y0] = this.toScreen({ x: 0, y: 0, z: 0 });
    line(x0, 0, x0, this.height);
    line(0, y0, this.width, y0);
    const [x1, y1] = this.toScreen({ x: -32768, y: -32768, z: -32768 });
    const [x2, y2] = this.toScreen({ x: 32768, y: 32768, z: 32768 });
    g.rect(x1, y2, x2 - x1, y1 - y2);
    g.stroke();
  }

  #drawScaleBar({ theme, unitMm }) {
    const { context: g } = this;
    const spacing = this.#spacing();
    const width = spacing * this.camera.scale;
    const y = this.height - 12.5;
    g.strokeStyle = theme.faint;
    g.lineWidth = 1;
    g.setLineDash([]);
    g.beginPath();
    g.moveTo(12.5, y - 4);
    g.lineTo(12.5, y);
    g.lineTo(12.5 + width, y);
    g.lineTo(12.5 + width, y - 4);
    g.stroke();
    const units = Number(spacing.toPrecision(3));
    const metres = unitMm ? ` (${Number(((spacing * unitMm) / 1000).toPrecision(3))} m)` : "";
    const text = `${units} ${units === 1 ? "unit" : "units"}${metres}`;
    const isBeside = 20 + width + 6.5 * text.length < this.width;
    this.text(text, isBeside ? 20 + width : 14, isBeside ? y : y - 12, theme, theme.faint, "left");
  }

  text(text, x, y, theme, colour, align = "center") {
    const { context: g } = this;
    g.font = `11px ${theme.font}`;
    g.textAlign = align;
    g.textBaseline = "middle";
    g.lineJoin = "round";
    g.lineWidth = 3;
    g.setLineDash([]);
    g.strokeStyle = theme.stage;
    g.strokeText(text, x, y);
    g.fillStyle = colour;
    g.fillText(text, x, y);
  }
}
