// One call: closed it is a line of a list, open it tells everything about it.

import { element, setText } from "../common/dom.js";
import { t } from "../common/texts.js";
import { curl } from "./curl.js";
import { english, line, prose } from "./prose.js";

const copiedFor = 2000; // ms

export class Card {
  node;
  #call;
  #description;

  /** @param {import("./description.js").Description} description */
  constructor(call, description) {
    this.#call = call;
    this.#description = description;
    this.node = element(
      "details",
      { class: "call", id: call.id, "data-testid": "call" },
      element(
        "summary",
        { class: "call-head" },
        element("span", { class: "call-method", "data-method": call.method }, call.method),
        element("h3", { class: "call-path", translate: "no" }, ...broken(call.path)),
        element("span", { class: "call-summary", lang: english }, call.summary),
      ),
    );
    // There are many calls, of which few are opened.
    this.node.addEventListener("toggle", () => this.#fill(), { once: true });
    this.words = this.#words();
  }

  /** Whether it has all of these words, in lower case. */
  has(words) {
    return words.every((word) => this.words.includes(word));
  }

  show() {
    this.#fill();
    this.node.open = true;
    this.node.scrollIntoView();
    this.node.firstChild.focus({ preventScroll: true });
  }

  #words() {
    const { id, method, path, summary, group, parameters, body } = this.#call;
    const names = (fields) => fields.flatMap((one) => [one.name, ...names(one.fields)]);
    const fields = body ? names(this.#description.fields(body.schema)) : [];
    return [id, method, path, summary, group, ...parameters.map((one) => one.name), ...fields]
      .join(" ").toLowerCase();
  }

  #fill() {
    if (this.node.childElementCount > 1) return;
    const call = this.#call;
    this.node.append(element(
      "div",
      { class: "call-body" },
      ...prose(call.text),
      element("p", { class: "quiet" }, ...line(tokenText[call.token]), " ",
        element("a", { href: `#${call.id}`, "data-testid": "link" }, t("Link to this call"))),
      this.#command(),
      ...this.#parameters(),
      ...this.#body(),
      ...call.answers.flatMap((answer) => this.#answer(answer)),
    ));
  }

  #command() {
    const text = curl(this.#call, this.#description, location.origin);
    const code = element("code", {}, text);
    const word = element("span", { role: "status" }, t("Copy"));
    const button = element(
      "button",
      {
        class: "button call-copy", type: "button", "data-testid": "copy",
        onclick: async () => {
          setText(word, t(await copied(code, text) ? "Copied" : "Press Ctrl+C"));
          setTimeout(() => setText(word, t("Copy")), copiedFor);
        },
      },
      word, element("span", { class: "visually-hidden" }, ` ${t("the command")}`),
    );
    // Long lines scroll sideways, by keyboard too.
    return element("div", { class: "call-command" },
      element("pre", { tabindex: "0", role: "group", "aria-label": t("As a command") }, code),
      button);
  }

  #parameters() {
    const titles = { path: t("In the path"), query: t("In the query"), header: t("Headers") };
    return Object.entries(titles).flatMap(([place, title]) => {
      const found = this.#call.parameters.filter((one) => one.in === place);
      return section(title, "", found.map((one) => {
        const value = this.#description.value(one.schema);
        return { ...value, name: one.name, isRequired: one.required === true,
          text: one.description ?? value.text, fields: [] };
      }));
    });
  }

  #body() {
    const { body } = this.#call;
    if (!body) return [];
    const { type, isRequired } = body;
    const start = `${isRequired ? "Required" : "Optional"}, ${type}.`;
    const fields = this.#description.fields(body.schema);
    const { text } = this.#description.value(body.schema);
    return section(t("Body"), [start, body.text, text].filter(Boolean).join(" "), fields, true);
  }

  #answer({ status, text, type, schema }) {
    const title = status === "default" ? t("Errors") : t("Answer {status}", { status });
    const fields = this.#description.fields(schema);
    const kind = schema && fields.length === 0 ? `${this.#description.typeText(schema)}, ` : "";
    const told = type ? `${text.trim()}\n\n${capital(kind)}\`${type}\`` : text;
    return section(title, told, fields, true);
  }
}

const tokenText = {
  required: t("Needs a management token."),
  optional: t("With a management token, or without one if the server's settings allow it."),
  none: t("Needs no token."),
};

/** A heading with fields below it; nothing if there is nothing to say. */
function section(title, text, fields, isAlways = false) {
  if (fields.length === 0 && !isAlways) return [];
  const parts = [element("h4", {}, title), ...prose(text)];
  if (fields.length > 0) parts.push(list(fields));
  return [element("section", { class: "call-part" }, ...parts)];
}

function list(fields) {
  return element("ul", { class: "fields" }, ...fields.map((field) => {
    const facts = [field.type, ...field.limits].join(", ");
    return element(
      "li",
      { class: "field-item" },
      element("p", { class: "field-head" },
        element("code", { class: "field-name" }, field.name), " ",
        field.isRequired ? element("strong", { class: "field-needed" }, t("required")) : null,
        field.isRequired ? " " : null,
        element("span", { class: "quiet", lang: english }, facts)),
      ...prose(field.text),
      field.fields.length > 0 ? list(field.fields) : null,
    );
  }));
}

/** Paths break between their parts. */
function broken(path) {
  return path.split(/(?=\/)/).flatMap((part) => [element("wbr"), part]).slice(1);
}

function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Whether it was copied; where that is not allowed it is selected, to be copied by hand. */
async function copied(node, text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    getSelection().selectAllChildren(node);
    return false;
  }
}
