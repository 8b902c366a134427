// A whole match in one page: peers with a world each, the network between them, and the log of what
// is confirmed.
import { fxs_collider } from "../../../bindings/web/raw.js";
import { stateDifferences } from "../../../bindings/web/states.js";
import { Bot } from "./bot.js";
import { bodyOf, FIELDS, Fight } from "./fight.js";
import { PLAYERS, record, recorderOf } from "./log.js";
import { Network } from "./network.js";
import { firstDifference, Peer } from "./rollback.js";
import { AT_COUNT, sceneOf } from "./scene.js";

export const FRAME_MS = 1000 / 60;

export class Match {
  peers;
  logs;
  now = 0; // milliseconds since the start
  desync = null; // { frame, peers: [a, b], where, id, field, values, all } once two peers differ
  #games;
  #bots;
  #network;

  // delay: input delay in frames.
  constructor(players, delay, seed) {
    this.#network = new Network(seed);
    this.#games = Array.from({ length: players }, () => new Fight(players));
    this.logs = this.#games.map(({ world }) => recorderOf(world, players));
    this.#bots = Array.from({ length: players }, (_, p) => new Bot(p, seed + 1 + p));
    this.peers = this.#games.map(
      (game, me) =>
        new Peer(game, me, players, delay, (_, result, state) =>
          record(this.logs[me], result, state),
        ),
    );
  }

  dispose() {
    for (const held of [...this.#games, ...this.logs]) held.dispose();
  }

  get packets() {
    return this.#network.packets;
  }

  // One sixtieth of a second. conditions: of the network. inputs: of each player, null where a bot
  // plays.
  tick(conditions, inputs) {
    if (this.desync) return;
    this.now += FRAME_MS;
    this.#network.deliver(this.now, (to, packet) => this.peers[to].receive(packet));
    for (const peer of this.peers) {
      const input =
        inputs[peer.me] ??
        this.#bots[peer.me].input(() => sceneOf(peer.predictedState), peer.frame);
      peer.advance(input);
    }
    for (const { me } of this.peers) {
      for (const { me: to } of this.peers) {
        if (to !== me)
          this.#network.send(me, to, this.peers[me].packetFor(to), this.now, conditions);
      }
    }
    const finder = this.peers.find(({ desync }) => desync);
    if (finder) this.#explain(finder.me, finder.desync.peer);
  }

  // Names the first difference between two peers.
  #explain(a, b) {
    const peers = [Math.min(a, b), Math.max(a, b)];
    const found = firstDifference(...peers.map((p) => this.peers[p]));
    if (!found) return;
    const all = [
      ...stateDifferences(found.a.world, found.b.world),
      ...fieldDifferences(found.a.fields, found.b.fields),
    ];
    const [{ group, field, a: ours, b: theirs }] = all;
    const id = Number(/^collider (\d+)/.exec(group)?.[1] ?? Number.NaN);
    this.desync = {
      frame: found.frame,
      peers,
      where: group,
      id,
      field,
      values: [ours, theirs],
      all,
    };
  }

  // Flips one bit of a fighter's position in one peer's memory, as a broken machine would.
  flipBit(peer, player, bit) {
    this.peers[peer].corrupt((state) => {
      const view = new DataView(state.world.buffer);
      let at = AT_COUNT + 4;
      while (view.getUint32(at, true) !== bodyOf(player)) at += fxs_collider.$size;
      at += fxs_collider.x;
      view.setInt32(at, view.getInt32(at, true) ^ (1 << bit), true);
    });
  }
}

function fieldDifferences(ours, theirs) {
  const found = [];
  for (let i = 0; i < ours.length; i++) {
    if (ours[i] === theirs[i]) continue;
    const group = PLAYERS[Math.floor(i / FIELDS.length)];
    found.push({ group, field: FIELDS[i % FIELDS.length], a: ours[i], b: theirs[i] });
  }
  return found;
}
