// Short messages at the edge of the page, read out by screen readers.

import { element } from "./dom.js";
import { icon } from "./icons.js";

const shownFor = 6000; // ms
const countMaximum = 4; // the oldest goes first

const regions = [];
toastsIn(document.body);

/**
 * Shows messages inside a dialog for as long as it is open: all else can be neither read nor used.
 * @returns {() => void} ends it; what is still shown then goes back to where messages were before
 */
export function toastsIn(parent) {
  // There before the first message: what comes into the page together with its region is not read out.
  const region = element("div", { class: "toasts", role: "status", "aria-live": "polite" });
  regions.push(region);
  parent.append(region);
  return () => {
    regions.splice(regions.indexOf(region), 1);
    regions.at(-1).append(...region.children);
    region.remove();
  };
}

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
  const region = regions.at(-1);
  region.append(node);
  while (region.children.length > countMaximum) region.firstElementChild.remove();
  setTimeout(() => node.remove(), shownFor);
}
