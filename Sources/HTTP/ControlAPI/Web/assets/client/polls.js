// Polls and quizzes: what a participant asks of the server about them. Each call is checked there
// against the permissions of one's role.

const page = 50; // the most that the server gives of polls, questions or answers at once
const ranked = 10; // how many are shown of those who did best

export class Polls {
  #call;

  /** @param {(method: string, params: object) => Promise<object>} call of the signalling */
  constructor(call) {
    this.#call = call;
  }

  /**
   * Makes a poll and starts it.
   * @param {{title: string, isQuiz: boolean, isAnonymous: boolean,
   *          questions: {text: string, kind: string, options: string[], right: number[]}[]}} draft
   *   kind: as in `kinds` of poll-book.js; right: those of a quiz' options that are, from 1
   * @throws {SignalError} as all calls here
   */
  async start({ title, isQuiz, isAnonymous, questions }) {
    const { poll_id: id } = await this.#call("poll-info-set", {
      title,
      type: isQuiz ? "quiz" : "poll",
      anonymous: isAnonymous,
    });
    await this.#call("poll-questions-set", { poll_id: id, questions: questions.map(asked) });
    await this.#call("poll-start", { poll_id: id });
  }

  stop(id) {
    return this.#call("poll-stop", { poll_id: id });
  }

  /**
   * @param {{question: number, options?: number[], text?: string, duration: number}[]} answers
   *   options: from 1; duration: how long it took, in ms
   */
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

  /** Who did best in a quiz that is over, as `PollBook.rank` reads it. */
  standings(id) {
    return this.#call("poll-leaderboard", { poll_id: id, count: ranked });
  }
}

function asked({ text, kind, options, right }, place) {
  const hasRight = right.length > 0;
  return {
    // What is right or wrong counts for good, and is not told before the end.
    question: { index: place + 1, text, type: kind, once: hasRight },
    options: options.map((option, index) => ({ index: index + 1, text: option })),
    ...(hasRight ? { answer: { hidden: true, options: right } } : {}),
  };
}
