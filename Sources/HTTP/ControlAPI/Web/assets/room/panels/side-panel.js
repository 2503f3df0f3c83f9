// Chat, people and polls, in one panel with a tab for each.

import { byID } from "../../common/dom.js";

const names = ["chat", "people", "polls"];

export class SidePanel {
  #onChange;

  /** @param {(current: "chat"|"people"|"polls"|null) => void} onChange another panel is visible */
  constructor({ onChange }) {
    this.#onChange = onChange;
    for (const name of names) {
      const tab = byID(`tab-${name}`);
      tab.addEventListener("click", () => this.open(name));
      tab.addEventListener("keydown", (event) => this.#moved(event, name));
    }
    byID("side-close").addEventListener("click", () => this.close());
    byID("side").addEventListener("keydown", (event) => {
      if (event.key === "Escape" && !event.defaultPrevented) this.close();
    });
  }

  /** @returns {"chat"|"people"|"polls"|null} the visible panel */
  get current() {
    if (byID("side").hidden) return null;
    return names.find((name) => !byID(`panel-${name}`).hidden);
  }

  open(name) {
    byID("side").hidden = false;
    for (const other of names) {
      const isSelected = other === name;
      byID(`panel-${other}`).hidden = !isSelected;
      byID(`tab-${other}`).setAttribute("aria-selected", String(isSelected));
      byID(`tab-${other}`).tabIndex = isSelected ? 0 : -1;
    }
    this.#onChange(name);
  }

  /** Returns the focus to the panel's button. */
  close() {
    const { current } = this;
    if (!current) return;
    const hasFocus = byID("side").contains(document.activeElement);
    byID("side").hidden = true;
    if (hasFocus) byID(`open-${current}`).focus();
    this.#onChange(null);
  }

  /** By its button: moves the focus inside. */
  toggle(name) {
    if (this.current === name) return this.close();
    this.open(name);
    if (name !== "chat") byID(`tab-${name}`).focus(); // the chat's field has it
  }

  #moved(event, name) {
    if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
    const shown = names.filter((one) => !byID(`tab-${one}`).hidden);
    const step = event.key === "ArrowRight" ? 1 : shown.length - 1;
    const other = shown[(shown.indexOf(name) + step) % shown.length];
    this.open(other);
    byID(`tab-${other}`).focus();
  }
}
