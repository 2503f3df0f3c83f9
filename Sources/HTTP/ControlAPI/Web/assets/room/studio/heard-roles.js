// Whose sound is in the stream, by roles.

import { element } from "../../common/dom.js";
import { roleText } from "../../common/role-text.js";
import { t } from "../../common/texts.js";

export class HeardRoles {
  node = element("fieldset", { class: "studio-roles" });
  #onChange;
  #shown = "";

  /** @param {{onChange: (roles: string[]|null) => void}} rules null: everybody */
  constructor({ onChange }) {
    this.#onChange = onChange;
  }

  /** @param {string[]} known all roles @param {string[]|null} heard null: everybody */
  show(known, heard) {
    const key = JSON.stringify([known, heard]);
    if (key === this.#shown) return;
    this.#shown = key;
    const focused = document.activeElement?.value;
    const hadFocus = this.node.contains(document.activeElement);
    const boxes = known.map((role) => element("input", { type: "checkbox", value: role,
      checked: heard === null || heard.includes(role), onchange: () => this.#changed(boxes) }));
    this.node.replaceChildren(element("legend", {}, t("Heard in the stream")),
      ...known.map((role, index) =>
        element("label", { class: "studio-role" }, boxes[index],
          element("span", {}, roleText(role)))));
    if (hadFocus) boxes.find((box) => box.value === focused)?.focus();
  }

  #changed(boxes) {
    const heard = boxes.filter((box) => box.checked).map((box) => box.value);
    this.#onChange(heard.length === boxes.length ? null : heard);
  }
}
