// Elements without markup: foreign text only ever becomes text.

import { decimal, locale } from "./texts.js";

/**
 * @param {string} tag
 * @param {object} attributes `class`, `data-…`, `aria-…` and so on; a function is a listener, so
 *   its name begins with `on`; true sets an empty attribute; false, null and undefined set none
 * @param {...(Node|string|null)} children
 */
export function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (typeof value === "function") node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

/** The element with this id, which the page's HTML must have. */
export function byID(id) {
  const node = document.getElementById(id);
  if (!node) throw new Error(`The page has no element #${id}.`);
  return node;
}

/** Avoids repeated announcements: screen readers announce every change, even to the same text. */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

const places = new WeakMap(); // of a child that `reconcile` removed: its old place

/**
 * Gives `parent` one child per item, in order, and keeps the children of remaining items: a video
 * plays on and the focus stays. If a removed child had the focus, the same control of its successor
 * gets it.
 * @param {{key: (item) => string, create: (item) => Element, update: (node, item) => void}} rules
 */
export function reconcile(parent, items, { key, create, update }) {
  const focused = parent.contains(document.activeElement) ? document.activeElement : null;
  const before = [...parent.children];
  const existing = new Map(before.map((node) => [node.dataset.key, node]));
  let previous = null;
  for (const item of items) {
    const id = key(item);
    let node = existing.get(id);
    existing.delete(id);
    if (!node) {
      node = create(item);
      node.dataset.key = id;
    }
    update(node, item);
    const place = previous ? previous.nextSibling : parent.firstChild;
    if (node !== place) parent.insertBefore(node, place);
    previous = node;
  }
  const gone = new Set(existing.values());
  for (const node of gone) {
    const earlier = before.slice(0, before.indexOf(node));
    places.set(node, { parent, index: earlier.filter((one) => !gone.has(one)).length });
    node.remove();
  }
  // Moved elements lose the focus.
  if (focused && document.activeElement !== focused) giveFocus(focused);
}

/** Returns the focus to a control, or to the successor of one that `reconcile` removed. */
export function giveFocus(control) {
  if (control.isConnected) return control.focus({ preventScroll: true });
  const child = control.getRootNode();
  const { parent, index } = places.get(child) ?? {};
  if (!parent) return;
  if (!parent.isConnected) return giveFocus(parent);
  const rank = controlsOf(child).indexOf(control);
  for (const near of [parent.children[index], parent.children[index - 1]]) {
    const controls = near ? controlsOf(near) : [];
    if ([controls[rank], ...controls].some(takesFocus)) return;
  }
  parent.tabIndex = -1;
  parent.focus();
}

/** All focusable elements; those that Tab reaches come first. */
function controlsOf(node) {
  const all = [node, ...node.querySelectorAll("*")].filter((one) =>
    one.matches("a[href], button, input, select, textarea, [tabindex]"));
  return all.sort((a, b) => (b.tabIndex >= 0) - (a.tabIndex >= 0));
}

/** Whether it has the focus now: hidden elements take none. */
function takesFocus(node) {
  node?.focus();
  return Boolean(node) && document.activeElement === node;
}

/** "AB" for "Ann Berg"; replaces a picture. */
export function initials(name) {
  const words = name.trim().split(/\s+/).filter(Boolean);
  const letters = words.length > 1 ? [words[0], words[words.length - 1]] : words;
  return letters.map((word) => Array.from(word)[0].toUpperCase()).join("") || "?";
}

/** "78 MB", in powers of ten, as for files. */
export function sizeText(bytes) {
  const units = ["B", "kB", "MB", "GB", "TB"];
  const step = Math.min(units.length - 1, bytes < 1 ? 0 : Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1000 ** step;
  return `${decimal(value, value < 10 && step > 0 ? 1 : 0)} ${units[step]}`;
}

/** "4:05" or "1:02:03" for milliseconds. */
export function clockText(milliseconds) {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const shown = parts[0] > 0 ? parts : parts.slice(1);
  return shown.map((part, index) => (index ? String(part).padStart(2, "0") : part)).join(":");
}

const dayTime = new Intl.DateTimeFormat(locale, { hour: "2-digit", minute: "2-digit" });

/** "14:05" for a date, as people in this place write it. */
export function timeOfDay(date) {
  return dayTime.format(date);
}
