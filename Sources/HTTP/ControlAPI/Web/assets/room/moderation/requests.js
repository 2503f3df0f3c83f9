// What others ask of us, one question at a time.

import { ask } from "../../common/dialog.js";

export class Requests {
  #waiting = new Map(); // key → question; the newest of a key counts
  #isAsking = false;
  #open = null; // takes back what is being asked

  /**
   * @param {string} key what it is about; what waits about the same thing is of no interest any more
   * @param {{title: string, text: string, confirm: string, refuse: string}} question
   * @param {() => void} onConfirm
   */
  add(key, question, onConfirm) {
    this.#waiting.set(key, { question, onConfirm });
    if (!this.#isAsking) this.#next();
  }

  /** None of it is of interest any more; it is as if all was refused. */
  clear() {
    this.#waiting.clear();
    this.#open?.abort();
  }

  async #next() {
    this.#isAsking = true;
    while (this.#waiting.size > 0) {
      const [[key, { question, onConfirm }]] = this.#waiting;
      this.#waiting.delete(key);
      this.#open = new AbortController();
      const { signal } = this.#open;
      if (await ask({ ...question, isUnasked: true, signal })) onConfirm();
    }
    this.#isAsking = false;
  }
}
