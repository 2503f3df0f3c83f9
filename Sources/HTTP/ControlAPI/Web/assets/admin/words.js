// Numbers and times as people read them. Pure.

import { sizeText } from "../common/dom.js";

const missing = "–";

/** "2.1 Mbit/s" */
export function bitrateText(bits) {
  if (bits === null || bits === undefined) return missing;
  if (bits >= 1e6) return `${(bits / 1e6).toFixed(1)} Mbit/s`;
  return `${Math.round(bits / 1e3)} kbit/s`;
}

export function bytesText(bytes) {
  return bytes === null || bytes === undefined ? missing : sizeText(bytes);
}

/** "0.83 cores" */
export function coresText(cores) {
  if (cores === null || cores === undefined) return missing;
  return `${cores < 10 ? cores.toFixed(2) : Math.round(cores)} ${cores === 1 ? "core" : "cores"}`;
}

export function percentText(share) {
  return share === null || share === undefined ? missing : `${Math.round(share * 100)} %`;
}

/** "28.4 of 30" */
export function rateText(rate, wanted) {
  if (wanted === null || wanted === undefined) return "no picture";
  const shown = rate === null || rate === undefined ? missing : plain(rate);
  return `${shown} of ${plain(wanted)} a second`;
}

function plain(number) {
  return String(Math.round(number * 10) / 10);
}

/** "3 min", "2 h 5 min", "4 d 3 h" */
export function ageText(milliseconds) {
  const minutes = Math.floor(Math.max(0, milliseconds) / 60000);
  if (minutes < 1) return `${Math.floor(Math.max(0, milliseconds) / 1000)} s`;
  const [days, hours] = [Math.floor(minutes / 1440), Math.floor(minutes / 60) % 24];
  if (days > 0) return `${days} d ${hours} h`;
  return hours > 0 ? `${hours} h ${minutes % 60} min` : `${minutes} min`;
}

/** "3 people", "1 person" */
export function countText(count, one, many) {
  return `${count} ${count === 1 ? one : many}`;
}

const dates = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const clock = new Intl.DateTimeFormat(undefined, {
  hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false,
});

export const dateText = (time) => (time ? dates.format(new Date(time)) : missing);
export const clockTime = (time) => clock.format(new Date(time));
