// The drawing of one computer's view, from scenes (scene.js): what it predicts, what is confirmed, what it guessed wrongly.
import { ACTION, BODY_SHAPE, HEALTH, RING_SHAPE, SLASH_SHAPE } from "./fight.js";
import { HALF_DEPTH, HALF_WIDTH, SOLIDS } from "./map.js";

export const COLOURS = ["#4bb1f5", "#f2b22e", "#4fd08a"];
const SHADES = ["#1b6ba6", "#a2700b", "#1c8550"];
const UNITS = 65536;
const [WIDE, DEEP] = [2 * (HALF_WIDTH / UNITS) + 1, 2 * (HALF_DEPTH / UNITS) + 1];
const RADIUS = BODY_SHAPE[1] / UNITS;
const FULL = 2 * Math.PI;
const GHOST_MS = 450;

export class Stage {
  #canvas;
  #context;
  #ghosts = []; // wrong guesses: { x, z, toX, toZ, player, since }
  #me;

  constructor(canvas, me) {
    this.#canvas = canvas;
    this.#context = canvas.getContext("2d");
    this.#me = me;
  }

  // A guess that was shown and was wrong.
  miss(player, from, to, now) {
    this.#ghosts.push({ x: from.x, z: from.z, toX: to.x, toZ: to.z, player, since: now });
  }

  // isCalm: without what flickers.
  draw(predicted, confirmed, now, isCalm) {
    const ratio = Math.min(2, devicePixelRatio);
    const { clientWidth: width, clientHeight: height } = this.#canvas;
    if (this.#canvas.width !== Math.round(width * ratio) || this.#canvas.height !== Math.round(height * ratio)) {
      this.#canvas.width = Math.round(width * ratio);
      this.#canvas.height = Math.round(height * ratio);
    }
    const g = this.#context;
    const scale = Math.min(width / WIDE, height / DEEP) * ratio;
    g.setTransform(1, 0, 0, 1, 0, 0);
    g.clearRect(0, 0, this.#canvas.width, this.#canvas.height);
    g.setTransform(scale, 0, 0, -scale, this.#canvas.width / 2, this.#canvas.height / 2);
    g.lineJoin = "round";
    this.#drawFloor();
    for (const [p, fighter] of predicted.fighters.entries()) this.#drawAreas(fighter, p);
    for (const [p, fighter] of confirmed.fighters.entries()) this.#drawConfirmed(fighter, predicted.fighters[p]);
    for (const [p, fighter] of predicted.fighters.entries()) this.#drawFighter(fighter, p, now, isCalm);
    this.#drawGhosts(now);
  }

  #drawFloor() {
    const g = this.#context;
    g.lineWidth = 0.02;
    g.strokeStyle = "#212a37";
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
    g.fillStyle = "#364254";
    g.strokeStyle = "#55657d";
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
      g.strokeStyle = COLOURS[p];
      g.lineWidth = 0.16;
      g.globalAlpha = 0.5;
      g.beginPath();
      g.moveTo(x, z);
      g.lineTo(x - Math.cos(yaw), z - Math.sin(yaw));
      g.stroke();
      g.globalAlpha = 1;
      dot(g, x, z, 0.25, COLOURS[p]);
      dot(g, x, z, 0.12, "#ffffff");
    }
  }

  // Outlined while it is prepared, filled while it hits.
  #drawArea({ x, z, yaw, phase }, p, path) {
    const g = this.#context;
    if (!phase.isActive && phase.startup >= 1) return;
    g.beginPath();
    path(g, x, z, yaw);
    g.globalAlpha = phase.isActive ? 0.6 : 0.14 * phase.startup;
    g.fillStyle = phase.isActive ? "#ffffff" : COLOURS[p];
    if (phase.isActive) {
      g.fillStyle = COLOURS[p];
    }
    g.fill("evenodd");
    g.globalAlpha = 0.9;
    g.lineWidth = phase.isActive ? 0.08 : 0.04;
    g.strokeStyle = phase.isActive ? "#ffffff" : COLOURS[p];
    g.stroke();
    g.globalAlpha = 1;
  }

  // What no packet can change any more, with a line to what is guessed from it.
  #drawConfirmed(fighter, guess) {
    if (fighter.action === ACTION.out) return;
    const g = this.#context;
    g.strokeStyle = "#f1f4f8";
    g.lineWidth = 0.05;
    g.globalAlpha = 0.75;
    g.setLineDash([0.16, 0.11]);
    g.beginPath();
    g.arc(fighter.x, fighter.z, RADIUS, 0, FULL);
    if (Math.hypot(guess.x - fighter.x, guess.z - fighter.z) > 0.1 && guess.action !== ACTION.out) {
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
    dot(g, x, z, RADIUS, stun > 0 ? "#ffffff" : COLOURS[p]);
    g.lineWidth = 0.07;
    g.strokeStyle = p === this.#me ? "#ffffff" : SHADES[p];
    g.beginPath();
    g.arc(x, z, RADIUS - 0.035, 0, FULL);
    g.stroke();
    g.fillStyle = SHADES[p];
    g.beginPath();
    g.moveTo(x + 0.4 * Math.cos(yaw), z + 0.4 * Math.sin(yaw));
    g.lineTo(x + 0.26 * Math.cos(yaw + 2.3), z + 0.26 * Math.sin(yaw + 2.3));
    g.lineTo(x + 0.26 * Math.cos(yaw - 2.3), z + 0.26 * Math.sin(yaw - 2.3));
    g.fill();
    for (let i = 0; i < HEALTH; i++) {
      dot(g, x + 0.22 * (i - (HEALTH - 1) / 2), z + RADIUS + 0.28, 0.085, i < fighter.health ? COLOURS[p] : "#3c4656");
    }
    g.globalAlpha = 1;
  }

  #drawStreak({ x, z, yaw }, p) {
    const g = this.#context;
    g.strokeStyle = COLOURS[p];
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

  #drawGhosts(now) {
    const g = this.#context;
    this.#ghosts = this.#ghosts.filter(({ since }) => now - since < GHOST_MS);
    for (const { x, z, toX, toZ, since } of this.#ghosts) {
      g.globalAlpha = 1 - (now - since) / GHOST_MS;
      g.strokeStyle = "#ff7d95";
      g.lineWidth = 0.09;
      g.beginPath();
      g.moveTo(x - 0.25, z - 0.25);
      g.lineTo(x + 0.25, z + 0.25);
      g.moveTo(x - 0.25, z + 0.25);
      g.lineTo(x + 0.25, z - 0.25);
      g.moveTo(x, z);
      g.lineTo(toX, toZ);
      g.stroke();
    }
    g.globalAlpha = 1;
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

// ---- the network, and how deep rollbacks were ----

function sized(canvas) {
  const ratio = Math.min(2, devicePixelRatio);
  const { clientWidth: width, clientHeight: height } = canvas;
  if (canvas.width !== Math.round(width * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  const g = canvas.getContext("2d");
  g.setTransform(ratio, 0, 0, ratio, 0, 0);
  g.clearRect(0, 0, width, height);
  return { g, width, height };
}

// Packets on their way between the computers, which stand in a row. A lost one falls off half way.
export function drawWire(canvas, match, isCalm) {
  const { g, width, height } = sized(canvas);
  const count = match.peers.length;
  const place = (p) => (width * (p + 0.5)) / count;
  const middle = height / 2;
  g.lineWidth = 2;
  g.strokeStyle = "#2c3543";
  g.beginPath();
  g.moveTo(place(0), middle);
  g.lineTo(place(count - 1), middle);
  g.stroke();
  if (!isCalm) {
    for (const { from, to, sent, due, isLost } of match.packets) {
      const part = (match.now - sent) / Math.max(1, due - sent);
      if (isLost && part > 0.5) {
        if (part < 0.8) cross(g, (place(from) + place(to)) / 2, middle + (part - 0.5) * 50);
        continue;
      }
      const up = Math.sin(part * Math.PI) * (to > from ? -1 : 1) * Math.min(13, height / 3) * Math.abs(to - from);
      g.fillStyle = COLOURS[from];
      g.beginPath();
      g.arc(place(from) + (place(to) - place(from)) * part, middle + up / (count - 1 || 1), 3, 0, FULL);
      g.fill();
    }
  }
  for (let p = 0; p < count; p++) {
    g.fillStyle = "#0d1016";
    g.strokeStyle = COLOURS[p];
    g.beginPath();
    g.roundRect(place(p) - 17, middle - 12, 34, 22, 4);
    g.fill();
    g.stroke();
    g.fillStyle = COLOURS[p];
    g.fillRect(place(p) - 9, middle + 12, 18, 3);
  }
}

function cross(g, x, y) {
  g.strokeStyle = "#ff7d95";
  g.beginPath();
  g.moveTo(x - 3.5, y - 3.5);
  g.lineTo(x + 3.5, y + 3.5);
  g.moveTo(x - 3.5, y + 3.5);
  g.lineTo(x + 3.5, y - 3.5);
  g.stroke();
}

// Bars: how many frames each of the last frames played again.
export function drawDepths(canvas, depths) {
  const { g, width, height } = sized(canvas);
  const most = Math.max(12, ...depths);
  const bar = width / depths.length;
  g.fillStyle = "#8ab4ff";
  depths.forEach((depth, i) => {
    const tall = (depth / most) * height;
    g.fillRect(i * bar, height - tall, Math.max(1, bar - 0.6), tall);
  });
  g.fillStyle = "#445062";
  g.fillRect(0, height - 1, width, 1);
}
