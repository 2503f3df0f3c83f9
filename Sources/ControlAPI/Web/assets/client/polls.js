// Polls and quizzes: what a participant asks of the server about them. Each call is checked there
// against the permissions of one's role.

const page = 50; // the most that the server gives of polls, questions or answers at once

export class Polls {
  #call;

  /** @param {(method: string, params: object) => Promise<object>} call of the signalling */
  constructor(call) {
    this.#call = call;
  }

  /**
   * Makes a poll and starts it.
   * @param {{title: string, isAnonymous: boolean,
   *          questions: {text: string, kind: string, options: string[]}[]}} draft kind: as in
   *   `kinds` of poll-book.js
   * @throws {SignalError} as all calls here
   */
  async start({ title, isAnonymous, questions }) {
    const { poll_id: id } = await this.#call("poll-info-set", {
      title,
      type: "poll",
      anonymous: isAnonymous,
    });
    await this.#call("poll-questions-set", { poll_id: id, questions: questions.map(asked) });
    await this.#call("poll-start", { poll_id: id });
  }

  stop(id) {
    return this.#call("poll-stop", { poll_id: id });
  }

  /** @param {{question: number, options?: number[], text?: string}[]} answers options: from 1 */
  answer(id, answers) {
    return this.#call("poll-response", { poll_id: id, responses: answers });
  }

  /** What the server knows of polls that have started, as `PollBook.take` reads it. */
  async list() {
    const lists = [];
    for (const state of ["started", "stopped"]) {
      lists.push((await this.#call("poll-list", { state, count: page })).polls);
    }
    return lists.flat();
  }

  /** A poll's questions, what we answered, and the numbers, as `PollBook.fill` reads them. */
  async details(id) {
    const ask = (method, params) => this.#call(method, { poll_id: id, ...params });
    const all = { index: 0, count: page };
    const { questions } = await ask("poll-questions-get", all);
    const { responses } = await ask("poll-responses", { ...all, self: true });
    return { questions, responses, result: await ask("poll-result") };
  }
}

function asked({ text, kind, options }, place) {
  return {
    question: { index: place + 1, text, type: kind },
    options: options.map((option, index) => ({ index: index + 1, text: option })),
  };
}
