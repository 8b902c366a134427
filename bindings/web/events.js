// Events of a step, and a game's own, as objects and as rows.
import {
  INT32_MAX,
  INT32_MIN,
  integer,
  isList,
  list,
  object,
  UINT32_MAX,
  uint32,
  wrong,
} from "./checks.js";
import { memory } from "./kernel.js";
import { FXS_EXIT, FXS_GAME_EVENT, FXS_OVERLAPPING } from "./raw.js";

/** The events of a step, a view on the kernel's memory until the next step of the same world. */
export class Events {
  #at;
  #isCurrent;

  constructor(at, length, isCurrent) {
    this.#at = at;
    this.#isCurrent = isCurrent;
    this.length = length;
  }

  /** Rows of a, b, kind and contact, without a copy. `slice()` keeps them. */
  get rows() {
    if (!this.#isCurrent())
      throw new Error("the events of a step are gone after the next: copy them with [...events]");
    return memory.u32.subarray(this.#at / 4, this.#at / 4 + 4 * this.length);
  }

  *[Symbol.iterator]() {
    for (let i = 0; i < this.length; i++) {
      const [a, b, kind, contact] = this.rows.subarray(4 * i, 4 * i + 4);
      yield { a, b, kind, contact };
    }
  }
}

/** The words of a step's events: Events, or objects as these give. */
export function eventWords(events) {
  if (events instanceof Events) return events.rows.slice();
  if (!isList(events)) throw wrong("events", "a step's", events);
  return Array.from(events).flatMap((event, i) => {
    const { a, b, kind, contact } = object(`events[${i}]`, event);
    return [
      uint32(`events[${i}].a`, a),
      uint32(`events[${i}].b`, b),
      integer(`events[${i}].kind`, kind, 1, FXS_EXIT),
      integer(`events[${i}].contact`, contact, 0, FXS_OVERLAPPING),
    ];
  });
}

/** The words of a game's own events. */
export function gameWords(events) {
  return Array.from(list("game", events)).flatMap((event, i) => {
    const { a, b, kind, value } = object(`game[${i}]`, event);
    return [
      uint32(`game[${i}].a`, a),
      uint32(`game[${i}].b`, b),
      integer(`game[${i}].kind`, kind, FXS_GAME_EVENT, UINT32_MAX),
      integer(`game[${i}].value`, value, INT32_MIN, INT32_MAX),
    ];
  });
}

/** The events that `count` rows from an address on are: those of a step, then the game's own. */
export function eventsAt(at, count) {
  return Array.from({ length: count }, (_, i) => {
    const [a, b, kind, contact] = memory.u32.subarray(at / 4 + 4 * i, at / 4 + 4 * i + 4);
    return kind < FXS_GAME_EVENT ? { a, b, kind, contact } : { a, b, kind, value: contact | 0 };
  });
}
