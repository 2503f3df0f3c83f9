// The pages' few HTTP requests, apart from the signalling.

/** An error answer of the server, or a missing answer. */
class RequestError extends Error {
  constructor(status, message) {
    super(message);
    this.name = "RequestError";
    this.status = status;
  }
}

async function request(path, options = {}) {
  let response;
  try {
    response = await fetch(path, { cache: "no-store", ...options });
  } catch {
    throw new RequestError(0, "The server could not be reached.");
  }
  const body = await response.json().catch(() => null);
  if (!response.ok) {
    const message = body?.message ?? `The server answered ${response.status}.`;
    throw new RequestError(response.status, message);
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
 *   image_sources: string[], roles: string[]}>} image_sources: as in `img-src`
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

/**
 * A page of recordings, newest first; `last` is the start of the next page, or empty.
 * @param {{token: string, room: string, start: string}} wish all may be empty
 * @returns {Promise<{data: object[], last: string}>}
 */
export function recordings({ token, room, start }) {
  const query = new URLSearchParams();
  if (room) query.set("room_id", room);
  if (start) query.set("start", start);
  const headers = token ? { Authorization: `Bearer ${token}` } : {};
  return request(`/api/recordings?${query}`, { headers });
}

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
