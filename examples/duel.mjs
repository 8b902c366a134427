// Two fighters with frame data in a Rollback. Each saves its own state beside the world: a body's
// bytes grow with the victims of its attack, from 24 to 280; ownMax is the most of both bodies.
import { Body, ENTER, FrameData, init, q, Rollback, World } from "fixsync";

await init();
const fighter = FrameData.of({
  parts: {
    torso: { shape: ["cylinder", "0.5", "1"], layer: 0 },
    fist: {
      shape: ["box", "0.5", "0.25", "0.25"], offset: ["0.75", 0, 0], layer: 1, active: false,
    },
  },
  attacks: { jab: { frames: 9, active: { fist: [[2, 4]] } } },
});

class Duel {
  world = new World(16, { layers: [[0, 1]] });
  bodies = [0, 1].map((me) => {
    const options = { ids: 1 + 2 * me, owner: 1 + me, isMirrored: me === 1 };
    return new Body(this.world, fighter, { x: me * q(1), y: 0, z: 0 }, options);
  });
  health = [100, 100];

  play(inputs) { // 1 begins a jab
    const commands = this.bodies.flatMap((body, me) =>
      inputs[me] === 1 && body.canStart("jab") ? body.start("jab") : []);
    const events = [...this.world.step()]; // kept longer than the next call
    const hash = this.world.hash();
    for (const [me, body] of this.bodies.entries()) {
      const { torso } = this.bodies[1 - me].ids;
      const isMet = ({ a, b, kind }) =>
        kind === ENTER && [a, b].includes(torso) && [a, b].includes(body.ids.fist);
      if (events.some(isMet) && body.strike(torso)) this.health[1 - me] -= 10;
    }
    return { commands, events, hash, reactions: this.bodies.flatMap((body) => body.tick()) };
  }

  save() { // health, the first body's number of words, both bodies
    const [a, b] = this.bodies.map((body) => body.save());
    return Uint8Array.of(...this.health, a.length / 4, ...a, ...b);
  }

  load(own) {
    this.health = [own[0], own[1]];
    const second = 3 + 4 * own[2];
    this.bodies[0].load(own.slice(3, second));
    this.bodies[1].load(own.slice(second));
  }
}

const games = [new Duel(), new Duel()];
const peers = games.map((game, me) =>
  new Rollback(game, { players: 2, peers: [[0, 1], [1, 0]][me], ownMax: 3 + 2 * 280 }));
const late = []; // packets, eight frames old when they arrive
let again = 0;
for (let now = 0; now < 100; now++) {
  for (const [me, peer] of peers.entries()) {
    if (now >= 8) peer.receive(1, late[now - 8][1 - me]);
    again += peer.tick([Number(now % 20 === 6 * me)]).again;
  }
  late.push(peers.map((peer) => peer.packet(1)));
}
console.log(games.map(({ health }) => health.join(":")).join(" "), again > 0, peers[0].desync);
// 60:60 60:60 true null
