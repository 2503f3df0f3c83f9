// Requests to others, and the order of the room: roles, mutes, hands, the end. The server checks
// each call against the permissions of one's role.

import { handRaise } from "./room-state.js";
import { t } from "../common/texts.js";

const searchLimit = 50; // people shown in a search

export class Moderation {
  #call;

  /** @param {(method: string, params: object) => Promise<object>} call of the signalling */
  constructor(call) {
    this.#call = call;
  }

  // MARK: Roles

  /**
   * @param {boolean} isForced false: the person is asked, and may ignore the offer
   * @throws {SignalError} as all calls here
   */
  changeRole(peerID, role, { isForced }) {
    return this.#call("role-change-request", { requested_for: peerID, role, force: isForced });
  }

  /** Gives all peers of a role another role, at once. */
  changeRoles(from, to) {
    return this.#call("role-change-request", { roles: [from], role: to, force: true });
  }

  /** Accepts an offer that came as `role-offer`. */
  acceptRole({ requestedBy, role, token }) {
    return this.#call("role-change", { requested_by: requestedBy, role, token });
  }

  // MARK: Mutes

  /** Mutes at once; to unmute, the person is asked. */
  setTrackMuted(peerID, { id, streamID }, isMuted) {
    return this.#call("track-update-request", {
      requested_for: peerID,
      track_id: id,
      stream_id: streamID,
      mute: isMuted,
    });
  }

  /** Mutes the microphones of all others. */
  muteEverybody() {
    return this.#call("change-track-mute-state-request", {
      value: true,
      type: "audio",
      source: "regular",
    });
  }

  // MARK: Hands

  raiseHand() {
    return this.#call("group-join", { name: handRaise });
  }

  lowerHand() {
    return this.#call("group-leave", { name: handRaise });
  }

  lowerHandOf(peerID) {
    return this.#call("group-remove", { name: handRaise, peer_id: peerID });
  }

  // MARK: The room

  remove(peerID) {
    return this.#call("peer-leave-request", { requested_for: peerID, reason: "" });
  }

  /** @param {boolean} isLocked peers may not join again until the operator enables the room */
  endRoom({ isLocked }) {
    return this.#call("end-room", { lock: isLocked, reason: "" });
  }

  /**
   * People with this text in their names, including unlisted ones of a large room.
   * @returns {Promise<{id: string, name: string, role: string}[]>}
   */
  async search(text) {
    const { peers } = await this.#call("peer-name-search", {
      query: text,
      limit: searchLimit,
      offset: 0,
    });
    return peers.map(({ peer_id: id, name, role }) => ({ id, name, role }));
  }
}

/** @returns {[string, object][]} a request from another peer, as the client's events */
export function requestsFrom(method, params) {
  const { requested_by: requestedBy } = params;
  switch (method) {
    case "on-role-change-request":
      return [["role-offer", { requestedBy, role: params.role, token: params.token }]];
    case "on-track-update-request":
      return [["mute-request", { requestedBy, trackID: params.track_id, isMuted: params.mute }]];
    case "on-change-track-mute-state-request": {
      const { type = null, source = null, value } = params;
      return [["mute-request", { requestedBy, kind: type, source, isMuted: value }]];
    }
    default:
      return [];
  }
}

/** The names of a policy's roles by priority, because the policy has no order on the wire. */
export function rolesInOrder(knownRoles) {
  const priority = (name) => knownRoles[name].priority ?? Number.MAX_SAFE_INTEGER;
  const order = (a, b) => priority(a) - priority(b) || (a < b ? -1 : 1);
  return Object.keys(knownRoles).sort(order);
}

// What the operator's page gives; people write their own.
const operators = {
  "removed by the operator": t("removed by the operator"),
  "ended by the operator": t("ended by the operator"),
};
const reasonText = (reason = "") => operators[reason] ?? t(reason);

/**
 * Why one was removed from the room.
 * @param {{requested_by?: string, reason?: string, room_end?: boolean}} params of
 *   `on-peer-leave-request`
 * @param {{ownID: string, nameOf: (peerID: string) => string}} people nameOf: empty for an unknown
 *   peer, and for oneself
 */
export function dismissalText({ requested_by: requester, reason, room_end: isRoomEnd },
  { ownID, nameOf }) {
  const values = { name: requester ? nameOf(requester) : "", reason: reasonText(reason) };
  if (isRoomEnd) {
    if (requester && requester === ownID) {
      return reason ? t("You ended the room: {reason}", values) : t("You ended the room.");
    }
    if (!values.name && !reason) return t("The room was ended.");
    if (!values.name) return t("The room was ended: {reason}", values);
    return reason ? t("The room was ended by {name}: {reason}", values)
      : t("The room was ended by {name}.", values);
  }
  if (!values.name && !reason) return t("You were removed.");
  if (!values.name) return t("You were removed: {reason}", values);
  return reason ? t("You were removed by {name}: {reason}", values)
    : t("You were removed by {name}.", values);
}
