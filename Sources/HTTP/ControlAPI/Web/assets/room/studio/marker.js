// Marks a moment of the stream: players are told of it, and the recording keeps it.

import { element, setText, timeOfDay } from "../../common/dom.js";
import { t } from "../../common/texts.js";

const longest = 100; // characters, as the server has it

export class Marker {
  node;
  #text = element("input",
    { class: "field", id: "marker-text", maxlength: longest, autocomplete: "off",
    placeholder: t("Questions"), "data-testid": "marker-text" });
  #news = element("p",
    { class: "quiet studio-hint", role: "status", "data-testid": "marker-state" });

  /** @param {{onMark: (text: string) => Promise<boolean>}} rules */
  constructor({ onMark }) {
    const form = element("form", { class: "studio-line" },
      element("label", { class: "visually-hidden", for: "marker-text" }, t("What happens now")),
      this.#text,
      element("button", { class: "button", type: "submit", "data-testid": "marker" }, t("Mark")));
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const text = this.#text.value.trim() || t("Marker");
      if (!(await onMark(text))) return;
      this.#text.value = "";
      const time = timeOfDay(new Date());
      setText(this.#news, t("“{text}” is marked at {time}.", { text, time }));
    });
    this.node = element("div", {}, form, this.#news);
  }
}
