// Modal questions. The browser keeps the focus inside, restores it afterwards, and takes Escape for
// no.

import { element, giveFocus } from "./dom.js";
import { toastsIn } from "./toasts.js";

let count = 0;
const open = new Set();

/**
 * Asks and waits for the answer. If the control that had the focus is gone by then, its replacement
 * gets it.
 * @param {{title: string, text?: string, content?: Node[], confirm: string, refuse?: string,
 *          isDanger?: boolean, isUnasked?: boolean, signal?: AbortSignal}} question `refuse` is
 *   missing if there is nothing to decide. `isUnasked`: the question interrupts the user, whose
 *   next key must not answer it, so no button has the focus. `signal`: answers no
 * @returns {Promise<boolean>} whether it was confirmed
 */
export function ask(question) {
  const { title, text = "", content = [], confirm, refuse, isDanger, isUnasked, signal } = question;
  const id = `dialog-${++count}`;
  const heading = element("h2", { id: `${id}-title`, tabindex: isUnasked ? "-1" : null }, title);
  const kind = isDanger ? "button-danger" : "button-primary";
  const yes = element(
    "button",
    { class: `button ${kind}`, type: "submit", value: "yes", "data-testid": "confirm" },
    confirm,
  );
  const no = refuse
    ? element("button", { class: "button", type: "submit", value: "no", "data-testid": "refuse" },
        refuse)
    : null;
  const dialog = element(
    "dialog",
    {
      class: "dialog",
      "aria-labelledby": `${id}-title`,
      "aria-describedby": text ? `${id}-text` : null,
      "data-testid": "dialog",
    },
    element(
      "form",
      { method: "dialog" },
      heading,
      text ? element("p", { class: "quiet", id: `${id}-text` }, text) : null,
      ...content,
      element("div", { class: "dialog-actions" }, no, yes),
    ),
  );
  // Enter in a field would press a form's first button, which is the wrong one.
  dialog.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !event.target.matches("input")) return;
    // Enter accepts text that is being composed. (229: Safari has ended that by then.)
    if (event.isComposing || event.keyCode === 229) return;
    event.preventDefault();
    yes.click();
  });
  const asking = document.activeElement;
  document.body.append(dialog);
  const endToasts = toastsIn(dialog);
  open.add(dialog);
  dialog.showModal();
  if (isUnasked) heading.focus();
  else (content.length > 0 ? firstField(dialog) : yes)?.focus();
  signal?.addEventListener("abort", () => dialog.close("no"));
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      open.delete(dialog);
      endToasts();
      dialog.remove();
      if (!asking.isConnected) giveFocus(asking);
      resolve(dialog.returnValue === "yes");
    });
  });
}

/** Of radio buttons, the one that Tab would reach. */
function firstField(dialog) {
  const first = dialog.querySelector("input, select");
  return first?.type === "radio" ? dialog.querySelector("[type=radio]:checked") ?? first : first;
}

/** Answers all open questions with no. */
export function dismissAll() {
  for (const dialog of [...open]) dialog.close("no");
}

/**
 * A choice as a group of radio buttons.
 * @param {{value: string, text: string, hint?: string}[]} options the first one is chosen
 * @returns {{node: Element, value: () => string}}
 */
export function choice(name, legend, options) {
  const radios = options.map(({ value }, index) =>
    element("input", { type: "radio", name, value, checked: index === 0 }),
  );
  const labels = options.map(({ text, hint }, index) =>
    element(
      "label",
      { class: "option" },
      radios[index],
      element("span", {}, text, hint ? element("small", { class: "quiet" }, hint) : null),
    ),
  );
  const node = element(
    "fieldset",
    { class: "options" },
    element("legend", {}, legend),
    ...labels,
  );
  return { node, value: () => radios.find((radio) => radio.checked).value };
}

/** A field with a label above it. */
export function labelled(text, field) {
  return element("label", { class: "labelled" }, element("span", {}, text), field);
}

/** @returns {{node: Element, isOn: () => boolean}} */
export function checkbox(text, hint, { isOn = false } = {}) {
  const box = element("input", { type: "checkbox", checked: isOn });
  const words = element("span", {}, text, element("small", { class: "quiet" }, hint));
  return { node: element("label", { class: "option" }, box, words), isOn: () => box.checked };
}
