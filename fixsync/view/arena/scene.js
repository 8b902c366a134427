// A saved state as it is drawn: in units, as floating point. Nothing here decides an
// answer.
import { fxs_collider } from "../../../bindings/web/raw.js";
import { ACTION, bodyOf, FIELDS, ringOf, SHOTS_EACH, shotOf, slashOf, TIMES } from "./fight.js";

// In a saved state with a level: how many colliders follow.
const AT_COUNT = 148;
const UNIT = 65536;
const TURN = (2 * Math.PI) / 65536;

export function sceneOf({ world, fields }) {
  const view = new DataView(world.buffer, world.byteOffset, world.byteLength);
  const places = new Map();
  for (let i = 0; i < view.getUint32(AT_COUNT, true); i++) {
    const at = AT_COUNT + 4 + i * fxs_collider.$size;
    places.set(view.getUint32(at, true), {
      x: view.getInt32(at + fxs_collider.x, true) / UNIT,
      z: view.getInt32(at + fxs_collider.z, true) / UNIT,
      yaw: view.getUint16(at + fxs_collider.yaw, true) * TURN,
      active: view.getUint8(at + fxs_collider.active) === 1,
    });
  }
  const players = fields.length / FIELDS.length;
  const fighters = Array.from({ length: players }, (_, p) => {
    const values = Object.fromEntries(
      FIELDS.map((name, i) => [name, fields[p * FIELDS.length + i]]),
    );
    const shots = Array.from({ length: SHOTS_EACH }, (_, i) => places.get(shotOf(p, i)));
    return {
      ...values,
      ...places.get(bodyOf(p)),
      slash: places.get(slashOf(p)),
      ring: places.get(ringOf(p)),
      shots: shots.filter(({ active }) => active),
      phase: phaseOf(values),
    };
  });
  return { fighters };
}

// How far an action has come: { startup } of 0..1, or active.
function phaseOf({ action, timer }) {
  if (action === ACTION.none) return { startup: 0, isActive: false };
  const { from, to } = TIMES[action];
  return { startup: Math.min(1, timer / from), isActive: timer >= from && timer < to };
}
