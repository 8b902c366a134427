// Where the views look.

export const FIT_MARGIN = 26; // pixels

// The box to show of some matches' bounds: all shapes but those, such as a floor, that are wide as
// against how far the centres are from one another.
export function boxToShow(bounds) {
  const centres = unite(bounds.map((one) => one.centres));
  const sizes = bounds.flatMap((one) => [...one.sizes]).sort(([a], [b]) => a - b);
  const spread = Math.max(...centres.high.map((high, axis) => high - centres.low[axis]));
  return unite(
    sizes.filter(([size], i) => i === 0 || 2 ** size <= 2 * spread).map(([, box]) => box),
  );
}

const LEVEL_SHARE = 4; // a level that is more times as wide as its match is not shown whole

// The box to show, with the levels that are not much wider than it.
export function withLevels(box, levels) {
  const wide = ({ low, high }) => Math.max(high[0] - low[0], high[2] - low[2]);
  return unite([box, ...levels.filter((level) => level && wide(level) <= LEVEL_SHARE * wide(box))]);
}

// An axis that no shape ends along is as narrow as can be.
function unite(boxes) {
  const fold = (name, choose) =>
    [0, 1, 2].map((axis) => choose(...boxes.map((box) => box[name][axis])));
  const [low, high] = [fold("low", Math.min), fold("high", Math.max)];
  return {
    low: low.map((value, axis) => (value > high[axis] ? 0 : value)),
    high: high.map((value, axis) => (value < low[axis] ? 0 : value)),
  };
}

// Where the views look: one scale and one x for all of them, so that what stands below one another
// belongs together.
export class Camera {
  x = 0;
  y = 0;
  z = 0;
  scale = 20; // pixels a unit
  isZDown = false;

  // Puts the middle of a box into the middle of the views, as large as all of them can show.
  fit({ low, high }, views) {
    [this.x, this.y, this.z] = low.map((value, axis) => (value + high[axis]) / 2);
    const fits = views.flatMap(({ width, height, projection }) => {
      const up = projection === "top" ? 2 : 1;
      return [
        (width - 2 * FIT_MARGIN) / (high[0] - low[0]),
        (height - 2 * FIT_MARGIN) / (high[up] - low[up]),
      ];
    });
    this.scale = this.#allowed(Math.min(...fits));
  }

  #allowed(scale) {
    return Math.min(1e5, Math.max(0.002, Number.isFinite(scale) ? scale : 20));
  }

  // Zooms about a point of a view, which stays where it is.
  zoom(factor, view, atX = view.width / 2, atY = view.height / 2) {
    const [x, up] = view.toWorld(atX, atY);
    this.scale = this.#allowed(this.scale * factor);
    const [newX, newUp] = view.toWorld(atX, atY);
    this.x += x - newX;
    this[view.upAxis] += up - newUp;
  }

  pan(view, dx, dy) {
    this.x -= dx / this.scale;
    this[view.upAxis] += dy / this.scale / view.upSign;
  }
}
