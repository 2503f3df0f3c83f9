// Copies a text to the clipboard.

import { element } from "./dom.js";

/** @returns {Promise<boolean>} whether it worked */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Without HTTPS there is no clipboard, and a browser may refuse it.
    return copySelected(text);
  }
}

function copySelected(text) {
  const focused = document.activeElement;
  const field = element("textarea",
    { class: "visually-hidden", "aria-hidden": "true", readonly: true });
  field.value = text;
  // Inside an open dialog, outside of which nothing can be selected.
  (document.querySelector("dialog[open]") ?? document.body).append(field);
  field.select();
  const isCopied = document.execCommand("copy");
  field.remove();
  focused?.focus({ preventScroll: true });
  return isCopied;
}
