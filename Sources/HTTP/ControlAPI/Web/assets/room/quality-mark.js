// How well a person receives the room: bars, and words for people who do not see them.

import { element } from "../common/dom.js";
import { t } from "../common/texts.js";

const words = [t("no connection"), t("very poor"), t("poor"), t("fair"), t("good"), t("very good")];
const barCount = 5;

/** Up to this score a mark is worth its space on a tile. */
export const worthTelling = 2;

/** @param {number} score 0 to 5 */
export function qualityWords(score) {
  return t("network {quality}", { quality: words[Math.round(score)] });
}

export function qualityMark() {
  const bars = Array.from({ length: barCount }, () => element("i"));
  return element("span", { class: "quality", role: "img", "data-testid": "quality" }, ...bars);
}

/** @param {number|null} score null shows nothing */
export function showQuality(node, score) {
  node.hidden = score === null;
  if (score === null) return;
  const level = Math.round(score);
  node.dataset.score = String(level);
  const text = t("Network: {quality}", { quality: words[level] });
  node.setAttribute("aria-label", text);
  node.title = text;
  [...node.children].forEach((bar, index) => bar.classList.toggle("lit", index < level));
}
