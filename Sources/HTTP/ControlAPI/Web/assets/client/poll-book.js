// The polls of the session, as the page wants to read them. Pure: messages in, facts out.

/** What the wire calls the kinds of question. */
export const kinds = {
  one: "single-choice",
  several: "multiple-choice",
  short: "short-answer",
  long: "long-answer",
};

/**
 * Polls that run or are over, by what the server says of them. A poll is
 * {id, title, isQuiz, isAnonymous, isRunning, startedBy, startedAt, voters, questions, standings};
 * `questions` is null until they are known, each {index, text, kind, options, total, own}. An option
 * is {index, text, votes, isRight}; `votes` is null where nobody says, `own` is null until we
 * answered: {options, text}. Of the standings, best first, each is {position, peer, name, score}.
 */
export class PollBook {
  #polls = new Map();

  /** Those that run come first, the newest of each before the others. */
  get polls() {
    const order = (a, b) => b.isRunning - a.isRunning || b.startedAt - a.startedAt;
    return [...this.#polls.values()].sort(order);
  }

  get runningCount() {
    return [...this.#polls.values()].filter((poll) => poll.isRunning).length;
  }

  /**
   * Takes one notification.
   * @returns {[string, object][]} what changed, as the client's events: `poll-started` and
   *   `poll-stopped` are news, after which the details are to be asked for, `polls` that answers
   *   were counted; empty for others' methods
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

  /** What the server lists. @returns as `take` */
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

  /** Forgets those that the server does not list. @param {object[]} infos all that it does */
  keep(infos) {
    const ids = new Set(infos.map((info) => info.poll_id));
    for (const id of this.#polls.keys()) if (!ids.has(id)) this.#polls.delete(id);
  }

  /** What `Polls.details` found out. */
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

  /** Whether there are standings of it: nobody knows who did well in what is anonymous. */
  isRanked(id) {
    const poll = this.#polls.get(id);
    return Boolean(poll?.isQuiz && !poll.isAnonymous && !poll.isRunning);
  }

  /** What `Polls.standings` found out. */
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

  /** What we answered, before anybody says so. @param {object[]} answers as `Polls.answer` has it */
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

/** Of a hundred, in whole numbers; of nobody it is none. */
export function share(votes, total) {
  return total > 0 ? Math.round((100 * votes) / total) : 0;
}
