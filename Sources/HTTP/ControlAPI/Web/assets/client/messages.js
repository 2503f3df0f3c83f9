// Messages to all, to a role or to one person. Pure: converts between the wire's form and the
// page's.

/**
 * @typedef {{kind: "everybody"} | {kind: "role", role: string}
 *           | {kind: "peer", peerID: string, name: string}} Audience
 */

export const everybody = { kind: "everybody" };

/** The parameters of `broadcast`. @param {Audience} audience */
export function outgoing(text, audience) {
  const info = { message: text, type: "chat" };
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
export function messagesFrom(method, { peer, info, roles, private: isPrivate, timestamp }) {
  if (method !== "on-broadcast" || typeof info?.message !== "string" || !info.message) return [];
  const name = peer?.info?.name ?? "Server";
  const to = roles?.length ? `to ${roles.map(roleWord).join(", ")}` : "";
  const message = { name, text: info.message, at: new Date(timestamp), isMine: false };
  const mark = isPrivate ? "to you only" : to;
  return [["message", { ...message, peerID: peer?.peer_id ?? null, mark }]];
}

/** The mark beside one's own message: its audience; empty for all. @param {Audience} audience */
export function markOf(audience) {
  if (audience.kind === "role") return `to ${roleWord(audience.role)}`;
  return audience.kind === "peer" ? `to ${audience.name} only` : "";
}

const roleWord = (name) => `role ${name}`;
