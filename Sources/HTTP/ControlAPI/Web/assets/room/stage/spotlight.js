// Chooses the large peer of the speaker view: the active speaker, with some patience. Pure.

const reportsNeeded = 2; // in a row: a cough does not change the picture

export class Spotlight {
  /** The large peer, or null until a peer has spoken. */
  peerID = null;
  /** Peer → the number of the last report in which it spoke. */
  spoke = new Map();
  #reports = 0;
  #candidate = null;
  #times = 0;

  /**
   * Takes a report of active speakers, which comes each second while there are any.
   * @param {Map<string, number>} levels of the active speakers, by peer
   */
  take(levels) {
    this.#reports += 1;
    for (const id of levels.keys()) this.spoke.set(id, this.#reports);
    const [loudest = null] = [...levels].sort(([, a], [, b]) => b - a).map(([id]) => id);
    if (loudest === null || loudest === this.peerID) {
      this.#candidate = null;
      return;
    }
    this.#times = loudest === this.#candidate ? this.#times + 1 : 1;
    this.#candidate = loudest;
    if (this.peerID !== null && this.#times < reportsNeeded) return;
    this.peerID = loudest;
    this.#candidate = null;
  }

  /** A peer has left. */
  forget(id) {
    this.spoke.delete(id);
    if (this.peerID === id) this.peerID = null;
  }
}
