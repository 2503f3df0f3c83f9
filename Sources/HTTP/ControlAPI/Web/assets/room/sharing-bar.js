// Tells that one's own screen is shared, since a tile of it is easily overlooked.

import { byID, element, setText } from "../common/dom.js";
import { t } from "../common/texts.js";

const place = byID("sharing-bar");

/** @param {boolean} isSharing @param {() => void} onStop */
export function showSharing(isSharing, onStop) {
  const bar = place.firstElementChild;
  if (isSharing === Boolean(bar)) return;
  if (!isSharing) {
    const hadFocus = bar.contains(document.activeElement);
    bar.remove();
    if (hadFocus) byID("screen").focus();
    return;
  }
  const text = element("span");
  place.append(element("div", { class: "sharing", "data-testid": "sharing" }, text,
    element("button", { class: "button", type: "button", onclick: onStop,
      "data-testid": "stop-sharing" }, t("Stop sharing"))));
  setText(text, t("You are sharing your screen"));
}
