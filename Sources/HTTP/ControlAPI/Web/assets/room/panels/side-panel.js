// Chat, people, polls and the studio, in one panel with a tab for each.

import { byID } from "../../common/dom.js";
import { beside, select } from "../../common/tabs.js";

const names = ["chat", "people", "polls", "studio"];

export class SidePanel {
  #onChange;
  #tabs = names.map((name) => ({ name, tab: byID(`tab-${name}`), panel: byID(`panel-${name}`) }));

  /**
   * @param {(current: "chat"|"people"|"polls"|"studio"|null) => void} onChange another panel is
   *   visible
   */
  constructor({ onChange }) {
    this.#onChange = onChange;
    for (const { name, tab } of this.#tabs) {
      tab.addEventListener("click", () => this.open(name));
      tab.addEventListener("keydown", (event) => this.#moved(event));
    }
    byID("side-close").addEventListener("click", () => this.close());
    byID("side").addEventListener("keydown", (event) => {
      if (event.key === "Escape" && !event.defaultPrevented) this.close();
    });
  }

  /** @returns {"chat"|"people"|"polls"|"studio"|null} the visible panel */
  get current() {
    if (byID("side").hidden) return null;
    return this.#tabs.find(({ panel }) => !panel.hidden)?.name;
  }

  open(name) {
    byID("side").hidden = false;
    select(this.#tabs, byID(`tab-${name}`));
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

  #moved(event) {
    const other = beside(this.#tabs, event);
    if (!other) return;
    this.open(this.#tabs.find(({ tab }) => tab === other).name);
    other.focus();
  }
}
