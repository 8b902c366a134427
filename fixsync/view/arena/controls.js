// Keyboard, fingers and gamepads as inputs: for each player who is a person, the buttons that are held.
import { BUTTON } from "./fight.js";

export const KEYS = [
  { KeyW: "up", KeyS: "down", KeyA: "left", KeyD: "right", KeyF: "slash", KeyG: "dash", KeyH: "ring", KeyT: "shot" },
  {
    ...{ ArrowUp: "up", ArrowDown: "down", ArrowLeft: "left", ArrowRight: "right" },
    ...{ KeyK: "slash", KeyL: "dash", KeyI: "ring", KeyO: "shot" },
  },
];
const IDLE_MS = 8000;
const PAD_BUTTONS = ["slash", "dash", "ring", "shot"]; // the four round ones
const STICK_MIN = 0.35;

export class Controls {
  people = 1; // players with keys; the first is the visitor
  #keys = new Set();
  #stick = 0;
  #pads = 0;
  #usedAt = [-Infinity, -Infinity];

  constructor(stick, pads) {
    addEventListener("keydown", (event) => this.#onKey(event, true));
    addEventListener("keyup", (event) => this.#onKey(event, false));
    addEventListener("blur", () => this.#keys.clear());
    this.#watchStick(stick);
    for (const pad of pads) this.#watchPad(pad);
  }

  // The input of a player, null while a bot plays it: always, or a visitor who has not touched a key for a while.
  input(player, now) {
    if (player >= this.people) return null;
    const input = this.#keysOf(player) | (player === 0 ? this.#stick | this.#pads : 0) | gamepad(player);
    if (input !== 0) this.#usedAt[player] = now;
    const isHere = this.people > 1 || now - this.#usedAt[player] < IDLE_MS;
    return isHere ? input : null;
  }

  #keysOf(player) {
    let input = 0;
    for (const code of this.#keys) input |= BUTTON[KEYS[player][code]] ?? 0;
    // Arrows are the visitor's too while nobody else has them.
    if (player === 0 && this.people === 1) for (const code of this.#keys) input |= BUTTON[KEYS[1][code]] ?? 0;
    return input;
  }

  #onKey(event, isDown) {
    const isGame = KEYS.some((keys) => event.code in keys);
    if (!isGame || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest?.("input, select, [role=alertdialog]") && event.code.startsWith("Arrow")) return;
    if (isDown) this.#keys.add(event.code);
    else this.#keys.delete(event.code);
    if (event.code.startsWith("Arrow")) event.preventDefault();
  }

  #watchStick(stick) {
    const knob = stick.firstElementChild;
    const follow = (event) => {
      const { left, top, width, height } = stick.getBoundingClientRect();
      const [dx, dy] = [event.clientX - left - width / 2, event.clientY - top - height / 2];
      const reach = Math.min(1, Math.hypot(dx, dy) / (width / 2)) / (Math.hypot(dx, dy) || 1);
      this.#stick = steering(dx * reach, dy * reach);
      knob.style.translate = `${(dx * reach * width) / 3}px ${(dy * reach * height) / 3}px`;
    };
    const leave = () => {
      this.#stick = 0;
      knob.style.translate = "";
    };
    stick.addEventListener("pointerdown", (event) => {
      stick.setPointerCapture(event.pointerId);
      follow(event);
    });
    stick.addEventListener("pointermove", (event) => stick.hasPointerCapture(event.pointerId) && follow(event));
    stick.addEventListener("pointerup", leave);
    stick.addEventListener("pointercancel", leave);
  }

  #watchPad(pad) {
    const bit = BUTTON[pad.dataset.button];
    const hold = (isHeld) => {
      this.#pads = isHeld ? this.#pads | bit : this.#pads & ~bit;
      pad.classList.toggle("held", isHeld);
    };
    pad.addEventListener("pointerdown", (event) => {
      pad.setPointerCapture(event.pointerId);
      hold(true);
    });
    pad.addEventListener("pointerup", () => hold(false));
    pad.addEventListener("pointercancel", () => hold(false));
  }
}

// A direction on the screen as buttons.
function steering(dx, dy) {
  const sideways = dx > STICK_MIN ? BUTTON.right : dx < -STICK_MIN ? BUTTON.left : 0;
  return sideways | (dy > STICK_MIN ? BUTTON.down : dy < -STICK_MIN ? BUTTON.up : 0);
}

function gamepad(player) {
  const pad = navigator.getGamepads?.()[player];
  if (!pad) return 0;
  let input = steering(pad.axes[0] ?? 0, pad.axes[1] ?? 0);
  PAD_BUTTONS.forEach((name, i) => {
    if (pad.buttons[i]?.pressed) input |= BUTTON[name];
  });
  ["up", "down", "left", "right"].forEach((name, i) => {
    if (pad.buttons[12 + i]?.pressed) input |= BUTTON[name];
  });
  return input;
}
