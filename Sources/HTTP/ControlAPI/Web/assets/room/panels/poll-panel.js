// Polls: questions for all, the answers as bars, and a form for new ones.

import { kinds, share } from "../../client/poll-book.js";
import { byID, element, reconcile, setText } from "../../common/dom.js";
import { PollForm } from "./poll-form.js";
import { t, tn } from "../../common/texts.js";

const node = {
  list: byID("polls"),
  none: byID("polls-none"),
};

export class PollPanel {
  #rules;
  #form;
  #mayWrite = false;

  /**
   * @param {{onStart: (draft: object) => Promise<boolean>, onStop: (id: string) => void,
   *          onAnswer: (id: string, answers: object[]) => Promise<boolean>,
   *          nameOf: (peerID: string?, known?: string) => string,
   *          isOwn: (poll: object) => boolean}} rules the callbacks report their failures, and
   *   return whether it worked; `known` is the name of a peer that has left
   */
  constructor(rules) {
    this.#rules = rules;
    this.#form = new PollForm({ onStart: rules.onStart });
  }

  /** @param {boolean} mayWrite whether the role may make polls */
  allow(mayWrite) {
    this.#mayWrite = mayWrite;
    this.#form.allow(mayWrite);
  }

  /** @param {object[]} polls see poll-book.js */
  show(polls) {
    reconcile(node.list, polls, {
      key: (poll) => poll.id,
      create: (poll) => this.#create(poll),
      update: (item, poll) => this.#update(item, poll),
    });
    setText(node.none, polls.length === 0 ? t("No polls yet.") : "");
  }

  #create(poll) {
    const id = `poll-${poll.id}`;
    const stop = element(
      "button",
      { class: "button", type: "button", "data-testid": "stop-poll",
        "aria-describedby": id, onclick: () => this.#rules.onStop(poll.id) },
      t("Stop"),
    );
    return element(
      "li",
      { class: "poll", "data-testid": "poll" },
      element(
        "article",
        { "aria-labelledby": id },
        element("div", { class: "poll-head" }, element("h3", { id, tabindex: "-1" }), stop),
        element("p", { class: "poll-state quiet" }),
        element("div", { class: "poll-questions" }),
        element(
          "section",
          { class: "poll-standings", "aria-labelledby": `${id}-standings` },
          element("h4", { id: `${id}-standings` }, t("Standings")),
          element("ol", {}),
        ),
      ),
    );
  }

  #update(item, poll) {
    setText(item.querySelector("h3"), poll.title || t("Poll"));
    setText(item.querySelector(".poll-state"), this.#stateOf(poll));
    const stop = item.querySelector(".poll-head button");
    const hadFocus = stop === document.activeElement;
    stop.hidden = !(this.#mayWrite && poll.isRunning);
    if (hadFocus && stop.hidden) item.querySelector("h3").focus();
    reconcile(item.querySelector(".poll-questions"), poll.questions ?? [], {
      key: (question) => keyOf(poll, question),
      create: (question) =>
        isOpen(poll, question) ? this.#ask(poll, question, item) : resultOf(poll, question),
      update: (part, question) => {
        if (!isOpen(poll, question)) showResult(part, poll, question);
      },
    });
    this.#showStandings(item.querySelector(".poll-standings"), poll.standings);
  }

  #showStandings(part, standings) {
    part.hidden = standings.length === 0;
    reconcile(part.querySelector("ol"), standings, {
      key: ({ position }) => String(position),
      create: () => element("li", { "data-testid": "poll-standing" }),
      update: (row, { peer, name, score }) => {
        const points = tn(score, { one: "{count} point", other: "{count} points" });
        setText(row, `${this.#rules.nameOf(peer, name)} · ${points}`);
      },
    });
  }

  #stateOf(poll) {
    const parts = [poll.isRunning ? t("Running") : t("Over")];
    if (poll.isQuiz) parts.push(t("quiz"));
    if (poll.startedBy) {
      parts.push(this.#rules.isOwn(poll) ? t("asked by you")
        : t("asked by {name}", { name: this.#rules.nameOf(poll.startedBy) }));
    }
    if (poll.isAnonymous) parts.push(t("anonymous"));
    parts.push(tn(poll.voters, { one: "{count} has answered", other: "{count} have answered" }));
    return parts.join(" · ");
  }

  /** A question that we have not answered yet. */
  #ask(poll, question, item) {
    const shownAt = performance.now();
    const isWords = question.options.length === 0;
    const name = `answer-${poll.id}-${question.index}`;
    const type = question.kind === kinds.several ? "checkbox" : "radio";
    const fields = isWords
      ? [wordsField(question)]
      : question.options.map(({ index, text }) =>
          element("label", { class: "option" },
            element("input", { type, name, value: index }), element("span", {}, text)));
    const send = element("button", { class: "button button-primary", type: "submit" }, t("Answer"));
    const submitted = async (event) => {
      event.preventDefault();
      const answer = answerOf(question, event.target);
      if (!answer) return;
      const hadFocus = item.contains(document.activeElement);
      const duration = Math.round(performance.now() - shownAt);
      const isTaken = await this.#rules.onAnswer(poll.id, [{ ...answer, duration }]);
      // The focused button is gone; the result is read next.
      if (isTaken && hadFocus) item.querySelector("h3").focus();
    };
    return element(
      "form",
      { class: "poll-question", onsubmit: submitted },
      element("fieldset", { class: "options" }, element("legend", {}, question.text), ...fields),
      send,
    );
  }
}

const isOpen = (poll, question) => poll.isRunning && question.own === null;

/** A new key makes a new element: for a question that was answered, or is over. */
const keyOf = (poll, question) => `${question.index}-${isOpen(poll, question) ? "open" : "shown"}`;

function wordsField(question) {
  const attributes = { class: "field", "aria-label": question.text, maxlength: 1024,
    required: true };
  return question.kind === kinds.long
    ? element("textarea", { ...attributes, rows: 3 }) : element("input", attributes);
}

function answerOf(question, form) {
  if (question.options.length === 0) {
    const text = form.querySelector(".field").value.trim();
    return text ? { question: question.index, text } : null;
  }
  const chosen = [...form.querySelectorAll("input:checked")].map((input) => Number(input.value));
  return chosen.length > 0 ? { question: question.index, options: chosen } : null;
}

/** The answers. */
function resultOf(poll, question) {
  const id = `poll-${poll.id}-${question.index}`;
  return element(
    "div",
    { class: "poll-question", role: "group", "aria-labelledby": id },
    element("h4", { id, tabindex: "-1" }, question.text), // gets the focus of the replaced form
    element("ul", { class: "bars" }),
    element("p", { class: "poll-words quiet" }),
  );
}

function showResult(part, poll, question) {
  reconcile(part.querySelector(".bars"), question.options, {
    key: (option) => String(option.index),
    create: ({ text }) => element("li", { "data-testid": "poll-bar" },
      element("span", { class: "bar-text" }, text), element("span", { class: "bar-count" }),
      element("span", { class: "bar", "aria-hidden": "true" }, element("i"))),
    update: (bar, option) => showBar(bar, poll, question, option),
  });
  setText(part.querySelector(".poll-words"), wordsOf(question));
}

function showBar(bar, poll, question, option) {
  const isOwn = question.own?.options.includes(option.index) ?? false;
  const isShown = option.votes !== null;
  const percent = share(option.votes ?? 0, question.total);
  const notes = [];
  if (isShown) notes.push(`${option.votes} · ${percent} %`);
  if (isOwn) notes.push(t("your answer"));
  if (option.isRight && !poll.isRunning) notes.push(t("right"));
  setText(bar.querySelector(".bar-count"), notes.join(", "));
  bar.classList.toggle("is-own", isOwn);
  bar.querySelector(".bar").hidden = !isShown;
  bar.style.setProperty("--share", `${percent}%`);
}

function wordsOf(question) {
  if (question.options.length > 0) return "";
  const answer = question.own?.text;
  return answer
    ? tn(question.total, { one: "{count} answer. Yours: {answer}",
      other: "{count} answers. Yours: {answer}" }, { answer })
    : tn(question.total, { one: "{count} answer", other: "{count} answers" });
}
