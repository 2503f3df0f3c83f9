// Messages to all, to a role or to one person, and reactions. Pure: converts between the wire's
// form and the page's.

import { reactionIn, reactionType } from "./reactions.js";
import { roleText } from "../common/role-text.js";
import { t, tn } from "../common/texts.js";

/**
 * @typedef {{kind: "everybody"} | {kind: "role", role: string}
 *           | {kind: "peer", peerID: string, name: string}} Audience
 */

export const everybody = { kind: "everybody" };

/** The key of the session's store under which 100ms' clients keep the ids of deleted messages. */
export const deletedKey = "chatMessageBlacklist";

/** The parameters of `broadcast`. @param {Audience} audience @param {string|null} replyTo an id */
export function outgoing(text, audience, replyTo = null) {
  const info = { message: text, type: "chat", ...(replyTo ? { reply_to: replyTo } : {}) };
  switch (audience.kind) {
    case "role":
      return { info, roles: [audience.role] };
    case "peer":
      return { info, peer_id: audience.peerID };
    default:
      return { info };
  }
}

/**
 * A message from another peer, as the client's event; empty for a message without text. A message
 * without a peer comes from the server itself.
 */
export function messagesFrom(method, params) {
  if (method === "on-metadata-change") return deletionsFrom(params);
  const { peer, info, message_id: id, timestamp } = params;
  if (method !== "on-broadcast" || typeof info?.message !== "string" || !info.message) return [];
  const name = peer?.info?.name ?? t("Server");
  const peerID = peer?.peer_id ?? null;
  if (info.type === reactionType) {
    const reaction = reactionIn(info.message);
    return reaction ? [["reaction", { ...reaction, name, peerID, isMine: false }]] : [];
  }
  const { reply_to: replyTo = null } = info;
  const sent = { id, name, text: info.message, at: new Date(timestamp), isMine: false, replyTo };
  return [["message", { ...sent, peerID, mark: markFrom(params), audience: answerTo(params) }]];
}

function deletionsFrom({ values = [] }) {
  return values.filter(({ key, data }) => key === deletedKey && Array.isArray(data))
    .map(({ data }) => ["deleted", { ids: data }]);
}

function markFrom({ roles, private: isPrivate }) {
  if (isPrivate) return t("to you only");
  return roles?.length ? rolesMark(roles) : "";
}

/** For whom an answer to the message is. @returns {Audience} */
function answerTo({ peer, roles, private: isPrivate }) {
  if (isPrivate && peer) return { kind: "peer", peerID: peer.peer_id, name: peer.info?.name ?? "" };
  return roles?.length ? { kind: "role", role: roles[0] } : everybody;
}

/** The mark beside one's own message: its audience; empty for all. @param {Audience} audience */
export function markOf(audience) {
  const { kind, role, name } = audience;
  if (kind === "role") return rolesMark([role]);
  return kind === "peer" ? t("to {name} only", { name }) : "";
}

/** The mark beside a message to some roles. @param {string[]} roles */
export const rolesMark = (roles) => tn(roles.length,
  { one: "to role {roles}", other: "to roles {roles}" }, { roles: roles.map(roleText).join(", ") });
