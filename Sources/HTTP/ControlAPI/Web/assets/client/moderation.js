// What a participant asks of others, and the order of the room: roles, mutes, hands, the end.
// Each call is checked by the server against the permissions of one's role.

import { handRaise } from "./room-state.js";

const searchLimit = 50; // people shown of a search

export class Moderation {
  #call;

  /** @param {(method: string, params: object) => Promise<object>} call of the signalling */
  constructor(call) {
    this.#call = call;
  }

  // MARK: Roles

  /**
   * @param {boolean} isForced false: the person is asked, and may let the offer pass
   * @throws {SignalError} as all calls here
   */
  changeRole(peerID, role, { isForced }) {
    return this.#call("role-change-request", { requested_for: peerID, role, force: isForced });
  }

  /** Gives everybody of a role another one, at once. */
  changeRoles(from, to) {
    return this.#call("role-change-request", { roles: [from], role: to, force: true });
  }

  /** Takes an offer that came as `role-offer`. */
  acceptRole({ requestedBy, role, token }) {
    return this.#call("role-change", { requested_by: requestedBy, role, token });
  }

  // MARK: Mutes

  /** Who is to be muted is so at once; who is to unmute is asked. */
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

  /** @param {boolean} isLocked nobody comes in again until the room is enabled by its operator */
  endRoom({ isLocked }) {
    return this.#call("end-room", { lock: isLocked, reason: "" });
  }

  /**
   * People whose names hold this text, also those of a large room who are not listed.
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

/** @returns {[string, object][]} a request of somebody else, as the client's events */
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

/** The names of a policy's roles, by priority, as the policy itself has no order on the wire. */
export function rolesInOrder(knownRoles) {
  const priority = (name) => knownRoles[name].priority ?? Number.MAX_SAFE_INTEGER;
  const order = (a, b) => priority(a) - priority(b) || (a < b ? -1 : 1);
  return Object.keys(knownRoles).sort(order);
}

/**
 * Why one is out of the room.
 * @param {{requested_by?: string, reason?: string, room_end?: boolean}} params of
 *   `on-peer-leave-request`
 * @param {(peerID: string) => string} nameOf empty where nobody knows; "you" for oneself
 */
export function dismissalText({ requested_by: requester, reason, room_end: isRoomEnd }, nameOf) {
  const name = requester ? nameOf(requester) : "";
  const what = isRoomEnd ? "The room was ended" : "You were removed";
  return `${what}${name ? ` by ${name}` : ""}${reason ? `: ${reason}` : "."}`;
}
