// A player who is a program: it looks at its own peer's predicted state, like everybody else.
import { ACTION, BUTTON } from "./fight.js";
import { dice } from "./network.js";

const STEPS = [
  [BUTTON.right, 1, 0],
  [BUTTON.right | BUTTON.up, 0.7, 0.7],
  [BUTTON.up, 0, 1],
  [BUTTON.up | BUTTON.left, -0.7, 0.7],
  [BUTTON.left, -1, 0],
  [BUTTON.left | BUTTON.down, -0.7, -0.7],
  [BUTTON.down, 0, -1],
  [BUTTON.down | BUTTON.right, 0.7, -0.7],
];

export class Bot {
  #me;
  #roll;
  #input = 0;
  #until = 0;

  constructor(me, seed) {
    this.#me = me;
    this.#roll = dice(seed);
  }

  // look: returns the scene (scene.js). A decision holds for some frames, as with people.
  input(look, frame) {
    if (frame >= this.#until) {
      this.#until = frame + 4 + Math.floor(this.#roll() * 14);
      this.#input = this.#decide(look());
    }
    return this.#input;
  }

  #decide({ fighters }) {
    const me = fighters[this.#me];
    const others = fighters.filter((other, p) => p !== this.#me && other.action !== ACTION.out);
    if (others.length === 0) return 0;
    const gap = (other) => Math.hypot(other.x - me.x, other.z - me.z);
    const target = others.reduce((a, b) => (gap(a) <= gap(b) ? a : b));
    const far = gap(target);
    const [dx, dz] = [(target.x - me.x) / far, (target.z - me.z) / far];
    const luck = this.#roll();
    if (far < 2.3 && luck < 0.45) return BUTTON.slash;
    if (far > 1.9 && far < 3.3 && luck < 0.4) return BUTTON.ring;
    if (far > 2.5 && far < 5 && luck < 0.55) return BUTTON.dash;
    if (far > 3 && luck < 0.75) return BUTTON.shot;
    const turn = (this.#roll() - 0.5) * (far < 2 ? 4 : 2.4); // not straight at it
    const [wx, wz] = [
      dx * Math.cos(turn) - dz * Math.sin(turn),
      dx * Math.sin(turn) + dz * Math.cos(turn),
    ];
    return STEPS.reduce((a, b) => (a[1] * wx + a[2] * wz >= b[1] * wx + b[2] * wz ? a : b))[0];
  }
}
