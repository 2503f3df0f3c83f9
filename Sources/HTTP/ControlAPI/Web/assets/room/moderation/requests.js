// Requests from others, one question at a time.

import { ask } from "../../common/dialog.js";

export class Requests {
  #waiting = new Map(); // key → question; the newest for a key counts
  #isAsking = false;
  #open = null; // cancels the open question

  /**
   * @param {string} key the subject; replaces a waiting question about the same subject
   * @param {{title: string, text: string, confirm: string, refuse: string}} question
   * @param {() => void} onConfirm
   */
  add(key, question, onConfirm) {
    this.#waiting.set(key, { question, onConfirm });
    if (!this.#isAsking) this.#next();
  }

  /** Drops all questions, as if they were refused. */
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
