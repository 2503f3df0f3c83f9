// Announces to screen readers what the page does not show, or shows elsewhere.

import { element } from "./dom.js";
import { t } from "./texts.js";

const interval = 3000; // ms; earlier messages are announced together
const longest = 200; // characters of a message
const plurals = {
  messages: t("messages"), deletions: t("deletions"), reactions: t("reactions"),
};

export class Announcer {
  #region;
  #waiting = [];
  #timer = null;

  /** @param {Element} region a status, which is in the page from the start */
  constructor(region) {
    this.#region = region;
  }

  /**
   * @param {string} text
   * @param {string} [kind] a plural for such messages; of several waiting ones only the last is
   *   read
   */
  say(text, kind = "") {
    this.#waiting.push({ text: text.slice(0, longest), kind });
    if (!this.#timer) this.#tell();
  }

  #tell() {
    this.#timer = null;
    if (this.#waiting.length === 0) return;
    const all = this.#waiting.splice(0);
    const last = new Map(all.map((one) => [one.kind || one.text, one]));
    const lines = [...last.values()].map(({ text, kind }) => {
      const count = kind ? all.filter((one) => one.kind === kind).length : 1;
      return count > 1
        ? t("{count} {kind}, the last one: {text}", { count, kind: plurals[kind] ?? kind, text })
        : text;
    });
    // A new element each time, because the same text again would be no change.
    this.#region.replaceChildren(...lines.map((line) => element("p", {}, line)));
    this.#timer = setTimeout(() => this.#tell(), interval);
  }
}
