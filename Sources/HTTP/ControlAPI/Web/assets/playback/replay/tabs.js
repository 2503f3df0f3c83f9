// Tabs with a panel each. A single one needs no choice: its name is a heading.

import { element } from "../../common/dom.js";
import { beside, select } from "../../common/tabs.js";

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
        class: "tab", type: "button", role: "tab", id: tabID, "aria-controls": panelID,
        "data-testid": tabID, onclick: () => this.open(name),
        onkeydown: (event) => this.#moved(event),
      }, text);
      panel.id = panelID;
      panel.hidden = true;
      return { name, text, tab, panel };
    });
    this.#bar = element("div", { class: "tabs replay-tabs", role: "tablist" },
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
    select(this.#tabs, this.#tabs.find((one) => one.name === name).tab);
    this.#onChange();
  }

  #moved(event) {
    const other = beside(this.#tabs, event);
    if (!other) return;
    event.preventDefault();
    this.open(this.#tabs.find(({ tab }) => tab === other).name);
    other.focus();
  }
}
