// A whole match in one page: peers with a world each, the network between them, and the log of what
// is confirmed.
import { Rollback } from "../../../bindings/web/rollback.js";
import { stateDifferences } from "../../../bindings/web/states.js";
import { hash64 } from "../../../bindings/web/world.js";
import { Bot } from "./bot.js";
import { bodyOf, FIELDS, Fight } from "./fight.js";
import { PLAYERS, record, recorderOf } from "./log.js";
import { Network } from "./network.js";
import { sceneOf } from "./scene.js";

export const FRAME_MS = 1000 / 60;
const PREDICTION_MAX = 40; // frames that may be predicted before a peer waits

// How a computer numbers that of a player: itself 0.
const peerOf = (me, player) => (player === me ? 0 : player < me ? player + 1 : player);

// A computer of the match: it plays the whole game.
class Peer {
  rollbacks = 0;
  depth = 0; // frames that the last call of `advance` played again
  bytesSent = 0;

  constructor(me, players, delay) {
    this.me = me;
    this.game = new Fight(players);
    const peers = Array.from({ length: players }, (_, player) => peerOf(me, player));
    const settings = { players, peers, predictionMax: PREDICTION_MAX, inputDelay: delay };
    this.rollback = new Rollback(this.game, settings);
    this.log = recorderOf(this.game.world, players);
  }

  dispose() {
    for (const held of [this.rollback, this.game, this.log]) held.dispose();
  }

  get frame() {
    return this.rollback.head;
  }
  get confirmed() {
    return this.rollback.first;
  }
  get confirmedState() {
    return this.game.before(this.confirmed);
  }
  get predictedState() {
    return this.game.before(this.frame);
  }

  // The hash of the world before a frame; undefined if it is not kept.
  hashBefore(frame) {
    const state = this.game.before(frame);
    return state && hash64(state.world);
  }

  advance(input) {
    this.depth = 0;
    const { again, confirmed } = this.rollback.tick([input]);
    this.depth = again;
    if (again > 0) this.rollbacks++;
    for (const frame of confirmed) record(this.log, frame, this.game.before(frame.frame + 1).casts);
  }
}

// The first frame after which the confirmed states of two peers differ, with all differences; null
// if they are the same.
function firstDifference(a, b) {
  for (let frame = 1; frame <= Math.min(a.confirmed, b.confirmed); frame++) {
    const [ours, theirs] = [a.game.before(frame), b.game.before(frame)];
    if (!ours || !theirs) continue;
    const all = [
      ...stateDifferences(ours.world, theirs.world),
      ...fieldDifferences(ours.fields, theirs.fields),
    ];
    if (all.length > 0) return { frame: frame - 1, all };
  }
  return null;
}

export class Match {
  peers;
  now = 0; // milliseconds since the start
  desync = null; // { frame, peers: [a, b], where, id, field, values, all } once two peers differ
  #bots;
  #network;

  // delay: input delay in frames.
  constructor(players, delay, seed) {
    this.#network = new Network(seed);
    this.peers = Array.from({ length: players }, (_, me) => new Peer(me, players, delay));
    this.#bots = this.peers.map(({ me }) => new Bot(me, seed + 1 + me));
  }

  dispose() {
    for (const peer of this.peers) peer.dispose();
  }

  get packets() {
    return this.#network.packets;
  }

  // One sixtieth of a second. conditions: of the network. inputs: of each player, null where a bot
  // plays.
  tick(conditions, inputs) {
    if (this.desync) return;
    this.now += FRAME_MS;
    this.#network.deliver(this.now, (from, to, packet) =>
      this.peers[to].rollback.receive(peerOf(to, from), packet),
    );
    for (const peer of this.peers) {
      const input =
        inputs[peer.me] ??
        this.#bots[peer.me].input(() => sceneOf(peer.predictedState), peer.frame);
      peer.advance(input);
    }
    for (const from of this.peers) {
      for (const { me: to } of this.peers) {
        if (to === from.me) continue;
        const packet = from.rollback.packet(peerOf(from.me, to));
        this.#network.send(from.me, to, packet, this.now, conditions);
        from.bytesSent += packet.length;
      }
    }
    const finder = this.peers.find(({ rollback }) => rollback.desync);
    if (finder) this.#explain(finder.me, finder.rollback.desync.players[0]);
  }

  // Names the first difference between two peers.
  #explain(a, b) {
    const peers = [Math.min(a, b), Math.max(a, b)];
    const found = firstDifference(...peers.map((p) => this.peers[p]));
    if (!found) return;
    const { all } = found;
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
    this.peers[peer].game.breakBit(bodyOf(player), bit);
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
