// A peer in JavaScript of the match of test_languages.py: PLAYER RANDOM LOG FRAMES.
import { writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import {
  ENTER,
  hash64,
  init,
  Random,
  Recorder,
  Rollback,
  sphere,
  World,
} from "../../bindings/web/index.js";

const [SCORE, PUNCH, JUMPS] = [16, 17, 8];

class Pit {
  world = new World(8);
  random = new Random(5);
  health = [100, 100];
  score = [0, 0];
  jumps = [];

  constructor() {
    for (let id = 0; id < 5; id++)
      this.world.add(id, sphere(4), { x: id === 1 ? 20 : 10 * id, y: 0, z: 0 });
  }

  save() {
    const numbers = [...this.health, ...this.score, this.jumps.length, ...this.jumps];
    const own = new DataView(new ArrayBuffer(8 + 4 * numbers.length));
    own.setBigUint64(0, this.random.state, true);
    for (const [i, n] of numbers.entries()) own.setInt32(8 + 4 * i, n, true);
    return new Uint8Array(own.buffer);
  }

  load({ buffer, byteOffset, length }) {
    const own = new DataView(buffer, byteOffset, length);
    this.random.state = own.getBigUint64(0, true);
    const numbers = Array.from({ length: length / 4 - 2 }, (_, i) => own.getInt32(8 + 4 * i, true));
    [this.health, this.score] = [numbers.slice(0, 2), numbers.slice(2, 4)];
    this.jumps = numbers.slice(5);
  }

  play(inputs) {
    for (const [i, [way]] of inputs.entries()) {
      const x = this.world.get(i).pose.x + 2 * ((way & 3) - 1);
      this.world.move(i, Math.max(-40, Math.min(40, x)), 0, 0);
    }
    const events = [...this.world.step()];
    const hash = this.world.hash();
    const game = [];
    const reactions = [];
    for (const { a, b, kind } of events) {
      if (kind !== ENTER || a > 1) continue;
      if (b > 1) {
        game.push({ a, b, kind: SCORE, value: ++this.score[a] });
        const x = this.random.below(81) - 40;
        this.jumps = [...this.jumps.slice(1 - JUMPS), x];
        this.world.move(b, x, 0, 0);
        reactions.push(["move", b, [x, 0, 0]]);
        continue;
      }
      for (const i of [0, 1]) {
        if ((inputs[i][1] & 1) === 0) continue;
        this.health[1 - i] -= 1 + this.random.below(3) + this.jumps.length;
        this.jumps.pop();
        game.push({ a: i, b: 1 - i, kind: PUNCH, value: this.health[1 - i] });
      }
    }
    return { events, game, reactions, hash, shown: hash64(this.save().slice(8, 16)) };
  }
}

await init();
const [me, random, path, frames] = process.argv.slice(2);
const game = new Pit();
const rollback = new Rollback(game, {
  ...{ players: 2, numbers: 2, predictionMax: 12, match: 7, data: 9, ownMax: 28 + 4 * JUMPS },
  ...{ peers: [Number(me), 1 - me], random: new TextEncoder().encode(random) },
});
const names = { game: { 16: "score", 17: "punch" } };
const log = new Recorder(game.world, { sim: "pit", seed: 5, names });
for await (const line of createInterface({ input: process.stdin })) {
  const [pressed, ...packets] = line.trim().split(" ");
  for (const packet of packets) rollback.receive(1, Buffer.from(packet, "hex"));
  const { confirmed } = rollback.tick([pressed.split(",").map(Number)]);
  for (const frame of confirmed) if (frame.frame < frames) log.frame(frame);
  const { head, first } = rollback.pace();
  const packet = Buffer.from(rollback.packet(1)).toString("hex");
  process.stdout.write(`${head} ${first} ${+(rollback.desync !== null)} ${packet}\n`);
}
writeFileSync(path, log.text());
