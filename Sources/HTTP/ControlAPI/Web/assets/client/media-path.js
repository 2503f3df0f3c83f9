// Detects from the states of the two connections that media does not get through, and reports it
// after a while. Each side keeps restarting the connection on which it sends.

const toldAfter = 10000; // ms without a path; shorter interruptions recover by themselves

export class MediaPath {
  /** Whether media has been blocked for long enough to report it. */
  isBroken = false;
  #timers = new Map(); // name of a blocked connection → its timer
  #broken = new Set(); // names
  #onChange;

  /** @param {(isBroken: boolean) => void} onChange */
  constructor(onChange) {
    this.#onChange = onChange;
  }

  /**
   * Takes a connection's state.
   * @param {"publish"|"subscribe"} name
   * @param {RTCPeerConnectionState} state
   */
  take(name, state) {
    // A new connection has not been used yet.
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
