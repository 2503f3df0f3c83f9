// The few marks of Markdown that descriptions have: paragraphs, lists, `code` and [links](…).

import { element } from "../common/dom.js";

/** @returns {Element[]} */
export function prose(text) {
  return text.trim().split(/\n\s*\n/).filter(Boolean).map((part) => {
    const items = part.split(/\n(?=- )/);
    if (!items[0].startsWith("- ")) return element("p", {}, ...line(part));
    return element("ul", { class: "docs-list" }, ...items.map((item) =>
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
