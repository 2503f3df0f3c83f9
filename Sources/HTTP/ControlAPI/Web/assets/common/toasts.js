// Short messages at the edge of the page, read out by screen readers. Notes go by themselves; errors
// stay until they are dismissed.

import { element, giveFocus } from "./dom.js";
import { icon } from "./icons.js";

const shownFor = 6000; // ms
const countMaximum = 4; // the oldest note goes first

const regions = [];
let origin = null; // what had the focus before a message got it
toastsIn(document.body);

/**
 * Shows messages inside a dialog for as long as it is open: all else can be neither read nor used.
 * @returns {() => void} ends it; what is still shown then goes back to where messages were before
 */
export function toastsIn(parent) {
  // There before the first message: what comes into the page together with its region is not read out.
  const region = element("div", { class: "toasts", role: "status", "aria-live": "polite" });
  region.addEventListener("focusin", ({ relatedTarget: before }) => {
    if (before && !before.closest(".toasts")) origin = before;
  });
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
    onclick: () => take(node),
  };
  const node = element(
    "div",
    { class: `toast toast-${kind}`, "data-testid": `toast-${kind}` },
    element("span", {}, text),
    element("button", dismiss, icon("close")),
  );
  const region = regions.at(-1);
  // What goes wrong again and again is said again, and stands there once.
  for (const other of [...region.children]) {
    if (kind === "error" && other.matches(".toast-error") && other.textContent === text) take(other);
  }
  region.append(node);
  makeRoom(region, node);
  if (kind === "note") expire(node);
}

/** Errors give way to errors only: a note that comes in is one more. */
function makeRoom(region, newest) {
  const isError = newest.matches(".toast-error");
  while (region.children.length > countMaximum) {
    const older = [...region.children].filter((node) => node !== newest);
    const first = older.find((node) => node.matches(".toast-note")) ?? (isError ? older[0] : null);
    if (!first) return;
    take(first);
  }
}

/** Whoever points at a message, or has come to one by keys, has not done with them. */
function expire(node) {
  setTimeout(() => {
    const region = node.parentElement;
    if (!region) return;
    const isRead = region.matches(":hover") || region.contains(document.activeElement);
    if (isRead) expire(node);
    else take(node);
  }, shownFor);
}

/** The focus goes to the next message, or back to where it was before. */
function take(node) {
  const near = node.nextElementSibling ?? node.previousElementSibling;
  const hadFocus = node.contains(document.activeElement);
  node.remove();
  if (!hadFocus) return;
  if (near) near.querySelector("button").focus();
  else if (origin) giveFocus(origin);
}
