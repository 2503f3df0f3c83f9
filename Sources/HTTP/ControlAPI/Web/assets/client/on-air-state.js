// The state of a room's stream and recording, from the server's messages. Pure.

import { endText } from "../common/end-text.js";

export const notStreaming = { state: "none", url: "", startedAt: 0, error: "", variants: [] };
export const notRecording = { state: "none", startedAt: 0, since: 0, error: "" };

/**
 * The one streaming state of a room with any number of variants: the most advanced one.
 * @param {{enabled?: boolean, variants?: object[], error?: {code: number, message: string}}} hls
 */
export function streamingFrom(hls) {
  const variants = hls?.variants ?? [];
  if (variants.length === 0 && !hls?.error) return notStreaming;
  const order = ["started", "initialised", "failed", "stopped", "none"];
  const rank = (variant) => order.indexOf(variant.state ?? "none");
  const best = [...variants].sort((a, b) => rank(a) - rank(b))[0] ?? { state: "failed" };
  return {
    state: best.state ?? "none",
    url: best.state === "started" ? (best.url ?? "") : "",
    startedAt: best.started_at ?? 0,
    error: errorText(best.error ?? hls?.error),
    variants,
  };
}

/** @param {{state?: string, started_at?: number, error?: {code: number, message: string}}} recording */
export function recordingFrom(recording) {
  if (!recording) return notRecording;
  return {
    state: recording.state ?? "none",
    startedAt: recording.started_at ?? 0,
    since: recording.initialised_at ?? recording.started_at ?? 0,
    error: errorText(recording.error),
  };
}

/**
 * The places that the room is pushed to, without their keys.
 * @param {{pushes?: {url: string, state: string, reason?: string}[]}} rtmp
 */
export function pushesFrom(rtmp) {
  const isOver = ["none", "stopped"].includes(rtmp?.state ?? "none");
  return isOver ? [] : (rtmp.pushes ?? []);
}

/** Whether a recording is in progress, even if it is paused. */
export const isRunning = ({ state }) =>
  ["initialised", "started", "paused", "resumed"].includes(state);

/** @returns {"none"|"starting"|"recording"|"paused"|"failed"} of a recording */
export function phaseOf({ state }) {
  const phases = {
    initialised: "starting", started: "recording", resumed: "recording", paused: "paused",
    failed: "failed",
  };
  return phases[state] ?? "none";
}

/**
 * The one recording that the lamp shows, the room's own or its stream's: the one in progress, or
 * else the newer one.
 * @returns {{state: string, startedAt: number, error: string,
 *            phase: "none"|"starting"|"recording"|"paused"|"failed"}}
 */
export function shownRecording({ browser, hls }) {
  const shown = [browser, hls].find(isRunning) ?? (hls.since > browser.since ? hls : browser);
  return { ...shown, phase: phaseOf(shown) };
}

/** In the reader's language; empty without an error. */
function errorText(error) {
  return endText(error?.message, error?.code);
}
