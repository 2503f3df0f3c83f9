// On a phone one row of controls has no room for all: a menu has the others.

import { byID } from "../common/dom.js";
import { toggleMenu } from "../common/menu.js";
import { t } from "../common/texts.js";

const button = byID("more-controls");

/** Presses the control itself, which only CSS hides. */
function items() {
  const controls = [...byID("controls").querySelectorAll("button[id]")];
  const hidden = controls.filter((control) =>
    control !== button && !control.closest("[hidden]") && control.getClientRects().length === 0);
  return hidden.map((control) => ({
    text: control.getAttribute("aria-label") ?? control.textContent.trim(),
    picture: control.querySelector(".icon")?.cloneNode(true),
    testID: `more-${control.id}`,
    run: () => control.click(),
  }));
}

button.addEventListener("click", () => toggleMenu(button, t("More"), items()));
