// Comma-separated values as in RFC 4180. Pure.

/**
 * The rows of a text, each a list of its fields. Quoted fields may have commas, quotes and line
 * breaks. What follows a closing quote belongs to the field, as in spreadsheets.
 * @param {string} text
 * @param {object} [limits]
 * @param {boolean} [limits.isCut] the text may end within a row, which is then left out
 * @param {number} [limits.most] rows that are wanted
 */
export function parseRows(text, { isCut = false, most = Infinity } = {}) {
  const rows = [];
  let at = text.startsWith("\ufeff") ? 1 : 0;
  while (at < text.length && rows.length < most) {
    const { fields, next, isEnded } = rowAt(text, at);
    if (!isEnded && isCut) break;
    rows.push(fields);
    at = next;
  }
  return rows;
}

/** The row that begins there; it is ended by a line break. */
function rowAt(text, begin) {
  const fields = [];
  let at = begin;
  for (;;) {
    const { value, end } = fieldAt(text, at);
    fields.push(value);
    if (text[end] === ",") {
      at = end + 1;
      continue;
    }
    const isPair = text[end] === "\r" && text[end + 1] === "\n";
    return { fields, next: end + (isPair ? 2 : 1), isEnded: end < text.length };
  }
}

const plainEnd = /[,\r\n]/g;

function fieldAt(text, begin) {
  let value = "";
  let at = begin;
  if (text[at] === "\"") {
    for (;;) {
      const quote = text.indexOf("\"", at + 1);
      if (quote < 0) return { value: value + text.slice(at + 1), end: text.length };
      value += text.slice(at + 1, quote);
      at = quote + 1;
      if (text[at] !== "\"") break;
      value += "\""; // two stand for one
    }
  }
  plainEnd.lastIndex = at;
  const end = plainEnd.exec(text)?.index ?? text.length;
  return { value: value + text.slice(at, end), end };
}
