/** Runs asynchronous jobs one after the other. */
export class Queue {
  #tail = Promise.resolve();

  /** @returns {Promise<*>} the job's result */
  run(job) {
    const result = this.#tail.then(job);
    this.#tail = result.catch(() => {});
    return result;
  }
}
