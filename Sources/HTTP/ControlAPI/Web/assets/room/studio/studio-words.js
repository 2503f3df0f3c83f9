// What the studio says of a stream and of recordings. Pure.

import { endWords, lackWords, startWords } from "../../playback/stream-words.js";

const wholeRate = 0.9; // of the wanted pictures a second counts as all of them

/**
 * How the stream fares, in a headline and a sentence.
 * @param {{phase: string, waited: number, found: object, error?: string}} state phase: of
 *   on-air.js; waited: seconds in it; found: the last answer of `/api/rooms/<id>/stream`, null
 *   before the first
 * @returns {{head: string, text: string, mood: "off"|"wait"|"good"|"lack"|"bad"}}
 */
export function healthWords({ phase, waited, found, error = "" }) {
  const { bot_restarts: restarts = 0, degradation = null, studio = null } = found ?? {};
  switch (phase) {
    case "starting":
      return { head: "Starting …", text: startWords({ waited, restarts }), mood: "wait" };
    case "ending":
      return { head: "Ending …", text: endWords({ waited }), mood: "wait" };
    case "failed":
      return { head: "The stream failed", text: error, mood: "bad" };
    case "live": {
      if (!found) return { head: "Live", text: "", mood: "good" };
      const replaced = restartWords(restarts);
      const { frame_rate: rate, frame_rate_wanted: wanted } = studio ?? {};
      const lack = degradation ? lackWords(degradation)
        : rate < wanted * wholeRate ? `${Math.round(rate)} of ${wanted} pictures a second.` : "";
      const words = (first) => [first, replaced].filter(Boolean).join(" ");
      if (lack) {
        return { head: "Live · reduced picture: this machine is busy", text: words(lack),
          mood: "lack" };
      }
      const all = rate ? `${Math.round(rate)} pictures a second.` : "";
      return { head: "Live · all is well", text: words(all), mood: "good" };
    }
    default:
      return { head: "Not on air", text: "", mood: "off" };
  }
}

function restartWords(count) {
  if (!count) return "";
  return `It was interrupted ${count === 1 ? "once" : `${count} times`}, and went on by itself.`;
}

/** @param {{now: number, peak: number}|undefined} viewers */
export function viewerWords(viewers) {
  if (!viewers) return "";
  const { now, peak } = viewers;
  const watching = now === 1 ? "1 person is watching" : `${now} people are watching`;
  return peak > now ? `${watching} · ${peak} at most so far` : watching;
}

/**
 * What is recorded: the stream, the room, both or nothing. They are different things.
 * @param {{stream: string, room: string, roomWaited: number}} state of each: "none", "starting",
 *   "recording", "paused", "ending" or "failed"; roomWaited: seconds in that of the room
 */
export function recordWords({ stream, room, roomWaited }) {
  const ofStream = {
    starting: "The stream will be recorded.",
    recording: "The stream is being recorded. That ends with the stream.",
    paused: "The recording of the stream is paused. Viewers notice nothing; what happens now is"
      + " left out.",
  }[stream];
  const late = roomWaited >= 10;
  const ofRoom = {
    starting: "The recording of the room starts …"
      + (late ? " It takes longer than usual. The server keeps trying." : ""),
    recording: "The room is being recorded, whether or not it is on air.",
    paused: "The recording of the room is paused.",
    ending: "The recording of the room ends …" + (late
      ? " It takes longer than usual: the last seconds are still being written." : ""),
    failed: "The recording of the room failed.",
  }[room];
  return [ofStream, ofRoom].filter(Boolean).join(" ") || "Nothing is being recorded.";
}
