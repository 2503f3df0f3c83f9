// A participant's calls about polls and quizzes. The server checks each call against the
// permissions of one's role.

const page = 50; // the most polls, questions or answers that the server returns at once
const ranked = 10; // the most entries of the standings

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
   *   kind: as in `kinds` of poll-book.js; right: the right options of a quiz, from 1
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
   *   options: from 1; duration: the time it took, in ms
   */
  answer(id, answers) {
    return this.#call("poll-response", { poll_id: id, responses: answers });
  }

  /** The server's list of started polls, in the form that `PollBook.put` reads. */
  async list() {
    const lists = [];
    for (const state of ["started", "stopped"]) {
      lists.push((await this.#call("poll-list", { state, count: page })).polls);
    }
    return lists.flat();
  }

  /** A poll's questions, our answers, and the numbers, in the form that `PollBook.fill` reads. */
  async details(id) {
    const ask = (method, params) => this.#call(method, { poll_id: id, ...params });
    const all = { index: 0, count: page };
    const { questions } = await ask("poll-questions-get", all);
    const { responses } = await ask("poll-responses", { ...all, self: true });
    return { questions, responses, result: await ask("poll-result") };
  }

  /** The standings of an ended quiz, in the form that `PollBook.rank` reads. */
  standings(id) {
    return this.#call("poll-leaderboard", { poll_id: id, count: ranked });
  }
}

function asked({ text, kind, options, right }, place) {
  const hasRight = right.length > 0;
  return {
    // Quiz answers are final, and the right ones are revealed at the end.
    question: { index: place + 1, text, type: kind, once: hasRight },
    options: options.map((option, index) => ({ index: index + 1, text: option })),
    ...(hasRight ? { answer: { hidden: true, options: right } } : {}),
  };
}
