// Short messages at the edge of the page, read out by screen readers.

import { element } from "./dom.js";
import { icon } from "./icons.js";

const shownFor = 6000; // ms
const countMaximum = 4; // the oldest goes first

// There before the first message: what comes into the page together with its region is not read out.
const region = element("div", { class: "toasts", role: "status", "aria-live": "polite" });
document.body.append(region);

/** @param {"note"|"error"} kind */
export function toast(text, kind = "note") {
  const dismiss = {
    class: "toast-close",
    type: "button",
    "aria-label": "Dismiss",
    onclick: () => node.remove(),
  };
  const node = element(
    "div",
    { class: `toast toast-${kind}`, "data-testid": `toast-${kind}` },
    element("span", {}, text),
    element("button", dismiss, icon("close")),
  );
  region.append(node);
  while (region.children.length > countMaximum) region.firstElementChild.remove();
  setTimeout(() => node.remove(), shownFor);
}
