// Marks a moment of the stream: players are told of it, and the recording keeps it.

import { element, setText, timeOfDay } from "../../common/dom.js";

const longest = 100; // characters, as the server has it

export class Marker {
  node;
  #text = element("input",
    { class: "field", id: "marker-text", maxlength: longest, autocomplete: "off",
    placeholder: "Questions", "data-testid": "marker-text" });
  #news = element("p",
    { class: "quiet studio-hint", role: "status", "data-testid": "marker-state" });

  /** @param {{onMark: (text: string) => Promise<boolean>}} rules */
  constructor({ onMark }) {
    const form = element("form", { class: "studio-line" },
      element("label", { class: "visually-hidden", for: "marker-text" }, "What happens now"),
      this.#text,
      element("button", { class: "button", type: "submit", "data-testid": "marker" }, "Mark"));
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const text = this.#text.value.trim() || "Marker";
      if (!(await onMark(text))) return;
      this.#text.value = "";
      setText(this.#news, `“${text}” is marked at ${timeOfDay(new Date())}.`);
    });
    this.node = element("div", {}, form, this.#news);
  }
}
