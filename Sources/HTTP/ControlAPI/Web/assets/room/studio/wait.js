// How long something has been in its present state, and when that is worth a word.

const patience = 10000; // ms

export class Wait {
  #state = null;
  #since = 0;
  #timer = null;
  #onLong;

  /** @param {() => void} onLong it takes longer than usual */
  constructor(onLong) {
    this.#onLong = onLong;
  }

  /**
   * @param {string} state
   * @param {boolean} isWaiting whether it should soon be over
   * @returns {number} seconds in this state
   */
  in(state, isWaiting) {
    if (state !== this.#state) {
      this.#state = state;
      this.#since = performance.now();
      clearTimeout(this.#timer);
      if (isWaiting) this.#timer = setTimeout(() => this.#onLong(), patience + 50);
    }
    return (performance.now() - this.#since) / 1000;
  }
}
