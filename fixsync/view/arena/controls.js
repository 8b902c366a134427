// Keyboard, fingers and gamepads as inputs: for each player who is a person, the buttons that are
// held.
import { BUTTON } from "./fight.js";

export const KEYS = [
  {
    KeyW: "up",
    KeyS: "down",
    KeyA: "left",
    KeyD: "right",
    KeyF: "slash",
    KeyG: "dash",
    KeyH: "ring",
    KeyT: "shot",
  },
  {
    ...{ ArrowUp: "up", ArrowDown: "down", ArrowLeft: "left", ArrowRight: "right" },
    ...{ KeyK: "slash", KeyL: "dash", KeyI: "ring", KeyO: "shot" },
  },
];
const IDLE_MS = 8000;
const PAD_BUTTONS = {
  0: "slash",
  1: "dash",
  2: "ring",
  3: "shot",
  12: "up",
  13: "down",
  14: "left",
  15: "right",
};
const START = 9;
const STICK_MIN = 0.35;

export class Controls {
  people = 1; // players with keys; the first is the visitor
  #onPause;
  #keys = new Set();
  #stick = 0;
  #touched = 0;
  #pads = [0, 0]; // gamepads
  #isStartHeld = false;
  #pressed = [0, 0]; // since they were read last: a press shorter than a frame counts too
  #usedAt = [-Infinity, -Infinity];

  // onPause: called for the key P, and for Start on a gamepad.
  constructor(stick, buttons, onPause) {
    this.#onPause = onPause;
    addEventListener("keydown", (event) => this.#onKey(event, true));
    addEventListener("keyup", (event) => this.#onKey(event, false));
    addEventListener("blur", () => this.#keys.clear());
    this.#watchStick(stick);
    for (const button of buttons) this.#watchButton(button);
  }

  // Once a frame of the screen: gamepads send no events.
  poll() {
    const pads = [...(navigator.getGamepads?.() ?? [])].filter(Boolean).slice(0, this.people);
    this.#pads = [0, 1].map((player) => (pads[player] ? held(pads[player]) : 0));
    for (const [player, input] of this.#pads.entries()) this.#pressed[player] |= input;
    const isStartHeld = pads.some(({ buttons }) => buttons[START]?.pressed);
    if (isStartHeld && !this.#isStartHeld) this.#onPause();
    this.#isStartHeld = isStartHeld;
  }

  // The input of a player, null while a bot plays it: always, or a visitor who has not touched a
  // key for a while.
  input(player, now) {
    if (player >= this.people) return null;
    let input =
      this.#pressed[player] | this.#pads[player] | (player === 0 ? this.#stick | this.#touched : 0);
    for (const code of this.#keys) input |= this.#bitOf(code, player);
    this.#pressed[player] = 0;
    if (input !== 0) this.#usedAt[player] = now;
    return this.isPlayed(player, now) ? input : null;
  }

  // Whether a person plays a player, and no bot.
  isPlayed(player, now) {
    return this.people > 1 || now - this.#usedAt[player] < IDLE_MS;
  }

  // The action of a key for a player. While there is nobody else, the other player's keys are the
  // visitor's too.
  #bitOf(code, player) {
    const isAlone = player === 0 && this.people === 1;
    return BUTTON[KEYS[player][code]] ?? (isAlone ? BUTTON[KEYS[1][code]] : 0) ?? 0;
  }

  #onKey(event, isDown) {
    const { code, target, ctrlKey, metaKey, altKey } = event;
    if (ctrlKey || metaKey || altKey) return;
    if (code === "KeyP" && isDown && !event.repeat) this.#onPause();
    if (!KEYS.some((keys) => code in keys)) return;
    if (target.closest?.("input, select, [role=alertdialog]") && code.startsWith("Arrow")) return;
    event.preventDefault(); // an arrow scrolls the page, and a letter chooses in a list
    if (!isDown) this.#keys.delete(code);
    else {
      this.#keys.add(code);
      for (const player of [0, 1]) this.#pressed[player] |= this.#bitOf(code, player);
    }
  }

  #watchStick(stick) {
    const knob = stick.firstElementChild;
    const follow = (event) => {
      const { left, top, width, height } = stick.getBoundingClientRect();
      const [dx, dy] = [event.clientX - left - width / 2, event.clientY - top - height / 2];
      const reach = Math.min(1, Math.hypot(dx, dy) / (width / 2)) / (Math.hypot(dx, dy) || 1);
      this.#stick = steering(dx * reach, dy * reach);
      this.#pressed[0] |= this.#stick;
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
    stick.addEventListener(
      "pointermove",
      (event) => stick.hasPointerCapture(event.pointerId) && follow(event),
    );
    stick.addEventListener("pointerup", leave);
    stick.addEventListener("pointercancel", leave);
  }

  #watchButton(button) {
    const bit = BUTTON[button.dataset.button];
    const hold = (isHeld) => {
      this.#touched = isHeld ? this.#touched | bit : this.#touched & ~bit;
      if (isHeld) this.#pressed[0] |= bit;
      button.classList.toggle("held", isHeld);
    };
    button.addEventListener("pointerdown", (event) => {
      button.setPointerCapture(event.pointerId);
      hold(true);
    });
    button.addEventListener("pointerup", () => hold(false));
    button.addEventListener("pointercancel", () => hold(false));
  }
}

// A direction on the screen as buttons.
function steering(dx, dy) {
  const sideways = dx > STICK_MIN ? BUTTON.right : dx < -STICK_MIN ? BUTTON.left : 0;
  return sideways | (dy > STICK_MIN ? BUTTON.down : dy < -STICK_MIN ? BUTTON.up : 0);
}

// The keys that are held on a gamepad: stick, cross and the four round buttons.
function held({ axes, buttons }) {
  let input = steering(axes[0] ?? 0, axes[1] ?? 0);
  for (const [i, name] of Object.entries(PAD_BUTTONS))
    if (buttons[i]?.pressed) input |= BUTTON[name];
  return input;
}
