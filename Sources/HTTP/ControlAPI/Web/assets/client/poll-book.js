// The polls of the session, in the page's form. Pure: messages in, facts out.

/** The wire's names of the kinds of question. */
export const kinds = {
  one: "single-choice",
  several: "multiple-choice",
  short: "short-answer",
  long: "long-answer",
};

/**
 * Running and ended polls, from the server's messages. A poll is {id, title, isQuiz, isAnonymous,
 * isRunning, startedBy, startedAt, voters, questions, standings}; `questions` is null until they
 * are known, each {index, text, kind, options, total, own}. An option is {index, text, votes,
 * isRight}; `votes` is null while unknown, `own` is null until we have answered: {options, text}.
 * The standings are best first, each {position, peer, name, score}.
 */
export class PollBook {
  #polls = new Map();

  /** Running polls come first, and the newest of each kind before the others. */
  get polls() {
    const order = (a, b) => b.isRunning - a.isRunning || b.startedAt - a.startedAt;
    return [...this.#polls.values()].sort(order);
  }

  get runningCount() {
    return [...this.#polls.values()].filter((poll) => poll.isRunning).length;
  }

  /**
   * Takes one notification.
   * @returns {[string, object][]} the changes, as the client's events: `poll-started` and
   *   `poll-stopped` are news, after which the details must be requested; `polls` means that
   *   answers were counted; empty for other methods
   */
  take(method, { polls = [] }) {
    switch (method) {
      case "on-poll-start":
      case "on-poll-stop":
        return polls.flatMap((info) => this.put(info));
      case "on-poll-stats":
        return polls.flatMap((result) => this.#count(result));
      default:
        return [];
    }
  }

  /** Takes an entry of the server's list. @returns as `take` */
  put(info) {
    const before = this.#polls.get(info.poll_id);
    const poll = {
      questions: null,
      standings: [],
      voters: 0,
      ...before,
      id: info.poll_id,
      title: info.title,
      isQuiz: info.type === "quiz",
      isAnonymous: Boolean(info.anonymous),
      isRunning: info.state === "started",
      startedBy: info.started_by ?? null,
      startedAt: info.started_at ?? 0,
    };
    this.#polls.set(poll.id, poll);
    if (before?.isRunning === poll.isRunning) return [];
    return [[poll.isRunning ? "poll-started" : "poll-stopped", poll]];
  }

  /** Forgets polls that the server does not list. @param {object[]} infos the whole list */
  keep(infos) {
    const ids = new Set(infos.map((info) => info.poll_id));
    for (const id of this.#polls.keys()) if (!ids.has(id)) this.#polls.delete(id);
  }

  /** Takes the result of `Polls.details`. */
  fill(id, { questions, responses, result }) {
    const poll = this.#polls.get(id);
    if (!poll) return;
    const own = new Map(responses.map(({ response }) => [response.question, ownOf(response)]));
    poll.questions = questions.map(({ question, options = [], answer }) => ({
      index: question.index,
      text: question.text,
      kind: question.type,
      total: 0,
      own: own.get(question.index) ?? null,
      options: options.map(({ index, text }) => ({
        index,
        text,
        votes: null,
        isRight: rightOf(answer).includes(index),
      })),
    }));
    this.#count(result);
  }

  /** Whether the poll has standings: an anonymous quiz has none. */
  isRanked(id) {
    const poll = this.#polls.get(id);
    return Boolean(poll?.isQuiz && !poll.isAnonymous && !poll.isRunning);
  }

  /** Takes the result of `Polls.standings`. */
  rank(id, { questions: entries }) {
    const poll = this.#polls.get(id);
    if (!poll) return;
    poll.standings = entries.map(({ position, score, peer }) => ({
      position,
      score,
      peer: peer.peerid ?? null,
      name: peer.username ?? "",
    }));
  }

  /** Our answer, before the server reports it. @param {object[]} answers as in `Polls.answer` */
  answered(id, answers) {
    for (const { question: index, ...answer } of answers) {
      const question = this.#polls.get(id)?.questions?.find((one) => one.index === index);
      if (question) question.own = ownOf(answer);
    }
  }

  #count(result) {
    const poll = this.#polls.get(result.poll_id);
    if (!poll) return [];
    poll.voters = result.user_count;
    for (const { question: index, options = [], total } of result.questions) {
      const question = poll.questions?.find((one) => one.index === index);
      if (!question) continue;
      question.total = total;
      for (const option of question.options) option.votes = options[option.index - 1] ?? null;
    }
    return [["polls", {}]];
  }
}

function ownOf({ option, options, text = "" }) {
  return { options: options ?? (option ? [option] : []), text };
}

function rightOf(answer) {
  return answer?.options ?? (answer?.option ? [answer.option] : []);
}

/** In whole per cent; 0 without voters. */
export function share(votes, total) {
  return total > 0 ? Math.round((100 * votes) / total) : 0;
}
