// A choice in a menu above the player's bar; inside the player, so that it is there in full screen.

import { element } from "../../common/dom.js";
import { icon } from "../../common/icons.js";

export class ChoiceMenu {
  #button;
  #place;
  #label;
  #items;
  #menu = null;

  /**
   * @param {HTMLButtonElement} button
   * @param {Element} place the menu's parent
   * @param {string} label
   * @param {() => {text: string, detail?: string, isChosen: boolean, choose: () => void}[]} items
   */
  constructor(button, place, label, items) {
    this.#button = button;
    this.#place = place;
    this.#label = label;
    this.#items = items;
    button.setAttribute("aria-haspopup", "menu");
    button.setAttribute("aria-expanded", "false");
    button.addEventListener("click", () => this.toggle());
    place.addEventListener("pointerdown", (event) => {
      const isOurs = this.#menu?.contains(event.target) || button.contains(event.target);
      if (!isOurs) this.close({ keepsFocus: true });
    });
  }

  get isOpen() {
    return this.#menu !== null;
  }

  toggle() {
    if (this.isOpen) return this.close();
    const items = this.#items();
    const nodes = items.map(({ text, detail, isChosen, choose }) =>
      element("button", {
        class: "player-choice", type: "button", role: "menuitemradio", tabindex: "-1",
        "aria-checked": String(isChosen),
        onclick: () => {
          this.close();
          choose();
        },
      }, icon("check"), element("span", {}, text),
      detail ? element("small", {}, detail) : null));
    this.#menu = element("div",
      { class: "player-menu", role: "menu", "aria-label": this.#label,
        "data-testid": "player-menu", onkeydown: (event) => this.#pressed(event, nodes) },
      ...nodes);
    this.#menu.addEventListener("focusout", ({ relatedTarget }) => {
      const isInside = this.#menu?.contains(relatedTarget) || relatedTarget === this.#button;
      if (relatedTarget && !isInside) this.close({ keepsFocus: true });
    });
    this.#place.append(this.#menu);
    this.#button.setAttribute("aria-expanded", "true");
    (nodes.find((_, index) => items[index].isChosen) ?? nodes[0])?.focus();
  }

  close({ keepsFocus = false } = {}) {
    if (!this.#menu) return;
    const menu = this.#menu;
    this.#menu = null;
    menu.remove();
    this.#button.setAttribute("aria-expanded", "false");
    if (!keepsFocus) this.#button.focus();
  }

  #pressed(event, nodes) {
    const index = nodes.indexOf(document.activeElement);
    const steps = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: nodes.length - 1 };
    if (event.key in steps) nodes.at(steps[event.key] % nodes.length).focus();
    else if (event.key === "Escape" || event.key === "Tab") this.close();
    else if (event.key !== "Enter" && event.key !== " ") return;
    if (event.key !== "Tab" && event.key !== "Enter" && event.key !== " ") event.preventDefault();
    event.stopPropagation();
  }
}
