// Numbers and times as people read them. Pure.

import { sizeText } from "../common/dom.js";
import { decimal, locale, plainText, t } from "../common/texts.js";

const missing = "–";

/** "2.1 Mbit/s" */
export function bitrateText(bits) {
  if (bits === null || bits === undefined) return missing;
  if (bits >= 0.95e6) return `${decimal(bits / 1e6, 1)} Mbit/s`;
  return `${Math.round(bits / 1e3)} kbit/s`;
}

export function bytesText(bytes) {
  return bytes === null || bytes === undefined ? missing : sizeText(bytes);
}

/** "0.83 cores" */
export function coresText(cores) {
  if (cores === null || cores === undefined) return missing;
  const number = decimal(cores, cores < 10 ? 2 : 0);
  return cores === 1 ? t("{number} core", { number }) : t("{number} cores", { number });
}

export function percentText(share) {
  return share === null || share === undefined ? missing : `${Math.round(share * 100)} %`;
}

/** "28.4 of 30" */
export function rateText(rate, wanted) {
  if (wanted === null || wanted === undefined) return t("no picture");
  const part = rate === null || rate === undefined ? missing : plainText(rate);
  return t("{part} of {total} a second", { part, total: plainText(wanted) });
}

/** "3 min", "2 h 5 min", "4 d 3 h" */
export function ageText(milliseconds) {
  const minutes = Math.floor(Math.max(0, milliseconds) / 60000);
  if (minutes < 1) return t("{seconds} s", { seconds: Math.floor(Math.max(0, milliseconds) / 1000) });
  const [days, hours] = [Math.floor(minutes / 1440), Math.floor(minutes / 60) % 24];
  if (days > 0) return t("{days} d {hours} h", { days, hours });
  return hours > 0 ? t("{hours} h {minutes} min", { hours, minutes: minutes % 60 })
    : t("{minutes} min", { minutes });
}

const causes = {
  not_ready: t("not ready"), stood_still: t("stood still"),
  not_finished: t("not finished"), silent: t("silent"),
  server_stopped: t("server stopped"), out_of_memory: t("out of memory"), crashed: t("crashed"),
  outside: t("outside"), gave_up: t("gave up"), not_started: t("not started"),
};

/** Why a process of a stream died. */
export const causeText = (cause) => causes[cause] ?? cause.replaceAll("_", " ");

const types = {
  "room-composite": t("room composite"), "room-vod": t("room vod"), chat: t("chat"),
  transcript: t("transcript"), track: t("track"), stream: t("stream"),
  "audio-mix": t("audio mix"), "track-index": t("track index"), individual: t("individual"),
};

/** What a file of a recording is. */
export const typeText = (type) => types[type] ?? type.replaceAll("-", " ");

const dates = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" });
const clock = new Intl.DateTimeFormat(locale, {
  hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false,
});

export const dateText = (time) => (time ? dates.format(new Date(time)) : missing);
export const clockTime = (time) => clock.format(new Date(time));
