// The form for a new poll.

import { kinds } from "../../client/poll-book.js";
import { checkbox, labelled } from "../../common/dialog.js";
import { byID, element } from "../../common/dom.js";
import { t, tc } from "../../common/texts.js";

const optionsMaximum = 20;
const questionsMaximum = 20;
const textMaximum = 500; // characters of a title, a question or an option

const node = {
  open: byID("new-poll"),
  form: byID("poll-form"),
};

export class PollForm {
  #onStart;
  #questions = element("div", { class: "poll-drafts" });
  #title = field("poll-title", { required: true });
  #isQuiz = checkbox(t("Quiz"),
    t("Some options are right. Who knew most is shown when it is over."));
  #isAnonymous = checkbox(t("Anonymous"), t("Nobody sees who answered what."));
  #more = button(t("Add a question"),
    () => this.#addQuestion().querySelector(".field").focus());

  /** @param {{onStart: (draft: object) => Promise<boolean>}} rules */
  constructor({ onStart }) {
    this.#onStart = onStart;
    node.open.addEventListener("click", () => this.#toggle());
    node.form.addEventListener("submit", (event) => this.#submitted(event));
    this.#isQuiz.node.addEventListener("change", () => this.#showKind());
    node.form.append(
      labelled(t("Title"), this.#title),
      this.#isQuiz.node,
      this.#questions,
      this.#more,
      this.#isAnonymous.node,
      // Before the form is validated, also on Enter in a field.
      element("button",
        { class: "button button-primary", type: "submit", "data-testid": "start-poll",
        onclick: () => this.#checkRight() }, t("Start the poll")),
    );
    this.#clear();
  }

  allow(mayWrite) {
    node.open.hidden = !mayWrite;
    if (!mayWrite) this.#close();
  }

  #toggle() {
    if (!node.form.hidden) return this.#close();
    node.form.hidden = false;
    node.open.setAttribute("aria-expanded", "true");
    this.#title.focus();
  }

  #close() {
    node.form.hidden = true;
    node.open.setAttribute("aria-expanded", "false");
  }

  #clear() {
    node.form.reset();
    this.#questions.replaceChildren();
    this.#addQuestion();
    this.#showKind();
  }

  /** A quiz needs names for its standings. */
  #showKind() {
    this.#isAnonymous.node.hidden = this.#isQuiz.isOn();
    node.form.classList.toggle("is-quiz", this.#isQuiz.isOn());
  }

  #checkRight() {
    for (const draft of this.#questions.children) {
      const marks = [...draft.querySelectorAll(".poll-right input")];
      const isMissing = this.#isQuiz.isOn() && !isInWords(draft)
        && !marks.some((mark) => mark.checked);
      marks[0].setCustomValidity(isMissing ? t("Mark what is right.") : "");
    }
  }

  #addQuestion() {
    const number = this.#questions.children.length + 1;
    const options = element("div", { class: "poll-options" });
    const kind = element("select", { class: "field", "data-testid": "poll-kind" },
      element("option", { value: kinds.one }, t("One choice")),
      element("option", { value: kinds.several }, t("Several choices")),
      element("option", { value: kinds.short }, t("In words")));
    const more = button(t("Add an option"), () => addOption(options, more).focus());
    kind.addEventListener("change", () => {
      const isWords = isInWords(draft);
      options.hidden = more.hidden = isWords;
      for (const input of options.querySelectorAll("input")) input.disabled = isWords;
    });
    const draft = element(
      "fieldset",
      { class: "poll-draft" },
      element("legend", {}, t("Question {number}", { number })),
      labelled(t("Question"), field("poll-question", { required: true })),
      labelled(tc("field", "Answer"), kind),
      options,
      more,
    );
    for (let count = 0; count < 2; count += 1) addOption(options, more);
    this.#questions.append(draft);
    this.#more.hidden = number >= questionsMaximum;
    return draft;
  }

  get #draft() {
    const isQuiz = this.#isQuiz.isOn();
    return {
      title: this.#title.value.trim(),
      isQuiz,
      isAnonymous: !isQuiz && this.#isAnonymous.isOn(),
      questions: [...this.#questions.children].map((draft) => {
        const options = isInWords(draft) ? [] : [...draft.querySelectorAll(".poll-option")];
        const isRight = (option) => isQuiz && option.querySelector(".poll-right input").checked;
        return {
          text: draft.querySelector("[data-testid=poll-question]").value.trim(),
          kind: kindOf(draft),
          options: options.map((option) => option.querySelector(".field").value.trim()),
          right: options.flatMap((option, index) => (isRight(option) ? [index + 1] : [])),
        };
      }),
    };
  }

  async #submitted(event) {
    event.preventDefault();
    const start = node.form.querySelector("[type=submit]");
    if (start.ariaDisabled === "true") return;
    // Only by ARIA: a disabled button would lose the focus.
    start.ariaDisabled = "true";
    const isStarted = await this.#onStart(this.#draft);
    start.ariaDisabled = null;
    if (!isStarted) return;
    this.#clear();
    this.#close();
    node.open.focus();
  }
}

const kindOf = (draft) => draft.querySelector("select").value;
const isInWords = (draft) => kindOf(draft) === kinds.short;

function addOption(options, more) {
  const number = options.children.length + 1;
  const name = t("Option {number}", { number });
  const input = field("poll-option", { required: true });
  const mark = element("input",
    { type: "checkbox", "aria-label": t("Option {number} is right", { number }) });
  options.append(
    element("div", { class: "poll-option" }, labelled(name, input),
      element("label", { class: "option poll-right" }, mark, element("span", {}, t("Right")))),
  );
  more.hidden = number >= optionsMaximum;
  return input;
}

function field(testID, attributes) {
  // Must not be blank, or else the server would refuse it.
  return element("input", {
    class: "field", maxlength: textMaximum, pattern: ".*\\S.*", autocomplete: "off",
    "data-testid": testID, ...attributes,
  });
}

function button(text, onclick) {
  return element("button", { class: "button", type: "button", onclick }, text);
}
