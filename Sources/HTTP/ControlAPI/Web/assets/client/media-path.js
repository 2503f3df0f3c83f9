// Whether media gets through, by what the two connections say of themselves, and when that is to be
// told. Each side goes on restarting the connection on which it sends.

const toldAfter = 10000; // ms without a way; shorter breaks mend themselves

export class MediaPath {
  /** Whether it is so for long enough to be told that something does not get through. */
  isBroken = false;
  #timers = new Map(); // name of a connection without a way → when that is told
  #broken = new Set(); // names
  #onChange;

  /** @param {(isBroken: boolean) => void} onChange */
  constructor(onChange) {
    this.#onChange = onChange;
  }

  /**
   * Takes what a connection has come to.
   * @param {"publish"|"subscribe"} name
   * @param {RTCPeerConnectionState} state
   */
  take(name, state) {
    // A new one has not been asked for anything.
    if (["new", "connected", "closed"].includes(state)) return this.#stop(name);
    if (this.#timers.has(name)) return;
    const timer = setTimeout(() => {
      this.#broken.add(name);
      this.#compare();
    }, toldAfter);
    this.#timers.set(name, timer);
  }

  /** The connections are gone. */
  forget() {
    for (const name of [...this.#timers.keys()]) this.#stop(name);
  }

  #stop(name) {
    clearTimeout(this.#timers.get(name));
    this.#timers.delete(name);
    this.#broken.delete(name);
    this.#compare();
  }

  #compare() {
    const isBroken = this.#broken.size > 0;
    if (isBroken === this.isBroken) return;
    this.isBroken = isBroken;
    this.#onChange(isBroken);
  }
}
