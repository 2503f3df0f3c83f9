// Which layer to load next. Never to stall comes first: it starts low, goes up with a margin and by
// one step at a time, and down at once. Pure: bytes and times go in.

const fast = 2; // s, half-lives of the two averages
const slow = 8;
const bytesMinimum = 8_000; // smaller answers say little about the network
const upShare = 0.65; // of the measured rate may be used by a higher layer
const keepShare = 0.9; // and by the current one
const penalty = 20; // s before a layer that failed is tried again; doubled each time
const penaltyMaximum = 320;
const failureTime = 15; // s after going up in which going down again is a failure
const probeInterval = 12; // s without a usable measurement before the next layer is simply tried

/**
 * A mean rate whose past counts half with each `halfLife` seconds of transfer. It is harmonic: it
 * averages the time for a bit, so that slow answers count at once, and fast ones only in numbers.
 */
class Average {
  #halfLife;
  #time = 0; // s/bit
  #weight = 0;

  constructor(halfLife) {
    this.#halfLife = halfLife;
  }

  add(rate, seconds) {
    const old = 0.5 ** (seconds / this.#halfLife);
    this.#time = this.#time * old + (1 - old) / rate;
    this.#weight = this.#weight * old + (1 - old);
  }

  get rate() {
    return this.#weight > 0 ? this.#weight / this.#time : 0;
  }
}

export class Throughput {
  #fast = new Average(fast);
  #slow = new Average(slow);
  #measured = -Infinity;

  /** @param {number} now s */
  add(bytes, seconds, now) {
    if (bytes < bytesMinimum) return;
    // An answer from a cache takes no time at all.
    const rate = (bytes * 8) / Math.max(seconds, 0.004);
    const weight = Math.max(seconds, 0.25);
    this.#fast.add(rate, weight);
    this.#slow.add(rate, weight);
    this.#measured = now;
  }

  /** In bit/s; 0 without a measurement. */
  get rate() {
    return Math.min(this.#fast.rate, this.#slow.rate);
  }

  age(now) {
    return now - this.#measured;
  }
}

export class LayerChoice {
  #layers;
  #current;
  #changed = -Infinity;
  #wentUp = -Infinity;
  #penalties = new Map(); // by layer: until when, and how long the next one is

  /** @param {{bitrate: number, height: number}[]} layers best first */
  constructor(layers) {
    this.#layers = layers;
    this.#current = layers.length - 1;
  }

  get current() {
    return this.#current;
  }

  /**
   * The layer for the next segment.
   * @param {object} state
   * @param {number} state.rate measured, in bit/s
   * @param {number} state.age of the measurement, in s
   * @param {number} state.ahead buffered media, in s
   * @param {number} state.danger less than that is dangerous
   * @param {number} state.height of the picture on the screen, in its pixels; 0 if not known
   * @param {number} state.now s
   */
  next({ rate, age, ahead, danger, height, now }) {
    const best = this.#bestFor(height);
    let wanted = this.#current;
    if (ahead < danger && now - this.#changed > 1) wanted = this.#below(rate * upShare);
    else if (rate > 0 && this.#layers[wanted].bitrate > rate * keepShare && age < probeInterval) {
      wanted = this.#below(rate * upShare);
    } else if (ahead >= 1.5 * danger) wanted = this.#higher(rate, age, now);
    if (wanted < this.#current && wanted < best) wanted = Math.min(this.#current, best);
    if (wanted > this.#current) this.#failed(now);
    this.#take(wanted, now);
    return this.#current;
  }

  /** A layer that the viewer asked for, or that an abandoned transfer leaves. */
  set(layer, now) {
    this.#take(layer, now);
  }

  /** Whether a transfer at this rate has to give way to a smaller layer. */
  isTooMuch(rate) {
    return this.#below(rate * upShare) > this.#current;
  }

  /** The transfer is too slow: the layer that fits the rate seen. */
  abandon(rate, now) {
    const lower = Math.max(this.#below(rate * upShare), this.#current);
    if (lower > this.#current) this.#failed(now);
    this.#take(lower, now);
    return this.#current;
  }

  #take(layer, now) {
    if (layer === this.#current) return;
    if (layer < this.#current) this.#wentUp = now;
    this.#changed = now;
    this.#current = layer;
  }

  /** No more lines than the screen can show, but the next larger layer. */
  #bestFor(height) {
    if (!height) return 0;
    const enough = this.#layers.findLastIndex((one) => one.height >= height);
    return Math.max(enough, 0);
  }

  /** The best layer within a rate that is not better than the current one. */
  #below(rate) {
    const found = this.#layers.findIndex(
      (one, index) => index >= this.#current && one.bitrate <= rate);
    return found < 0 ? this.#layers.length - 1 : found;
  }

  #higher(rate, age, now) {
    const next = this.#current - 1;
    if (next < 0 || now - this.#changed < 2) return this.#current;
    const punished = this.#penalties.get(next);
    if (punished && now < punished.until) return this.#current;
    if (age < probeInterval) {
      return this.#layers[next].bitrate <= rate * upShare ? next : this.#current;
    }
    // Parts arrive as they are made, which says nothing about the network.
    return now - this.#changed >= probeInterval ? next : this.#current;
  }

  #failed(now) {
    if (now - this.#wentUp > failureTime) return;
    const seconds = Math.min(this.#penalties.get(this.#current)?.next ?? penalty, penaltyMaximum);
    this.#penalties.set(this.#current, { until: now + seconds, next: 2 * seconds });
  }
}
