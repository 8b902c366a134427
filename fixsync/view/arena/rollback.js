// Rollback between peers, as an example to copy. It knows nothing of the game, the page or the
// network.
//
// Every peer runs the whole game. It never waits for the others: where an input has not arrived, it
// predicts that the player still holds the same buttons. When the real input differs, it goes back
// to the state before that frame and plays the frames since then again, all within one frame of the
// screen. A frame is confirmed once all its inputs are known: it can never change again, so its
// hash must be the same on every peer.
//
// The game has three functions:
//   save()         the whole state, as an object with its `hash` (a BigInt)
//   load(saved)    goes back to it
//   play(inputs)   plays one frame, the input of each player a number of 0..255; what it returns
//                  is kept until the frame is confirmed

const DEPTH_MAX = 40; // frames that may be predicted before the peer waits
const HISTORY = 240; // confirmed frames whose states are kept to find a difference
const PACKET_BYTES = 23; // without inputs

export class Peer {
  frame = 0; // the next frame to play
  confirmed = 0; // frames whose inputs are all known, played with them
  rollbacks = 0;
  depth = 0; // frames that the last call of `advance` played again
  bytesSent = 0;
  desync = null; // { frame, peer }: the first confirmed frame known to differ
  history = []; // of confirmed frames: { frame, hash, state }, the state being that after it

  #game;
  #inputs; // of each player: by frame, as far as they are known
  #acks; // of each player: how many of our inputs it has
  #wrong = Infinity; // the first frame played with a wrong prediction
  #states = []; // before frame `confirmed`, and before every later one: { state, inputs, result }
  #onConfirmed;
  #theirs = []; // hashes that came before the frame was confirmed here

  // me: this peer's player, 0..players - 1. delay: frames between pressing a button and its effect,
  // which hide as much latency. onConfirmed(frame, result, state) gets what the game returned and
  // the state after it, once for each frame, in order.
  constructor(game, me, players, delay, onConfirmed) {
    this.#game = game;
    this.me = me;
    this.#inputs = Array.from({ length: players }, () => new Array(delay).fill(0));
    this.#acks = new Array(players).fill(0);
    this.#acks[me] = Infinity;
    this.#states.push({ state: game.save() });
    this.#onConfirmed = onConfirmed;
  }

  // The last confirmed state, and the predicted one.
  get confirmedState() {
    return this.#states[0].state;
  }
  get predictedState() {
    return this.#states.at(-1).state;
  }

  // The state before a frame that is not confirmed yet, as it is known now; undefined for others.
  stateBefore(frame) {
    return this.#states[frame - this.confirmed]?.state;
  }

  // Plays a frame with this peer's input. False if too many frames are not confirmed: then call
  // again later.
  advance(input) {
    this.depth = 0;
    this.#repair();
    this.#confirm();
    if (this.frame - this.confirmed >= DEPTH_MAX) return false;
    this.#inputs[this.me].push(input);
    this.#play();
    this.#confirm();
    return true;
  }

  // Goes back to the first wrong frame, and plays all frames since then again.
  #repair() {
    if (this.#wrong >= this.frame) return;
    const present = this.frame;
    this.frame = this.#wrong;
    this.depth = present - this.frame;
    this.#wrong = Infinity;
    this.#states.length = this.frame - this.confirmed + 1;
    this.#game.load(this.predictedState);
    while (this.frame < present) this.#play();
    this.rollbacks++;
  }

  #play() {
    const last = this.#states.at(-1);
    last.inputs = this.#inputs.map((known) => this.#inputOf(known, this.frame));
    last.result = this.#game.play(last.inputs);
    this.#states.push({ state: this.#game.save() });
    this.frame++;
  }

  // A player's input: the real one, or the last that is known.
  #inputOf(known, frame) {
    return known[Math.min(frame, known.length - 1)] ?? 0;
  }

  #confirm() {
    const known = Math.min(this.frame, ...this.#inputs.map(({ length }) => length));
    while (this.confirmed < known) {
      const { result } = this.#states.shift();
      const state = this.confirmedState;
      this.history.push({ frame: this.confirmed, hash: state.hash, state });
      if (this.history.length > HISTORY) this.history.shift();
      this.#onConfirmed(this.confirmed, result, state);
      this.confirmed++;
    }
    this.#theirs = this.#theirs.filter((theirs) => !this.#compare(theirs));
  }

  // Compares another peer's hash of a confirmed frame with ours; false if the frame is not
  // confirmed here yet.
  #compare({ peer, frame, hash }) {
    if (frame >= this.confirmed) return false;
    const ours = this.history.find((entry) => entry.frame === frame);
    if (ours && ours.hash !== hash) this.desync ??= { frame, peer };
    return true;
  }

  // ---- packets: all inputs that the other has not acknowledged, so a loss costs only time ----

  packetFor(peer) {
    const ours = this.#inputs[this.me];
    const first = this.#acks[peer];
    const count = Math.min(255, ours.length - first);
    const packet = new DataView(new ArrayBuffer(PACKET_BYTES + count));
    packet.setUint8(0, this.me);
    packet.setUint32(1, this.#inputs[peer].length); // how many of its inputs we have
    packet.setUint32(5, first);
    packet.setUint8(9, count);
    const last = this.history.at(-1);
    packet.setUint8(10, last ? 1 : 0);
    packet.setUint32(11, last?.frame ?? 0);
    packet.setBigUint64(15, last?.hash ?? 0n);
    for (let i = 0; i < count; i++) packet.setUint8(PACKET_BYTES + i, ours[first + i]);
    this.bytesSent += packet.byteLength;
    return packet;
  }

  receive(packet) {
    const peer = packet.getUint8(0);
    this.#acks[peer] = Math.max(this.#acks[peer], packet.getUint32(1));
    const known = this.#inputs[peer];
    const first = packet.getUint32(5);
    for (let i = 0; i < packet.getUint8(9); i++) {
      if (first + i === known.length) this.#learn(peer, packet.getUint8(PACKET_BYTES + i));
    }
    if (packet.getUint8(10) === 1) {
      this.#theirs.push({ peer, frame: packet.getUint32(11), hash: packet.getBigUint64(15) });
    }
  }

  // The next real input of a player; if its frame was played with another one, the prediction was
  // wrong.
  #learn(peer, input) {
    const frame = this.#inputs[peer].length;
    this.#inputs[peer].push(input);
    const played = this.#states[frame - this.confirmed]?.inputs;
    if (frame < this.frame && played[peer] !== input) this.#wrong = Math.min(this.#wrong, frame);
  }

  // For a demonstration: changes the last confirmed state in place, as a broken machine would, and
  // plays on from there.
  corrupt(change) {
    change(this.confirmedState);
    if (this.frame === this.confirmed) this.#game.load(this.confirmedState);
    this.#wrong = Math.min(this.#wrong, this.confirmed);
  }
}

// The first frame in which the kept states of two peers differ: both entries of their histories, or
// null.
export function firstDifference(a, b) {
  for (const ours of a.history) {
    const theirs = b.history.find(({ frame }) => frame === ours.frame);
    if (theirs && theirs.hash !== ours.hash)
      return { frame: ours.frame, a: ours.state, b: theirs.state };
  }
  return null;
}
