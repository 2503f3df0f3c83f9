/** Runs asynchronous jobs one after the other. */
export class Queue {
  #tail = Promise.resolve();

  /** @returns {Promise<*>} what the job comes to */
  run(job) {
    const result = this.#tail.then(job);
    this.#tail = result.catch(() => {});
    return result;
  }
}
