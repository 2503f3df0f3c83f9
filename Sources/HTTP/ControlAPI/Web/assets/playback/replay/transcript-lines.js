// A transcript in the form `json`, as lines beside the player, and the search in it. Pure.

import { linesMaximum, nameMaximum, shortened } from "./limits.js";

const textMaximum = 2000;

/**
 * @param {object} document the parsed file
 * @returns {{language: string, isWhole: boolean, lines: {at: number, name: string, text:
 *   string}[]}} at: in s of the recording
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
export function queryOf(text) {
  return text.trim().toLowerCase();
}

/** Whether the line's text or its speaker has what is sought; an empty query matches every line. */
export function matches({ name, text }, query) {
  return text.toLowerCase().includes(query) || name.toLowerCase().includes(query);
}

/**
 * A text in pieces; every other one, from the second on, is what is sought.
 * @returns {string[]}
 */
export function marked(text, query) {
  const lower = text.toLowerCase();
  // A few letters change their length with their case, so places would not be the same.
  if (!query || lower.length !== text.length) return [text];
  const pieces = [];
  let begin = 0;
  for (let at = lower.indexOf(query); at >= 0; at = lower.indexOf(query, begin)) {
    pieces.push(text.slice(begin, at), text.slice(at, at + query.length));
    begin = at + query.length;
  }
  return [...pieces, text.slice(begin)];
}
