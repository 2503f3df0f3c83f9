// Emoji above the message field: a search, and buttons by category that the arrow keys reach.

import { byID, element, setText } from "../../common/dom.js";
import { foundEmoji } from "./emoji-list.js";
import { t, tn } from "../../common/texts.js";

const node = {
  button: byID("emoji-button"),
  root: byID("emoji"),
  search: byID("emoji-search"),
  list: byID("emoji-list"),
  none: byID("emoji-none"),
};

export class EmojiPicker {
  #onChoice;
  #onClose;

  /**
   * @param {{onChoice: (text: string) => void, onClose: () => void}} rules onClose: the focus was
   *   in here and needs a place
   */
  constructor({ onChoice, onClose }) {
    this.#onChoice = onChoice;
    this.#onClose = onClose;
    node.button.addEventListener("click", () => this.#toggle());
    node.search.addEventListener("input", () => this.#draw());
    node.root.addEventListener("keydown", (event) => this.#pressed(event));
    addEventListener("pointerdown", ({ target }) => {
      if (!node.root.contains(target) && !node.button.contains(target)) this.close();
    });
  }

  close() {
    if (node.root.hidden) return;
    const hadFocus = node.root.contains(document.activeElement);
    node.root.hidden = true;
    node.button.setAttribute("aria-expanded", "false");
    if (hadFocus) this.#onClose();
  }

  #toggle() {
    if (!node.root.hidden) return this.close();
    node.root.hidden = false;
    node.button.setAttribute("aria-expanded", "true");
    node.search.value = "";
    this.#draw();
    node.search.focus();
  }

  #draw() {
    const found = foundEmoji(node.search.value);
    node.list.replaceChildren(...found.map((category) => this.#category(category)));
    node.list.scrollTop = 0;
    this.#reach(this.#buttons[0]);
    const count = this.#buttons.length;
    const words = tn(count, { one: "{count} emoji", other: "{count} emoji" });
    setText(node.none, count === 0 ? t("No emoji of that name.") : node.search.value ? words : "");
    node.none.classList.toggle("visually-hidden", count > 0);
  }

  #category({ name, emoji }) {
    const buttons = emoji.map((one) => {
      const attributes = {
        class: "emoji-one", type: "button", "aria-label": one.name, title: one.name, tabindex: "-1",
        "data-testid": "emoji-one", onclick: () => this.#onChoice(one.text),
      };
      return element("button", attributes, one.text);
    });
    return element("div", { role: "group", "aria-label": name },
      element("p", { class: "emoji-category quiet", "aria-hidden": "true" }, name),
      element("div", { class: "emoji-row" }, ...buttons));
  }

  get #buttons() {
    return [...node.list.querySelectorAll("button")];
  }

  /** Makes one button of the list the one that Tab reaches. */
  #reach(button) {
    for (const other of node.list.querySelectorAll("[tabindex='0']")) other.tabIndex = -1;
    if (button) button.tabIndex = 0;
  }

  #pressed(event) {
    if (event.key === "Escape") {
      event.preventDefault();
      return this.close();
    }
    const buttons = this.#buttons;
    if (event.target === node.search) {
      if (event.key === "ArrowDown") this.#move(event, buttons[0]);
      // The first one found.
      if (event.key === "Enter" && !event.isComposing) {
        event.preventDefault();
        if (node.search.value) buttons[0]?.click();
      }
      return;
    }
    const next = neighbour(buttons, buttons.indexOf(event.target), event.key);
    if (next) this.#move(event, next);
    else if (event.key === "ArrowUp") this.#move(event, node.search);
  }

  #move(event, target) {
    if (!target) return;
    event.preventDefault();
    if (target !== node.search) this.#reach(target);
    target.focus();
  }
}

/** Where a key leads from a button, or undefined. Rows are as long as the width allows. */
function neighbour(buttons, index, key) {
  if (index < 0) return undefined;
  const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
  if (step) return buttons[index + step];
  if (key === "Home") return buttons[0];
  if (key === "End") return buttons.at(-1);
  const place = (button) => button.getBoundingClientRect();
  const { left, top } = place(buttons[index]);
  const isBeyond = { ArrowDown: (one) => one.top > top + 1,
    ArrowUp: (one) => one.top < top - 1 }[key];
  if (!isBeyond) return undefined;
  const distance = (one) => Math.abs(one.top - top) * 100 + Math.abs(one.left - left);
  return buttons.filter((button) => isBeyond(place(button)))
    .sort((a, b) => distance(place(a)) - distance(place(b)))[0];
}
