// Short messages at the edge of the page, read out by screen readers. Notes disappear by
// themselves; errors stay until they are dismissed.

import { element, giveFocus } from "./dom.js";
import { icon } from "./icons.js";
import { t } from "./texts.js";

const shownFor = 6000; // ms
const countMaximum = 4; // the oldest note is removed first

const regions = [];
let origin = null; // the element that had the focus before a message got it
toastsIn(document.body);

/**
 * Shows messages inside a dialog while it is open, because everything else can neither be read nor
 * used.
 * @returns {() => void} ends it; messages that are still shown move back to the previous place
 */
export function toastsIn(parent) {
  // In the page before the first message: screen readers do not read a message that appears
  // together with its region.
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
    "aria-label": t("Dismiss"),
    onclick: () => take(node),
  };
  const node = element(
    "div",
    { class: `toast toast-${kind}`, "data-testid": `toast-${kind}` },
    element("span", {}, text),
    element("button", dismiss, icon("close")),
  );
  const region = regions.at(-1);
  // A repeated error is announced again, but shown once.
  for (const other of [...region.children]) {
    if (kind === "error" && other.matches(".toast-error")
      && other.textContent === text) take(other);
  }
  region.append(node);
  makeRoom(region, node);
  if (kind === "note") expire(node);
}

/** Only errors displace errors: an excess note is shown in addition. */
function makeRoom(region, newest) {
  const isError = newest.matches(".toast-error");
  while (region.children.length > countMaximum) {
    const older = [...region.children].filter((node) => node !== newest);
    const first = older.find((node) => node.matches(".toast-note")) ?? (isError ? older[0] : null);
    if (!first) return;
    take(first);
  }
}

/** A message stays while the pointer is over it or the focus is in it. */
function expire(node) {
  setTimeout(() => {
    const region = node.parentElement;
    if (!region) return;
    const isRead = region.matches(":hover") || region.contains(document.activeElement);
    if (isRead) expire(node);
    else take(node);
  }, shownFor);
}

/** The focus goes to the next message, or back to its previous place. */
function take(node) {
  const near = node.nextElementSibling ?? node.previousElementSibling;
  const hadFocus = node.contains(document.activeElement);
  node.remove();
  if (!hadFocus) return;
  if (near) near.querySelector("button").focus();
  else if (origin) giveFocus(origin);
}
