// What the studio says of a stream and of recordings. Pure.

import { endWords, lackWords, startWords } from "../../playback/stream-words.js";
import { capital, t, tn } from "../../common/texts.js";

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
      return { head: t("Starting …"), text: startWords({ waited, restarts }), mood: "wait" };
    case "ending":
      return { head: t("Ending …"), text: endWords({ waited }), mood: "wait" };
    case "failed":
      return { head: t("The stream failed"), text: capital(error), mood: "bad" };
    case "live": {
      if (!found) return { head: t("Live"), text: "", mood: "good" };
      const replaced = restartWords(restarts);
      const { frame_rate: rate, frame_rate_wanted: wanted } = studio ?? {};
      const reduction = degradation ?? (rate < wanted * wholeRate
        ? { frame_rate: rate, layers_thinned: 0, videos_left_out: 0 } : null);
      const lack = lackWords(reduction, wanted);
      const words = (first) => [first, replaced].filter(Boolean).join(" ");
      if (lack) {
        return { head: t("Live · reduced picture: this machine is busy"), text: words(lack),
          mood: "lack" };
      }
      const all = rate ? tn(Math.round(rate * 10) / 10, { one: "{count} picture a second.",
        other: "{count} pictures a second." }) : "";
      return { head: t("Live · all is well"), text: words(all), mood: "good" };
    }
    default:
      return { head: t("Not on air"), text: "", mood: "off" };
  }
}

function restartWords(count) {
  if (!count) return "";
  return tn(count, { one: "It was interrupted once, and went on by itself.",
    other: "It was interrupted {count} times, and went on by itself." });
}

/** @param {{now: number, peak: number}|undefined} viewers */
export function viewerWords(viewers) {
  if (!viewers) return "";
  const { now, peak } = viewers;
  const watching = tn(now, { one: "{count} person is watching",
    other: "{count} people are watching" });
  return peak > now ? `${watching} · ${t("{count} at most so far", { count: peak })}` : watching;
}

/**
 * What is recorded: the stream, the room, both or nothing. They are different things.
 * @param {{stream: string, room: string, roomWaited: number}} state of each: "none", "starting",
 *   "recording", "paused", "ending" or "failed"; roomWaited: seconds in that of the room
 */
export function recordWords({ stream, room, roomWaited }) {
  const ofStream = {
    starting: t("The stream will be recorded."),
    recording: t("The stream is being recorded. That ends with the stream."),
    paused:
      t("The recording of the stream is paused. Viewers notice nothing; what happens now is "
        + "left out."),
  }[stream];
  const late = roomWaited >= 10;
  const ofRoom = {
    starting: late
      ? `${t("The recording of the room starts …")} ${startWords({ waited: roomWaited })}`
      : t("The recording of the room starts …"),
    recording: t("The room is being recorded, whether or not it is on air."),
    paused: t("The recording of the room is paused."),
    ending: late
      ? `${t("The recording of the room ends …")} ${endWords({ waited: roomWaited })}`
      : t("The recording of the room ends …"),
    failed: t("The recording of the room failed."),
  }[room];
  return [ofStream, ofRoom].filter(Boolean).join(" ") || t("Nothing is being recorded.");
}
