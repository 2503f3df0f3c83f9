// What others ask of us, one question at a time.

import { ask } from "./dialog.js";

export class Requests {
  #waiting = new Map(); // key → question; the newest of a key counts
  #isAsking = false;

  /**
   * @param {string} key what it is about; what waits about the same thing is of no interest any more
   * @param {{title: string, text: string, confirm: string, refuse: string}} question
   * @param {() => void} onConfirm
   */
  add(key, question, onConfirm) {
    this.#waiting.set(key, { question, onConfirm });
    if (!this.#isAsking) this.#next();
  }

  clear() {
    this.#waiting.clear();
  }

  async #next() {
    this.#isAsking = true;
    while (this.#waiting.size > 0) {
      const [[key, { question, onConfirm }]] = this.#waiting;
      this.#waiting.delete(key);
      if (await ask({ ...question, isUnasked: true })) onConfirm();
    }
    this.#isAsking = false;
  }
}
