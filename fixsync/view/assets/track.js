// Where one collider is in every frame, read off the commands of a log.

export class Track {
  // match: an engine's LogMatch that has begun.
  constructor(match, id) {
    this.match = match;
    this.id = id;
    this.next = match.first;
    this.places = new Int32Array(3 * match.log.frames); // raw x, y, z of each frame
    this.isThere = new Uint8Array(match.log.frames);
    this.at = null;
    const { firstColliders: colliders, planes } = match;
    const [ground, side] = [id, id + planes].map((one) => colliders.indexOf(one));
    if (ground >= 0) this.at = [...colliders.raw(ground).position];
    if (planes && side >= 0) this.at[1] = colliders.raw(side).position[1];
  }

  // Reads frames that have been checked until `until()` says so. True if there are more.
  advance(until) {
    const { match } = this;
    for (; this.next < match.checked; this.next++) {
      if (until()) return true;
      const frame = match.frame(this.next);
      for (const command of frame.commands) this.#follow(command);
      const row = this.next - match.first;
      if (this.at) this.places.set(this.at, 3 * row);
      this.isThere[row] = this.at ? 1 : 0;
      for (const command of frame.after ?? []) this.#follow(command);
    }
    return false;
  }

  // Of two planes, the side view has y.
  #follow([name, id, second, third]) {
    const { planes } = this.match;
    if (id !== this.id && !(planes && id === this.id + planes)) return;
    const position = name === "add" ? third : name === "move" || name === "pose" ? second : null;
    if (name === "remove") this.at = null;
    else if (position) {
      const [x, y, z] = position;
      const [oldX, oldY, oldZ] = this.at ?? position;
      if (!planes) this.at = [x, y, z];
      else this.at = id === this.id ? [x, oldY, z] : [oldX, y, oldZ];
    }
  }
}
