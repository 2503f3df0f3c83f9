// Words for the state of a stream. Pure.

const patience = 10; // s until a wait is mentioned

/**
 * For a stream that does not run yet.
 * @param {{waited: number, restarts?: number, who?: string}} state `waited` in seconds; who: the
 *   one that tries
 */
export function startWords({ waited, restarts = 0, who = "The server" }) {
  if (restarts > 0) return `It did not start and is tried again (attempt ${restarts + 1}).`;
  return waited >= patience ? `It takes longer than usual. ${who} keeps trying.` : "";
}

/** For a stream that is to end. @param {{waited: number}} state in seconds */
export function endWords({ waited }) {
  return waited >= patience
    ? "It takes longer than usual: the last seconds are still being written." : "";
}

/**
 * The missing part of a stream's picture, or an empty text.
 * @param {{frame_rate: number, layers_thinned: number, videos_left_out: number}|null} degradation
 *   as `/api/rooms/<id>/stream` has it
 */
export function lackWords(degradation) {
  if (!degradation) return "";
  const { frame_rate: rate, layers_thinned: layers, videos_left_out: videos } = degradation;
  const parts = [`${rateText(rate)} a second`];
  if (layers > 0) parts.push("even fewer in small sizes");
  if (videos > 0) parts.push(`${videos} ${videos === 1 ? "video" : "videos"} left out`);
  return `The server is short of CPU: ${parts.join(", ")}.`;
}

const namesMaximum = 3; // shown with their reasons

/**
 * The tracks that the stream leaves out, and why, or an empty text.
 * @param {{peer_name: string, reason: string}[]} tracks as in `tracks_left_out` of a variant
 */
export function leftOutWords(tracks) {
  if (tracks.length === 0) return "";
  const named = tracks.slice(0, namesMaximum).map((one) => `${one.peer_name} (${one.reason})`);
  const others = tracks.length - named.length;
  return `Not in the stream: ${named.join(", ")}${others > 0 ? `, and ${others} more` : ""}.`;
}

/**
 * Where the room is pushed to, and how each push fares, or an empty text.
 * @param {{url: string, state: string, reason?: string}[]} pushes
 */
export function pushWords(pushes) {
  const states = {
    connecting: "connecting", live: "live", retrying: "tries again", failed: "failed",
    stopped: "ended",
  };
  return pushes.map(({ url, state, reason }) => {
    const name = url.replace(/^[a-z]+:\/\//, "");
    return `${name}: ${states[state] ?? state}${reason ? ` (${reason})` : ""}`;
  }).join("; ");
}

function rateText(rate) {
  const shown = rate < 10 ? Math.round(rate * 10) / 10 : Math.round(rate);
  return `${shown} ${shown === 1 ? "picture" : "pictures"}`;
}
