// A network in virtual time: packets are late by a latency and some jitter, and some never arrive.

// Repeatable numbers of 0..1, for the network and for bots; nothing of the match depends on them
// but through inputs.
export function dice(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let z = state;
    z = Math.imul(z ^ (z >>> 16), 0x85ebca6b);
    z = Math.imul(z ^ (z >>> 13), 0xc2b2ae35);
    return ((z ^ (z >>> 16)) >>> 0) / 2 ** 32;
  };
}

export class Network {
  packets = []; // in flight: { from, to, packet, sent, due, isLost }
  #roll;

  constructor(seed) {
    this.#roll = dice(seed);
  }

  // conditions: { latency, jitter } in milliseconds, { loss } of 0..1. What is lost stays in
  // flight, for those who watch.
  send(from, to, packet, now, { latency, jitter, loss }) {
    const isLost = this.#roll() < loss;
    this.packets.push({
      from,
      to,
      packet,
      sent: now,
      due: now + latency + this.#roll() * jitter,
      isLost,
    });
  }

  // Hands over the packets that have arrived by now: receive(from, to, packet).
  deliver(now, receive) {
    const arrived = this.packets.filter(({ due }) => due <= now).sort((a, b) => a.due - b.due);
    if (arrived.length === 0) return;
    this.packets = this.packets.filter(({ due }) => due > now);
    for (const { from, to, packet, isLost } of arrived) if (!isLost) receive(from, to, packet);
  }
}
