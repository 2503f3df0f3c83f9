// What the player says of itself. Pure.

import { clockText } from "../../common/dom.js";
import { decimal, t, tn } from "../../common/texts.js";

/** "720p", or the bitrate of a layer without a picture. */
export function layerText({ height, bitrate }) {
  return height > 0 ? `${height}p` : `${Math.round(bitrate / 1000)} kbit/s`;
}

/** "4.2 s", "2:05" or, if it is not known, nothing. */
export function latencyText(seconds) {
  if (seconds === null || !(seconds > -1)) return "";
  const value = Math.max(seconds, 0);
  return value < 60 ? `${decimal(value, 1)} s` : clockText(value * 1000);
}

/** The position for the eye: "1:05 / 2:00", or "−0:32" behind the live edge. */
export function positionText({ time, window, isLive, isBehind }) {
  if (isLive) return isBehind ? `−${clockText((window.end - time) * 1000)}` : "";
  const [now, all] = [time - window.start, window.end - window.start];
  return all > 0 ? `${clockText(now * 1000)} / ${clockText(all * 1000)}` : "";
}

/** The position for screen readers. */
export function spokenPosition({ time, window, isLive, isBehind }) {
  if (isLive) {
    return isBehind ? t("{time} behind live", { time: spoken(window.end - time) }) : t("Live");
  }
  const [now, all] = [time - window.start, window.end - window.start];
  return t("{now} of {all}", { now: spoken(now), all: spoken(all) });
}

function spoken(seconds) {
  const whole = Math.max(Math.round(seconds), 0);
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  const rest = whole % 60;
  return [
    hours > 0 && tn(hours, { one: "{count} hour", other: "{count} hours" }),
    minutes > 0 && tn(minutes, { one: "{count} minute", other: "{count} minutes" }),
    (rest > 0 || whole === 0) && tn(rest, { one: "{count} second", other: "{count} seconds" }),
  ].filter(Boolean).join(" ");
}
