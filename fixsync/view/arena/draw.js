// The drawing of one computer's view, from scenes (scene.js): predicted, confirmed and
// wrongly guessed states.
import { ACTION, BODY_SHAPE, HEALTH, RING_SHAPE, SLASH_SHAPE } from "./fight.js";
import { HALF_DEPTH, HALF_WIDTH, SOLIDS } from "./map.js";

const UNITS = 65536;
const [WIDE, DEEP] = [2 * (HALF_WIDTH / UNITS) + 1, 2 * (HALF_DEPTH / UNITS) + 1];
const RADIUS = BODY_SHAPE[1] / UNITS;
const FULL = 2 * Math.PI;
const GHOST_MS = 700;
const NEAR_UNITS = 0.08; // a confirmed fighter nearer than this to the predicted one is not drawn
export const PLAYER_COLOURS = ["blue", "amber", "green"];

// The colours of style.css, by their names there. `colours()` reads them again.
const paint = {};
export function colours() {
  const style = getComputedStyle(document.documentElement);
  const names = ["ink", "faint", "page", "grid", "wall", "edge", "dim", "bad", "accent", "line"];
  for (const name of names) paint[name] = style.getPropertyValue(`--${name}`);
  paint.players = PLAYER_COLOURS.map((name) => style.getPropertyValue(`--${name}`));
  paint.shades = PLAYER_COLOURS.map((name) => style.getPropertyValue(`--${name}-shade`));
}

export class Stage {
  #canvas;
  #context;
  #ghosts = []; // wrong guesses: { from, to, player, since }
  #me;

  constructor(canvas, me) {
    this.#canvas = canvas;
    this.#context = canvas.getContext("2d");
    this.#me = me;
  }

  // A guess that was shown and was wrong.
  miss(player, from, to, now) {
    this.#ghosts.push({ from, to, player, since: now });
  }

  // now: in the time of the match. isCalm: nothing flickers. fault: the player to point at, or
  // null.
  draw(predicted, confirmed, now, isCalm, fault) {
    const { g, width, height, ratio } = sized(this.#canvas);
    const scale = Math.min(width / WIDE, height / DEEP) * ratio;
    g.setTransform(scale, 0, 0, -scale, this.#canvas.width / 2, this.#canvas.height / 2);
    g.lineJoin = "round";
    this.#drawFloor();
    for (const [p, fighter] of predicted.fighters.entries()) this.#drawAreas(fighter, p);
    for (const [p, fighter] of confirmed.fighters.entries())
      this.#drawConfirmed(fighter, predicted.fighters[p], p);
    this.#drawGhosts(now);
    for (const [p, fighter] of predicted.fighters.entries())
      this.#drawFighter(fighter, p, now, isCalm);
    if (fault !== null) this.#drawFault(predicted.fighters[fault]);
  }

  // Points at a fighter.
  #drawFault({ x, z }) {
    const g = this.#context;
    g.strokeStyle = paint.bad;
    g.lineWidth = 0.12;
    g.beginPath();
    g.arc(x, z, 1.15, 0, FULL);
    for (const [dx, dz] of [
      [1, 0],
      [0, 1],
      [-1, 0],
      [0, -1],
    ]) {
      g.moveTo(x + dx * 0.9, z + dz * 0.9);
      g.lineTo(x + dx * 1.6, z + dz * 1.6);
    }
    g.stroke();
  }

  #drawFloor() {
    const g = this.#context;
    g.lineWidth = 0.02;
    g.strokeStyle = paint.grid;
    g.beginPath();
    for (let x = -7; x <= 7; x++) {
      g.moveTo(x, -HALF_DEPTH / UNITS);
      g.lineTo(x, HALF_DEPTH / UNITS);
    }
    for (let z = -4; z <= 4; z++) {
      g.moveTo(-HALF_WIDTH / UNITS, z);
      g.lineTo(HALF_WIDTH / UNITS, z);
    }
    g.stroke();
    g.fillStyle = paint.wall;
    g.strokeStyle = paint.edge;
    g.lineWidth = 0.05;
    for (const [kind, , , , place, radius] of SOLIDS) {
      g.beginPath();
      if (kind === "prism") for (const [x, z] of place) g.lineTo(x / UNITS, z / UNITS);
      else g.arc(place[0] / UNITS, place[1] / UNITS, radius / UNITS, 0, FULL);
      g.closePath();
      g.fill();
      g.stroke();
    }
  }

  #drawAreas(fighter, p) {
    if (fighter.action === ACTION.slash) this.#drawArea(fighter, p, slashPath);
    if (fighter.action === ACTION.ring) this.#drawArea(fighter, p, ringPath);
    const g = this.#context;
    for (const { x, z, yaw } of fighter.shots) {
      g.strokeStyle = paint.players[p];
      g.lineWidth = 0.16;
      g.globalAlpha = 0.5;
      g.beginPath();
      g.moveTo(x, z);
      g.lineTo(x - Math.cos(yaw), z - Math.sin(yaw));
      g.stroke();
      g.globalAlpha = 1;
      dot(g, x, z, 0.25, paint.players[p]);
      dot(g, x, z, 0.12, paint.page);
    }
  }

  // Outlined while it is prepared, filled while it hits.
  #drawArea({ x, z, yaw, phase }, p, path) {
    const g = this.#context;
    if (!phase.isActive && phase.startup >= 1) return;
    g.beginPath();
    path(g, x, z, yaw);
    g.globalAlpha = phase.isActive ? 0.6 : 0.14 * phase.startup;
    g.fillStyle = paint.players[p];
    g.fill("evenodd");
    g.globalAlpha = 0.9;
    g.lineWidth = phase.isActive ? 0.08 : 0.04;
    g.strokeStyle = phase.isActive ? paint.ink : paint.players[p];
    g.stroke();
    g.globalAlpha = 1;
  }

  // The confirmed state, with a line to the state that is guessed from it.
  #drawConfirmed(fighter, guess, p) {
    const isNear = Math.hypot(guess.x - fighter.x, guess.z - fighter.z) < NEAR_UNITS;
    if (fighter.action === ACTION.out || (isNear && guess.action !== ACTION.out)) return;
    const g = this.#context;
    g.globalAlpha = 0.25;
    dot(g, fighter.x, fighter.z, RADIUS, paint.players[p]);
    g.globalAlpha = 0.85;
    g.strokeStyle = paint.ink;
    g.lineWidth = 0.05;
    g.setLineDash([0.16, 0.11]);
    g.beginPath();
    g.arc(fighter.x, fighter.z, RADIUS, 0, FULL);
    if (guess.action !== ACTION.out) {
      g.moveTo(fighter.x, fighter.z);
      g.lineTo(guess.x, guess.z);
    }
    g.stroke();
    g.setLineDash([]);
    g.globalAlpha = 1;
  }

  #drawFighter(fighter, p, now, isCalm) {
    if (fighter.action === ACTION.out) return;
    const g = this.#context;
    const { x, z, yaw, stun, safe } = fighter;
    const isFaded = safe > 0 && stun === 0 && (isCalm || Math.floor(now / 90) % 2 === 0);
    g.globalAlpha = isFaded ? 0.45 : 1;
    if (fighter.action === ACTION.dash && fighter.phase.isActive) this.#drawStreak(fighter, p);
    dot(g, x, z, RADIUS, stun > 0 ? paint.ink : paint.players[p]);
    g.lineWidth = 0.07;
    g.strokeStyle = p === this.#me ? paint.ink : paint.shades[p];
    g.beginPath();
    g.arc(x, z, RADIUS - 0.035, 0, FULL);
    g.stroke();
    g.fillStyle = paint.shades[p];
    g.beginPath();
    g.moveTo(x + 0.4 * Math.cos(yaw), z + 0.4 * Math.sin(yaw));
    g.lineTo(x + 0.26 * Math.cos(yaw + 2.3), z + 0.26 * Math.sin(yaw + 2.3));
    g.lineTo(x + 0.26 * Math.cos(yaw - 2.3), z + 0.26 * Math.sin(yaw - 2.3));
    g.fill();
    for (let i = 0; i < HEALTH; i++) {
      dot(
        g,
        x + 0.22 * (i - (HEALTH - 1) / 2),
        z + RADIUS + 0.28,
        0.085,
        i < fighter.health ? paint.players[p] : paint.dim,
      );
    }
    g.globalAlpha = 1;
  }

  #drawStreak({ x, z, yaw }, p) {
    const g = this.#context;
    g.strokeStyle = paint.players[p];
    g.globalAlpha = 0.45;
    g.lineWidth = 0.8;
    g.lineCap = "round";
    g.beginPath();
    g.moveTo(x, z);
    g.lineTo(x - 1.6 * Math.cos(yaw), z - 1.6 * Math.sin(yaw));
    g.stroke();
    g.lineCap = "butt";
    g.globalAlpha = 1;
  }

  // A fighter where it was guessed, crossed out, and an arrow to where it was in truth.
  #drawGhosts(now) {
    const g = this.#context;
    this.#ghosts = this.#ghosts.filter(({ since }) => now - since < GHOST_MS);
    for (const { from, to, player, since } of this.#ghosts) {
      const left = 1 - (now - since) / GHOST_MS;
      g.globalAlpha = 0.3 * left;
      dot(g, from.x, from.z, RADIUS, paint.players[player]);
      g.globalAlpha = left;
      g.strokeStyle = paint.bad;
      g.lineWidth = 0.09;
      g.beginPath();
      g.arc(from.x, from.z, RADIUS, 0, FULL);
      g.moveTo(from.x - 0.35, from.z - 0.35);
      g.lineTo(from.x + 0.35, from.z + 0.35);
      g.moveTo(from.x - 0.35, from.z + 0.35);
      g.lineTo(from.x + 0.35, from.z - 0.35);
      arrow(g, from, to);
      g.stroke();
    }
    g.globalAlpha = 1;
  }
}

function arrow(g, from, to) {
  const way = Math.atan2(to.z - from.z, to.x - from.x);
  g.moveTo(from.x, from.z);
  g.lineTo(to.x, to.z);
  for (const side of [2.6, -2.6]) {
    g.moveTo(to.x, to.z);
    g.lineTo(to.x + 0.3 * Math.cos(way + side), to.z + 0.3 * Math.sin(way + side));
  }
}

function dot(g, x, z, radius, colour) {
  g.fillStyle = colour;
  g.beginPath();
  g.arc(x, z, radius, 0, FULL);
  g.fill();
}

function slashPath(g, x, z, yaw) {
  const [, radius, half] = SLASH_SHAPE;
  const angle = (half / 65536) * FULL;
  g.moveTo(x, z);
  g.arc(x, z, radius / UNITS, yaw - angle, yaw + angle);
  g.closePath();
}

function ringPath(g, x, z) {
  const [, radius, , , inner] = RING_SHAPE;
  g.arc(x, z, radius / UNITS, 0, FULL);
  g.moveTo(x + inner / UNITS, z);
  g.arc(x, z, inner / UNITS, 0, FULL);
}

// ---- the network, and the film of the last frames ----

// A canvas as large as it is shown, cleared, in its own pixels.
function sized(canvas) {
  const ratio = Math.min(2, devicePixelRatio);
  const { clientWidth: width, clientHeight: height } = canvas;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  const g = canvas.getContext("2d");
  g.setTransform(ratio, 0, 0, ratio, 0, 0);
  g.clearRect(0, 0, width, height);
  return { g, width, height, ratio };
}

// Packets on their way between the computers, which stand in a row. A lost one falls off half way.
export function drawWire(canvas, match, now, isCalm) {
  const { g, width, height } = sized(canvas);
  const count = match.peers.length;
  const place = (p) => (width * (p + 0.5)) / count;
  const middle = height / 2;
  g.lineWidth = 2;
  g.strokeStyle = paint.line;
  g.beginPath();
  g.moveTo(place(0), middle);
  g.lineTo(place(count - 1), middle);
  g.stroke();
  if (!isCalm) {
    for (const { from, to, sent, due, isLost } of match.packets) {
      const part = Math.min(1, (now - sent) / Math.max(1, due - sent));
      if (isLost && part > 0.5) {
        if (part < 0.8) cross(g, (place(from) + place(to)) / 2, middle + (part - 0.5) * 50);
        continue;
      }
      const up =
        Math.sin(part * Math.PI) *
        (to > from ? -1 : 1) *
        Math.min(13, height / 3) *
        Math.abs(to - from);
      g.fillStyle = paint.players[from];
      g.beginPath();
      g.arc(
        place(from) + (place(to) - place(from)) * part,
        middle + up / (count - 1 || 1),
        3,
        0,
        FULL,
      );
      g.fill();
    }
  }
  for (let p = 0; p < count; p++) {
    g.fillStyle = paint.page;
    g.strokeStyle = paint.players[p];
    g.beginPath();
    g.roundRect(place(p) - 17, middle - 12, 34, 22, 4);
    g.fill();
    g.stroke();
    g.fillStyle = paint.players[p];
    g.fillRect(place(p) - 9, middle + 12, 18, 3);
  }
}

function cross(g, x, y) {
  g.strokeStyle = paint.bad;
  g.beginPath();
  g.moveTo(x - 3.5, y - 3.5);
  g.lineTo(x + 3.5, y + 3.5);
  g.moveTo(x - 3.5, y + 3.5);
  g.lineTo(x + 3.5, y - 3.5);
  g.stroke();
}

// The last frames, the newest on the right: confirmed ones filled, guessed ones empty, and red
// those that were played again just now. replayedAt: when, by frame % FILM_FRAMES.
export const FILM_FRAMES = 60;
export function drawFilm(canvas, { frame: end, confirmed, me }, replayedAt, now) {
  const { g, width, height } = sized(canvas);
  const cell = width / FILM_FRAMES;
  const box = [1, 1, Math.max(1, cell - 2), height - 2];
  g.lineWidth = 1;
  for (let frame = Math.max(0, end - FILM_FRAMES); frame < end; frame++) {
    g.save();
    g.translate((frame - end + FILM_FRAMES) * cell, 0);
    g.fillStyle = g.strokeStyle = paint.players[me];
    g.globalAlpha = frame < confirmed ? 0.55 : 0.9;
    if (frame < confirmed) g.fillRect(...box);
    else g.strokeRect(...box);
    const fresh = 1 - (now - replayedAt[frame % FILM_FRAMES]) / GHOST_MS;
    if (fresh > 0) {
      g.globalAlpha = fresh;
      g.fillStyle = paint.bad;
      g.fillRect(...box);
    }
    g.restore();
  }
}
