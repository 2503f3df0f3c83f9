// The transcript beside the player: in one language at a time, with a search.

import { element, setText } from "../../common/dom.js";
import { capital, locale, t, tn } from "../../common/texts.js";
import { countAt } from "./lines-at.js";
import { LineList } from "./line-list.js";
import { marked, matches, queryOf } from "./transcript-lines.js";

const searchDelay = 150; // ms after a key

export class TranscriptPanel {
  node;
  #load;
  #assets = [];
  #list;
  #search;
  #found = element("p", { class: "quiet replay-found", role: "status", "data-testid": "found" });
  #languages;
  #note = element("p", { class: "quiet replay-note", role: "status" });
  #lines = [];
  #query = "";
  #typing = null;
  #round = 0; // answers to outdated requests are not shown

  /**
   * @param {object} rules
   * @param {(seconds: number) => void} rules.pick
   * @param {(asset: object) => Promise<object>} rules.load gets a transcript's lines
   */
  constructor({ pick, load }) {
    this.#load = load;
    this.#list = new LineList({
      name: t("Transcript"), empty: "", isWhole: true, pick, draw: (line) => this.#drawLine(line),
    });
    this.#search = element("input", {
      class: "field", type: "search", "aria-label": t("Search the transcript"), maxlength: "100",
      placeholder: t("Search"), autocomplete: "off", spellcheck: "false", "data-testid": "search",
      oninput: () => {
        clearTimeout(this.#typing);
        this.#typing = setTimeout(() => this.#seek(), searchDelay);
      },
      onkeydown: (event) => this.#pressed(event),
    });
    this.#languages = element("select", {
      class: "field", "aria-label": t("Language"), "data-testid": "language",
      onchange: () => this.#open(this.#assets[this.#languages.selectedIndex]),
    });
    this.node = element("div", { class: "replay-panel" },
      element("div", { class: "replay-tools" }, this.#search, this.#languages),
      this.#found, this.#note, this.#list.node);
  }

  /** @param {object[]} assets one for each language; may be empty */
  show(assets) {
    this.#assets = assets;
    const codes = assets.map(languageOf);
    this.#languages.replaceChildren(...codes.map((code) => element("option", {}, nameOf(code))));
    this.#languages.hidden = assets.length < 2;
    const own = navigator.languages.map((tag) => codes.findIndex((code) => isSame(code, tag)))
      .find((index) => index >= 0) ?? 0;
    this.#languages.selectedIndex = assets.length > 0 ? own : -1;
    this.#search.value = "";
    this.#open(assets[own] ?? null);
  }

  /** @param {number} time s of the recording */
  draw(time) {
    this.#list.mark(countAt(this.#lines, time) - 1);
  }

  follow() {
    this.#list.follow();
  }

  async #open(asset) {
    const round = ++this.#round;
    this.#take([], "");
    if (!asset) return;
    try {
      const { lines, language, isWhole } = await this.#load(asset);
      if (round !== this.#round) return;
      this.#list.language = language;
      this.#take(lines, isWhole ? "" : t("Only the beginning is shown. The file has all."));
    } catch (error) {
      if (round !== this.#round) return;
      const why = error instanceof RangeError
        ? t("It is too long to be shown here. Download it.")
        : t("The transcript cannot be fetched.");
      if (error.name !== "AbortError") this.#take([], why);
    }
  }

  #take(lines, note) {
    this.#lines = lines;
    this.#list.lines = lines;
    this.#list.reveal(lines.length);
    setText(this.#note, note);
    this.#query = "";
    this.#seek();
  }

  #seek() {
    clearTimeout(this.#typing);
    const query = queryOf(this.#search.value);
    const { length } = this.#lines;
    const found = query ? this.#lines.filter((line) => matches(line, query)).length : 0;
    const words = found > 0
      ? tn(length, { one: "{found} of {count} line", other: "{found} of {count} lines" }, { found })
      : tn(length, { one: "None of {count} line", other: "None of {count} lines" });
    setText(this.#found, query && length > 0 ? words : "");
    if (query === this.#query) return;
    this.#query = query;
    this.#list.filter((line) => matches(line, query));
  }

  /** Escape empties the field before it closes the dialog. */
  #pressed(event) {
    if (event.key !== "Escape" || !this.#search.value) return;
    event.preventDefault();
    this.#search.value = "";
    this.#seek();
  }

  #drawLine({ name, text }) {
    const pieces = marked(text, this.#query).map((piece, index) =>
      index % 2 === 1 ? element("mark", {}, piece) : piece);
    return [
      name ? element("b", { class: "line-name" }, name) : null,
      element("span", { class: "line-text" }, ...pieces),
    ].filter(Boolean);
  }
}

/** The code in the file's name, `…-transcript-en.json`. */
function languageOf({ url }) {
  return /-transcript-([A-Za-z0-9-]+)\.json$/.exec(new URL(url, location.href).pathname)?.[1] ?? "";
}

function isSame(code, tag) {
  return code.split("-")[0].toLowerCase() === tag.split("-")[0].toLowerCase();
}

/** "German", or the code that nobody knows. */
function nameOf(code) {
  try {
    return capital(new Intl.DisplayNames([locale], { type: "language" }).of(code));
  } catch {
    return code || t("Transcript");
  }
}
