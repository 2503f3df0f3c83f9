// The choice of the stream's layout, by small drawings, and of the person on the stage.

import { element, setText } from "../../common/dom.js";
import { labelled } from "../../common/dialog.js";
import { layoutDrawing } from "./layout-drawing.js";
import { layoutNamed, layouts, staged, stagedPeer } from "./layouts.js";
import { t } from "../../common/texts.js";

export class LayoutPicker {
  node;
  #buttons;
  #hint = element("p", { class: "quiet studio-hint" });
  #person = element("select", { class: "field", "data-testid": "studio-stage" });
  #place;
  #layout = {};
  #shown = ""; // of the list

  /** @param {{onChange: (change: object) => void}} rules change: the fields of a layout */
  constructor({ onChange }) {
    // No radio buttons: an arrow key on its way to another would change what viewers see.
    this.#buttons = layouts.map(({ name, text, tiles }) =>
      element("button",
        { class: "layout-option", type: "button", value: name, "aria-pressed": "false",
        "data-testid": `layout-${name}`, onclick: () => onChange({ name }) },
        layoutDrawing(tiles), element("span", {}, text)));
    this.#person.addEventListener("change",
      () => onChange(staged(this.#layout, this.#person.value || null)));
    this.#place = labelled(t("On the stage"), this.#person);
    this.node = element("fieldset", { class: "layout-options" }, element("legend", {}, t("Layout")),
      element("div", { class: "layout-row" }, ...this.#buttons), this.#hint, this.#place);
  }

  /**
   * @param {object} layout of the running stream, or the wish for the next one; `name` may be
   *   missing
   * @param {{id: string, name: string}[]} people those who may be on the stage
   */
  show(layout, people) {
    this.#layout = layout;
    const chosen = layout.name ? layoutNamed(layout.name) : null;
    for (const button of this.#buttons) {
      button.setAttribute("aria-pressed", String(button.value === chosen?.name));
    }
    setText(this.#hint, chosen?.hint ?? t("The room’s own layout, unless you choose one."));
    this.#place.hidden = !chosen?.hasFocus;
    this.#list(people, stagedPeer(layout));
  }

  #list(people, wanted) {
    const absent = wanted && !people.some(({ id }) => id === wanted);
    const options = [{ id: "", name: t("Whoever speaks") }, ...people,
      ...(absent ? [{ id: wanted, name: t("Somebody who is away") }] : [])];
    const key = JSON.stringify(options.map(({ id, name }) => [id, name]));
    if (key !== this.#shown) {
      this.#shown = key;
      this.#person.replaceChildren(
        ...options.map(({ id, name }) => element("option", { value: id }, name)));
    }
    const value = wanted ?? "";
    if (this.#person.value !== value) this.#person.value = value;
  }
}
