// How far the server's clock is from the viewer's, by the `Date` of its answers, which has whole
// seconds. Pure.

const tolerance = 0.05; // s

export class ServerClock {
  #least = -Infinity;
  #most = Infinity;

  /**
   * @param {number} date the header's time
   * @param {number} asked when the request left, and when its answer came, by the viewer's clock;
   *   all in s since 1970
   */
  add(date, asked, answered) {
    this.#least = Math.max(this.#least, date - answered);
    this.#most = Math.min(this.#most, date + 1 - asked);
    if (this.#least <= this.#most + tolerance) return;
    // One of the clocks was set: only the newest answer counts.
    this.#least = date - answered;
    this.#most = date + 1 - asked;
  }

  /** The server's clock minus the viewer's, in s. A difference that may be none is none. */
  get offset() {
    if (this.#least <= tolerance && this.#most >= -tolerance) return 0;
    return (this.#least + this.#most) / 2;
  }
}
