// Whether media gets through, by what the two connections say of themselves: when that is to be told,
// and when only a new socket helps.

const toldAfter = 10000; // ms without a way; shorter breaks mend themselves
// Within 35 s the server has restarted three times what it sends on, and then waits for a new socket.
const givenUpAfter = 40000; // ms

export class MediaPath {
  /** Whether it is so for long enough to be told that something does not get through. */
  isBroken = false;
  #timers = new Map(); // name of a connection without a way → its timers
  #broken = new Set(); // names
  #onChange;
  #onGivenUp;

  /**
   * @param {{onChange: (isBroken: boolean) => void, onGivenUp: () => void}} handlers onGivenUp: the
   *   server restarts its own connection no more; told again and again until that one works
   */
  constructor({ onChange, onGivenUp }) {
    this.#onChange = onChange;
    this.#onGivenUp = onGivenUp;
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
    const told = setTimeout(() => {
      this.#broken.add(name);
      this.#compare();
    }, toldAfter);
    const givenUp = name === "subscribe" && setInterval(() => this.#onGivenUp(), givenUpAfter);
    this.#timers.set(name, { told, givenUp });
  }

  /** The connections are gone. */
  forget() {
    for (const name of [...this.#timers.keys()]) this.#stop(name);
  }

  #stop(name) {
    const { told, givenUp } = this.#timers.get(name) ?? {};
    clearTimeout(told);
    clearInterval(givenUp);
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
