// Words for the state of a stream. Pure.

import { plainText, t, tn } from "../common/texts.js";

const patience = 10; // s until a wait is mentioned

/**
 * For a stream that does not run yet.
 * @param {{waited: number, restarts?: number, isPage?: boolean}} state `waited` in seconds; isPage:
 *   the page tries, not the server
 */
export function startWords({ waited, restarts = 0, isPage = false }) {
  if (restarts > 0) {
    return t("It did not start and is tried again (attempt {count}).", { count: restarts + 1 });
  }
  if (waited < patience) return "";
  return isPage ? t("It takes longer than usual. This page keeps trying.")
    : t("It takes longer than usual. The server keeps trying.");
}

/** For a stream that is to end. @param {{waited: number}} state in seconds */
export function endWords({ waited }) {
  return waited >= patience
    ? t("It takes longer than usual: the last seconds are still being written.") : "";
}

/**
 * The missing part of a stream's picture, or an empty text.
 * @param {{frame_rate: number, layers_thinned: number, videos_left_out: number}|null} degradation
 *   as `/api/rooms/<id>/stream` has it
 * @param {number} [wanted] pictures a second, if that is known
 */
export function lackWords(degradation, wanted) {
  if (!degradation) return "";
  return t("The server is short of CPU: {details}.", { details: lacks(degradation, wanted) });
}

/** The same figures in the same words for viewers, hosts and operators. */
export function lacks(degradation, wanted) {
  const { frame_rate: rate, layers_thinned: layers, videos_left_out: videos } = degradation;
  const parts = [wanted > 0
    ? t("{rate} of {wanted} pictures a second",
      { rate: plainText(rate), wanted: plainText(wanted) })
    : tn(Math.round(rate * 10) / 10,
      { one: "{count} picture a second", other: "{count} pictures a second" })];
  if (layers > 0) parts.push(t("even fewer in small sizes"));
  if (videos > 0) {
    parts.push(tn(videos, { one: "{count} video left out", other: "{count} videos left out" }));
  }
  return parts.join(", ");
}

const namesMaximum = 3; // shown with their reasons

/**
 * The tracks that the stream leaves out, and why, or an empty text.
 * @param {{peer_name: string, reason: string}[]} tracks as in `tracks_left_out` of a variant
 */
export function leftOutWords(tracks) {
  if (tracks.length === 0) return "";
  const named = tracks.slice(0, namesMaximum).map((one) => `${one.peer_name} (${t(one.reason)})`);
  const others = tracks.length - named.length;
  const names = named.join(", ");
  return others > 0 ? t("Not in the stream: {names}, and {count} more.", { names, count: others })
    : t("Not in the stream: {names}.", { names });
}

/**
 * Where the room is pushed to, and how each push fares, or an empty text.
 * @param {{url: string, state: string, reason?: string}[]} pushes
 */
export function pushWords(pushes) {
  const states = {
    connecting: t("connecting"), live: t("live"), retrying: t("tries again"),
    failed: t("failed"), stopped: t("ended"),
  };
  return pushes.map(({ url, state, reason }) => {
    const name = url.replace(/^[a-z]+:\/\//, "");
    return `${name}: ${states[state] ?? state}${reason ? ` (${t(reason)})` : ""}`;
  }).join("; ");
}
