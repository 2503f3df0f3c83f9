// Emoji that float up over a tile, or over the stage for people without one, and disappear.

import { element } from "../../common/dom.js";

const shownFor = 2600; // ms, as in reactions.css
const countMaximum = 24; // at once, whoever sends them
const shown = [];

/**
 * @param {Element} place a tile, or the stage
 * @param {string} emoji
 * @param {string} [name] of the sender, where the place does not say it
 */
export function float(place, emoji, name = "") {
  // Not read: the announcer tells it.
  const node = element("span",
    { class: "floating", "aria-hidden": "true", "data-testid": "floating" },
    element("span", { class: "floating-emoji" }, emoji),
    name ? element("span", { class: "floating-name" }, name) : null);
  node.style.setProperty("--lane", String(Math.floor(Math.random() * 5)));
  place.append(node);
  shown.push(node);
  if (shown.length > countMaximum) shown.shift().remove();
  setTimeout(() => {
    node.remove();
    const index = shown.indexOf(node);
    if (index >= 0) shown.splice(index, 1);
  }, shownFor);
}
