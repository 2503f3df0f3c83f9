// Tabs with a panel each. A single one needs no choice: its name is a heading.

import { element } from "../../common/dom.js";

export class Tabs {
  node;
  #tabs;
  #bar;
  #heading = element("h3", { class: "replay-heading" });
  #onChange;

  /**
   * @param {string} prefix of the elements' ids
   * @param {{name: string, text: string, panel: Element}[]} all
   * @param {() => void} onChange another panel is visible
   */
  constructor(prefix, all, onChange) {
    this.#onChange = onChange;
    this.#tabs = all.map(({ name, text, panel }) => {
      const [tabID, panelID] = [`${prefix}-tab-${name}`, `${prefix}-${name}`];
      const tab = element("button", {
        class: "replay-tab", type: "button", role: "tab", id: tabID, "aria-controls": panelID,
        "data-testid": tabID, onclick: () => this.open(name),
        onkeydown: (event) => this.#moved(event, name),
      }, text);
      panel.id = panelID;
      panel.hidden = true;
      return { name, text, tab, panel };
    });
    this.#bar = element("div", { class: "replay-tabs", role: "tablist" },
      ...this.#tabs.map(({ tab }) => tab));
    this.node = element("div", { class: "replay-frame" }, this.#bar, this.#heading,
      ...this.#tabs.map(({ panel }) => panel));
  }

  /** @param {string[]} names those that there are; the open one stays if it is among them */
  show(names) {
    const isChoice = names.length > 1;
    this.#bar.hidden = !isChoice;
    this.#heading.hidden = isChoice;
    for (const { name, text, tab, panel } of this.#tabs) {
      tab.hidden = !names.includes(name);
      if (names[0] === name) this.#heading.textContent = text;
      if (isChoice) {
        panel.setAttribute("role", "tabpanel");
        panel.setAttribute("aria-labelledby", tab.id);
      } else {
        panel.removeAttribute("role");
        panel.removeAttribute("aria-labelledby");
      }
    }
    const open = this.#tabs.find(({ name, panel }) => !panel.hidden && names.includes(name));
    this.open(open?.name ?? names[0]);
  }

  open(name) {
    for (const one of this.#tabs) {
      const isOpen = one.name === name;
      one.panel.hidden = !isOpen;
      one.tab.setAttribute("aria-selected", String(isOpen));
      one.tab.tabIndex = isOpen ? 0 : -1;
    }
    this.#onChange();
  }

  #moved(event, name) {
    if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
    event.preventDefault();
    const shown = this.#tabs.filter(({ tab }) => !tab.hidden);
    const step = event.key === "ArrowRight" ? 1 : shown.length - 1;
    const at = shown.findIndex((one) => one.name === name);
    const other = shown[(at + step) % shown.length];
    this.open(other.name);
    other.tab.focus();
  }
}
