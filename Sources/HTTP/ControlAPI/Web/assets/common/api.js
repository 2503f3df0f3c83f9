// The pages' few HTTP requests, apart from the signalling.

import { t } from "./texts.js";

/** An error answer of the server, or a missing answer. */
class RequestError extends Error {
  constructor(status, message) {
    super(message);
    this.name = "RequestError";
    this.status = status;
  }
}

/**
 * An answer as JSON.
 * @param {string} path
 * @param {RequestInit} [options]
 * @throws {RequestError} with the server's own words, if it has any
 */
export async function request(path, options = {}) {
  let response;
  try {
    response = await fetch(path, { cache: "no-store", ...options });
  } catch {
    throw new RequestError(0, t("The server could not be reached."));
  }
  const body = await response.json().catch(() => null);
  if (!response.ok) {
    const { status } = response;
    const message = body?.message ? t(body.message)
      : t("The server answered {status}.", { status });
    throw new RequestError(status, message);
  }
  return body;
}

/** @returns {Promise<{id: string, name: string, peer_count: number, hls: object}[]>} */
export function rooms() {
  return request("/api/rooms");
}

/**
 * @param {string} [roomID] the room whose roles are wanted
 * @returns {Promise<{hls_js_url: string|null, open_tokens: boolean, lists_rooms: boolean,
 *   image_sources: string[], roles: string[], invitations: {role: string, publishes: string[]}[]}>}
 *   image_sources: as in `img-src`; invitations: the roles of those who come without one
 */
export function configuration(roomID) {
  return request(roomID ? `/api/config?room=${encodeURIComponent(roomID)}` : "/api/config");
}

/** The stream of a room for a viewer; `phase` is "none" if there never was one. */
export async function stream(roomID) {
  try {
    const body = await request(`/api/rooms/${encodeURIComponent(roomID)}/stream`);
    return { ...body, phase: phaseOf(body?.state) };
  } catch (error) {
    if (error.status === 404) return { state: "none", phase: "none", url: "" };
    throw error;
  }
}

/** A token for joining a room, if the server gives tokens to pages. */
export async function roomToken(roomID, { role, userID }) {
  const body = await request(`/api/rooms/${encodeURIComponent(roomID)}/token`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ role, user_id: userID }),
  });
  return body.token;
}

/** A token for the room and the role of a room code. */
export async function tokenOfCode(code, userID) {
  const body = await request("/v2/token", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ code, user_id: userID }),
  });
  return body.token;
}

/**
 * Codes for guests of a room, for one of its peers.
 * @returns {Promise<{invitations: {role: string, code: string, publishes: string[]}[]}>}
 */
export function roomInvitations(roomID, { token, peerID }) {
  return request(`/api/rooms/${encodeURIComponent(roomID)}/invitations`, {
    method: "POST",
    headers: { ...bearer(token), "Content-Type": "application/json" },
    body: JSON.stringify({ peer_id: peerID ?? "" }),
  });
}

/**
 * A page of recordings, newest first; `last` is the start of the next page, or empty.
 * @param {string} token may be empty
 * @param {{search?: string, room_id?: string, after?: string, before?: string, start?: string,
 *          limit?: number}} wish without those that are empty
 * @returns {Promise<{data: object[], last: string, may_change: boolean}>}
 */
export function recordings(token, wish) {
  const wanted = Object.entries(wish).filter(([, value]) => value);
  return request(`/api/recordings?${new URLSearchParams(wanted)}`, { headers: bearer(token) });
}

/** What is known of one recording. */
export function recording(token, id) {
  return request(recordingPath(id), { headers: bearer(token) });
}

/** @param {string} name empty for none */
export function renameRecording(token, id, name) {
  return request(recordingPath(id), {
    method: "PATCH",
    headers: { ...bearer(token), "Content-Type": "application/json" },
    body: JSON.stringify({ name }),
  });
}

export function deleteRecording(token, id) {
  return request(recordingPath(id), { method: "DELETE", headers: bearer(token) });
}

/** The address of a page that shows a recording to anybody. @returns {Promise<{url: string}>} */
export function recordingLink(token, id, seconds) {
  return request(`${recordingPath(id)}/link?seconds=${seconds}`, { headers: bearer(token) });
}

/** The recording of such an address. */
export function sharedRecording(link) {
  return request(`/api/shared/${encodeURIComponent(link)}`);
}

const recordingPath = (id) => `/api/recordings/${encodeURIComponent(id)}`;
const bearer = (token) => (token ? { Authorization: `Bearer ${token}` } : {});

/**
 * A stream's state in the viewer's terms, from the API's or the room's.
 * @returns {"none"|"starting"|"live"|"ended"|"failed"}
 */
export function phaseOf(state) {
  switch (state) {
    case "starting":
    case "initialised":
      return "starting";
    case "running":
    case "started":
      return "live";
    case "stopping":
    case "post_processing":
    case "completed":
    case "stopped":
      return "ended";
    case "failed":
      return "failed";
    default:
      return "none";
  }
}
