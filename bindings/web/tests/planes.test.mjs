// Hitboxes of two planes in Node: what Python answers.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { init, ONE, Random, Recorder, TwoPlanes } from "../index.js";
import { fixsync, python, refuses, test, WORK } from "./harness.mjs";

const MAN = { ground: ["circle", ONE / 2], side: [ONE / 4, ONE] };
const KNIFE = { ground: ["rectangle", ONE, ONE / 8], side: [ONE / 2, ONE / 8] };

// What happens, frame by frame: a call and its arguments.
function history(frames) {
  const random = new Random(5);
  const place = () => [0, 0, 0].map(() => random.between(-2 * ONE, 2 * ONE));
  const calls = [0, 1, 2, 3, 4, 5].map((id) => [
    "add",
    id,
    id % 2,
    place(),
    id % 3,
    id % 4,
    id !== 5,
  ]);
  const made = [calls];
  for (let frame = 1; frame < frames; frame++) {
    const id = random.below(6);
    const more = [["move", id, place()]];
    if (frame % 7 === 0) more.push(["hitbox", id, random.below(2)]);
    if (frame % 11 === 0)
      more.push(["active", id, random.chance(1, 2)], ["layer", id, random.below(3)]);
    if (frame % 13 === 0) more.push(["owner", id, random.below(3)]);
    if (frame % 17 === 0) more.push(["remove", id], ["add", id, 0, place(), 1, 0, true]);
    if (frame === 20)
      more.push([
        "layers",
        [
          [0, 1],
          [1, 2],
        ],
      ]);
    made.push(more);
  }
  return made;
}

test("a world of two planes has Python's events, hits, casts and hash; its recording verifies", async () => {
  await init();
  const boxes = [MAN, KNIFE];
  const frames = history(120);
  const planes = new TwoPlanes(8);
  const recorder = new Recorder(planes.world);
  const lines = [];
  const act = {
    add: (id, box, at, layer, owner, active) =>
      planes.add(id, boxes[box], at, { layer, owner, active }),
    move: (id, at) => planes.move(id, ...at),
    hitbox: (id, box) => planes.setHitbox(id, boxes[box]),
    active: (id, active) => planes.setActive(id, active),
    layer: (id, layer) => planes.setLayer(id, layer),
    owner: (id, owner) => planes.setOwner(id, owner),
    remove: (id) => planes.remove(id),
    layers: (pairs) => planes.setLayers(pairs),
  };
  for (const calls of frames) {
    for (const [name, ...values] of calls) recorder.commands(act[name](...values));
    const events = planes.world.step();
    const hits = planes.combine(events).map(({ a, b, kind, contact }) => [a, b, kind, contact]);
    recorder.step(planes.world, events);
    const found = (casts) => casts.map(({ id, fraction, normal }) => [id, fraction, ...normal]);
    lines.push(
      JSON.stringify([
        hits,
        planes.hits().map(({ a, b, contact }) => [a, b, contact]),
        [null, 1, 2].map((hitWhen) =>
          planes.query(KNIFE, [0, 0, 0], 7, { excludeOwner: 1, hitWhen }),
        ),
        found(planes.cast(MAN, [-4 * ONE, 0, 0], [8 * ONE, 0, 0])),
        found(planes.sweep(0, [0, ONE, ONE], { limit: 2 })),
        [
          planes.contact(0, 1),
          planes.pushOut(0, 1),
          planes.lift(0, 1),
          planes.position(3),
          planes.size,
        ],
        String(planes.world.hash()),
      ]),
    );
  }
  const log = join(WORK, "planes.jsonl");
  writeFileSync(log, recorder.text());
  assert.match(fixsync("replay", log), /^identical/m);
  writeFileSync(join(WORK, "planes.json"), JSON.stringify(frames));
  const expected = python(
    "-c",
    `
import json, sys
from fixsync import ONE
from fixsync.game import flat
boxes = [flat.Hitbox(flat.circle(ONE // 2), ONE // 4, ONE),
         flat.Hitbox(flat.rectangle(ONE, ONE // 8), ONE // 2, ONE // 8)]
planes = flat.TwoPlanes(8)
act = {
    "add": lambda id, box, at, layer, owner, active: planes.add(
        id, boxes[box], at, layer=layer, owner=owner, active=active),
    "move": lambda id, at: planes.move(id, *at),
    "hitbox": lambda id, box: planes.set_hitbox(id, boxes[box]),
    "active": planes.set_active, "layer": planes.set_layer, "owner": planes.set_owner,
    "remove": planes.remove, "layers": planes.set_layers,
}
def found(hits):
    return [[hit.id, hit.fraction, *hit.normal] for hit in hits]
for calls in json.load(open(sys.argv[1])):
    for name, *values in calls:
        act[name](*values)
    events = planes.step()
    print(json.dumps([
        [[int(v) for v in e] for e in events],
        [[int(v) for v in h] for h in planes.hits()],
        [planes.query(boxes[1], (0, 0, 0), 7, exclude_owner=1, hit_when=when)
         for when in (None, 1, 2)],
        found(planes.cast(boxes[0], (-4 * ONE, 0, 0), (8 * ONE, 0, 0))),
        found(planes.sweep(0, (0, ONE, ONE), limit=2)),
        [int(planes.contact(0, 1)), [*planes.push_out(0, 1)], planes.lift(0, 1),
         [*planes.position(3)], len(planes)],
        str(planes.world.hash()),
    ], separators=(",", ":")))`,
    join(WORK, "planes.json"),
  );
  assert.deepEqual(lines, expected.trim().split("\n"));
});

test("a world of two planes refuses a value that is not a hitbox, and changes nothing", async () => {
  await init();
  const planes = new TwoPlanes(4);
  planes.add(1, MAN, [0, 0, 0]);
  const before = planes.world.hash();
  const add = (id, hitbox, options) => planes.add(id, hitbox, [0, 0, 0], options);
  refuses(
    { add, planes, MAN, TwoPlanes },
    `
    add(2, { ground: ["circle", 0.5], side: [1, 1] }) // ArgumentTypeError: radius must be an int
    add(2, { ground: ["circle", 1], side: [1, 0.5] }) // ArgumentTypeError: side half_y must
    add(2, { ground: ["sector", 1], side: [1, 1] }) // ground must be one of circle, rectangle
    add(2, ["sphere", 1]) // ArgumentTypeError: hitbox must be { ground:
    add(1, MAN) // ArgumentRangeError: id 1: an id that is already
    add(4, MAN) // ArgumentRangeError: id must be 0..3, not 4
    add(2, MAN, { layer: 16 }) // layer must be 0..15, not 16
    planes.move(1, 0.5, 0, 0) // ArgumentTypeError: position x must be an integer, not 0.5
    planes.move(2, 0, 0, 0) // ArgumentRangeError: id 2: an id that is not in the world
    planes.query(MAN, [0, 0, 0], 65536) // mask must be 0..65535, not 65536
    planes.query(MAN, [0, 0, 0], 1, { hitWhen: 3 }) // hitWhen must be 1..2, not 3
    planes.cast(MAN, [0, 0, 0], [0.5, 0, 0]) // motion x must be an integer, not 0.5
    planes.setLayers([[0, 16]]) // layer must be 0..15, not 16
    planes.position(2) // id 2: an id that is not in the world
    new TwoPlanes(0) // capacity must be 1..1073741824, not 0
  `,
  );
  assert.equal(planes.world.hash(), before);
});
