// Short messages at the edge of the page, read out by screen readers.

import { element } from "./dom.js";
import { icon } from "./icons.js";

const shownFor = 6000; // ms
const countMaximum = 4; // the oldest goes first

const region = element("div", { class: "toasts", role: "status", "aria-live": "polite" });

/** @param {"note"|"error"} kind */
export function toast(text, kind = "note") {
  if (!region.isConnected) document.body.append(region);
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
