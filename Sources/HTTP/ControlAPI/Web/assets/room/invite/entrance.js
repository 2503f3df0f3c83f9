// How somebody comes in: by a token in the address, by a room code, or by a role that the address
// names; or by none, and then as a guest.

import { roomToken, tokenOfCode } from "../../common/api.js";
import { capital, t } from "../../common/texts.js";

export class Entrance {
  /** The role that the address names; empty if it leaves the choice. */
  role;
  #roomID;
  #token;
  #code;

  /** @param {URLSearchParams} query of the address */
  constructor(roomID, query) {
    this.#roomID = roomID;
    this.#token = query.get("auth_token");
    this.#code = query.get("code");
    this.role = query.get("role") ?? "";
  }

  /** Whether the role is settled, in what only the server reads. */
  get hasToken() {
    return this.#token !== null || this.#code !== null;
  }

  /** A room token. @throws {RequestError} */
  async token({ role, userID }) {
    if (this.#token !== null) return this.#token;
    if (this.#code !== null) return tokenOfCode(this.#code, userID);
    return roomToken(this.#roomID, { role, userID });
  }

  /**
   * The roles to choose from.
   * @param {{roles: string[], invitations: {role: string}[]}} settings of the room
   */
  rolesIn({ roles, invitations }) {
    if (this.role && roles.includes(this.role)) return [this.role];
    return invitations.map((one) => one.role);
  }
}

/**
 * Why somebody cannot come in, and what they can do.
 * @param {{code?: number, status?: number}} error
 */
export function entranceWords(error) {
  const code = error.code ?? error.status ?? 0;
  const reason = capital(error.message).replace(/\.$/, "");
  const advice = adviceOn(code);
  // What is wrong with a token is for whoever made it.
  if (statusOf(code) === 401) return `${advice} (${reason})`;
  return advice ? `${reason}. ${advice}` : `${reason}.`;
}

/** The codes of 100ms begin with that of HTTP. */
const statusOf = (code) => (code >= 40000 ? Math.floor(code / 100) : code);

function adviceOn(code) {
  const status = statusOf(code);
  if (code === 40001 || code === 40002 || status === 404) {
    return t("Check the link, or ask whoever invited you for a new one.");
  }
  switch (status) {
    case 401:
      return t("The link is not valid any more. Ask whoever invited you for a new one.");
    case 403:
      return t("Try again later, or ask whoever hosts the room.");
    case 410:
      return t("The room is over. Ask whoever hosted it.");
    case 429:
    case 503:
      return t("Try again in a moment.");
    default:
      return "";
  }
}
