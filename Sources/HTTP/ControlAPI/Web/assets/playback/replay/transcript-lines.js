// A transcript in the form `json`, as lines beside the player, and the search in it. Pure.

import { linesMaximum, shortened } from "./chat-lines.js";

const nameMaximum = 100; // characters
const textMaximum = 2000;

/**
 * @param {object} document the parsed file
 * @returns {{language: string, isWhole: boolean, lines: {at: number, name: string, text: string}[]}}
 *   at: in s of the recording
 */
export function transcriptLines(document) {
  const said = Array.isArray(document?.transcript) ? document.transcript : [];
  const lines = said.slice(0, linesMaximum)
    .filter((one) => Number.isFinite(one?.start_ms) && typeof one.text === "string")
    .map((one) => ({
      at: Math.max(one.start_ms, 0) / 1000,
      name: shortened(typeof one.peer_name === "string" ? one.peer_name : "", nameMaximum),
      text: shortened(one.text.trim(), textMaximum),
    }))
    .filter(({ text }) => text !== "")
    .sort((a, b) => a.at - b.at);
  const language = typeof document?.language === "string" ? document.language : "";
  return { language, lines, isWhole: said.length <= linesMaximum };
}

/** What is sought, in the form of {@link marked}: without case, and without outer spaces. */
export function wishOf(text) {
  return text.trim().toLowerCase();
}

/** Whether the line's text or its speaker has what is sought; everything has nothing. */
export function matches({ name, text }, wish) {
  return text.toLowerCase().includes(wish) || name.toLowerCase().includes(wish);
}

/**
 * A text in pieces; every other one, from the second on, is what is sought.
 * @returns {string[]}
 */
export function marked(text, wish) {
  const lower = text.toLowerCase();
  // A few letters change their length with their case, so places would not be the same.
  if (!wish || lower.length !== text.length) return [text];
  const pieces = [];
  let begin = 0;
  for (let at = lower.indexOf(wish); at >= 0; at = lower.indexOf(wish, begin)) {
    pieces.push(text.slice(begin, at), text.slice(at, at + wish.length));
    begin = at + wish.length;
  }
  return [...pieces, text.slice(begin)];
}
