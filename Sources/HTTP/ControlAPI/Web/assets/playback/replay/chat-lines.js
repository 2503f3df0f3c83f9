// The recorded chat, as lines beside the player. Pure.

import { reactionType } from "../../client/reactions.js";
import { parseRows } from "./csv.js";
import { linesMaximum, nameMaximum, shortened } from "./limits.js";

const textMaximum = 4000;
const rolesMaximum = 8;

const signs = new Set("=+-@＝＋－＠");

/**
 * The messages of a chat's CSV file, in the order in which they were sent, without reactions.
 * @param {string} text the file, or its beginning
 * @param {{isCut?: boolean}} [options] isCut: the end of the file is missing
 * @returns {{lines: {sentAt: number, name: string, text: string, to: string[]}[],
 *   isWhole: boolean}} sentAt: in s since 1970; to: the roles that it was for; none for all
 */
export function chatLines(text, { isCut = false } = {}) {
  const [header = [], ...rows] = parseRows(text, { isCut, most: linesMaximum + 2 });
  const column = (name) => header.indexOf(name);
  const [name, userID, roles, sentAt, type, message] =
    ["SenderName", "SenderUserID", "Roles", "SentAt", "Type", "Message"].map(column);
  const said = rows.slice(0, linesMaximum).filter((row) => row[type] !== reactionType);
  const lines = said.map((row) => ({
    sentAt: Date.parse(row[sentAt]) / 1000,
    name: shortened(unguarded(row[name] || row[userID] || ""), nameMaximum),
    text: shortened(unguarded(row[message] ?? ""), textMaximum),
    to: rolesOf(row[roles]),
  }));
  return {
    lines: lines.filter((line) => Number.isFinite(line.sentAt) && line.text !== "")
      .sort((a, b) => a.sentAt - b.sentAt),
    isWhole: !isCut && rows.length <= linesMaximum,
  };
}

/**
 * A field as it was sent: the file has an apostrophe wherever a spreadsheet would begin a formula,
 * which is at the beginning, and behind a semicolon, a tab or a line break.
 */
export function unguarded(field) {
  let text = "";
  let canBegin = true;
  let kept = 0; // what is before is in `text`
  for (let at = 0; at < field.length; at += 1) {
    const [character, next] = [field[at], field[at + 1]];
    const isGuard = canBegin && character === "'"
      && (signs.has(next) || at === 0 && (next === "\t" || next === "\r"));
    if (isGuard) {
      text += field.slice(kept, at);
      kept = at + 1;
      canBegin = !signs.has(next);
      if (!canBegin) at += 1; // the sign itself
    } else if (";\t\r\n".includes(character)) canBegin = true;
    else if (character !== " " && character !== "\"") canBegin = false;
  }
  return text + field.slice(kept);
}

function rolesOf(field) {
  try {
    const roles = JSON.parse(field);
    if (!Array.isArray(roles)) return [];
    return roles.filter((role) => typeof role === "string").slice(0, rolesMaximum)
      .map((role) => shortened(role, nameMaximum));
  } catch {
    return [];
  }
}
