// Chat and people, in one panel with two tabs.

import { byID } from "./dom.js";

const names = ["chat", "people"];

export class SidePanel {
  #onChange;

  /** @param {(current: "chat"|"people"|null) => void} onChange what is in view is another */
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

  /** @returns {"chat"|"people"|null} what is in view */
  get current() {
    if (byID("side").hidden) return null;
    return byID("panel-chat").hidden ? "people" : "chat";
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

  /** The focus goes back to the button that opens it. */
  close() {
    const { current } = this;
    if (!current) return;
    const hasFocus = byID("side").contains(document.activeElement);
    byID("side").hidden = true;
    if (hasFocus) byID(`open-${current}`).focus();
    this.#onChange(null);
  }

  /** By its button: the focus goes inside. */
  toggle(name) {
    if (this.current === name) return this.close();
    this.open(name);
    if (name === "people") byID("tab-people").focus();
  }

  #moved(event, name) {
    if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
    const other = names.find((one) => one !== name);
    this.open(other);
    byID(`tab-${other}`).focus();
  }
}
