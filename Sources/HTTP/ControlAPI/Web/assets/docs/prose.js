// The few marks of Markdown that descriptions have: paragraphs, lists, `code` and [links](…).

import { element } from "../common/dom.js";
import { language } from "../common/texts.js";

/** The language of descriptions, where the page has another one. */
export const english = language === "en" ? null : "en";

/** @returns {Element[]} */
export function prose(text) {
  return text.trim().split(/\n\s*\n/).filter(Boolean).map((part) => {
    const items = part.split(/\n(?=- )/);
    if (!items[0].startsWith("- ")) return element("p", { lang: english }, ...line(part));
    return element("ul", { class: "docs-list", lang: english }, ...items.map((item) =>
      element("li", {}, ...line(item.slice(2)))));
  });
}

/** One line's text and elements. */
export function line(text) {
  return text.split(/(`[^`]+`|\[[^\]]+\]\([^)\s]+\))/).filter(Boolean).map((part) => {
    const link = /^\[([^\]]+)\]\((https?:\/\/[^)]+|\/[^)]*|#[^)]*)\)$/.exec(part);
    if (link) return element("a", { href: link[2] }, ...line(link[1]));
    if (part.length > 2 && part.startsWith("`")) return element("code", {}, part.slice(1, -1));
    return part;
  });
}
