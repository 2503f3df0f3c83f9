// Text with its web addresses as links. Pure apart from `linked`; foreign text only ever becomes
// text.

import { element } from "./dom.js";

const addressMaximum = 2000; // characters
// Ends at blanks, quotes, and characters that change the direction of text, which could hide where
// a link leads.
const address = /\bhttps?:\/\/[^\s<>"\u061c\u200b-\u200f\u202a-\u202e\u2066-\u2069]+/giu;
const trailing = new Set(".,;:!?'’”…*_~");
const brackets = { ")": "(", "]": "[", "}": "{" };

/**
 * The pieces of a text, in order.
 * @returns {{text: string, href: string|null}[]}
 */
export function linkPieces(text) {
  const pieces = [];
  let end = 0;
  const add = (piece, href) => {
    if (piece) pieces.push({ text: piece, href });
  };
  for (const { 0: found, index } of text.matchAll(address)) {
    const shown = withoutEnding(found);
    const href = hrefOf(shown);
    if (!href) continue;
    add(text.slice(end, index), null);
    add(shown, href);
    end = index + shown.length;
  }
  add(text.slice(end), null);
  return pieces;
}

/** @returns {Node[]} */
export function linked(text) {
  return linkPieces(text).map(({ text: piece, href }) =>
    href
      ? element("a", { href, target: "_blank", rel: "noopener noreferrer" }, piece)
      : document.createTextNode(piece));
}

/** Punctuation at the end belongs to the sentence, and so does a bracket that was opened before. */
function withoutEnding(found) {
  let end = found.length;
  const count = (character) => found.slice(0, end).split(character).length - 1;
  for (let steps = 0; end > 0 && steps < 16; steps += 1) {
    const last = found[end - 1];
    const opening = brackets[last];
    if (!trailing.has(last) && !(opening && count(last) > count(opening))) break;
    end -= 1;
  }
  return found.slice(0, end);
}

/** Null for what is no address, or has a name before an @, which would look like the host. */
function hrefOf(text) {
  if (text.length > addressMaximum || !URL.canParse(text)) return null;
  const url = new URL(text);
  const isWeb = url.protocol === "https:" || url.protocol === "http:";
  return isWeb && !url.username && !url.password ? url.href : null;
}
