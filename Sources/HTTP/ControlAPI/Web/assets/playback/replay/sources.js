// Which of a recording's files are shown beside the player, and getting them.

import { timeOfDay } from "../../common/dom.js";
import { parsePlaylist } from "../player/playlist.js";
import { chatLines } from "./chat-lines.js";
import { RecordingClock } from "./recording-clock.js";
import { transcriptLines } from "./transcript-lines.js";

const chatBytes = 4 << 20; // of the beginning
const transcriptBytes = 16 << 20; // a longer one is not read

/**
 * @param {object} card a recording, as the server lists it
 * @returns {{chat: object|null, transcripts: object[]}} assets
 */
export function replayOf({ assets }) {
  const isThere = ({ type, url }, wanted) => type === wanted && Boolean(url);
  return {
    chat: assets.find((one) => isThere(one, "chat")) ?? null,
    transcripts: assets.filter((one) => isThere(one, "transcript")
      && new URL(one.url, location.href).pathname.endsWith(".json")),
  };
}

/**
 * The chat's lines. If the recording has no playlist, nobody knows where in it they belong: their
 * `at` is null then, and `clock` the time of the day.
 * @param {object} asset
 * @param {string|null} master the address of the recording's playlist
 * @throws if the chat cannot be had
 */
export async function loadChat(asset, master, signal) {
  const [{ text, isCut }, clock] = await Promise.all([
    beginningOf(asset, signal), loadClock(master, signal),
  ]);
  const { lines, isWhole } = chatLines(text, { isCut });
  const placed = lines.map((line) => clock
    ? { ...line, at: clock.placeOf(line.sentAt) }
    : { ...line, at: null, clock: timeOfDay(new Date(line.sentAt * 1000)) });
  return { lines: placed, isWhole, isPlaced: clock !== null };
}

/** @throws if it cannot be had */
export async function loadTranscript(asset, signal) {
  if (asset.size > transcriptBytes) throw new RangeError("It is too long.");
  const answer = await get(asset.url, signal);
  return transcriptLines(await answer.json());
}

async function beginningOf({ url, size }, signal) {
  const isLong = size > chatBytes;
  const answer = await get(url, signal, isLong ? { Range: `bytes=0-${chatBytes - 1}` } : {});
  return { text: await answer.text(), isCut: isLong && answer.status === 206 };
}

/** Null if there is none, it cannot be had, or it has no dates. */
async function loadClock(master, signal) {
  if (!master) return null;
  try {
    const { layers } = await playlist(master, signal);
    const { segments } = await playlist(layers.at(-1).url, signal);
    const clock = new RecordingClock(segments);
    return clock.isKnown ? clock : null;
  } catch (error) {
    signal.throwIfAborted();
    console.warn("The recording's playlist cannot be read:", error);
    return null;
  }
}

async function playlist(url, signal) {
  const answer = await get(url, signal);
  return parsePlaylist(await answer.text(), answer.url);
}

async function get(url, signal, headers = {}) {
  const answer = await fetch(url, { signal, headers });
  if (!answer.ok) throw new Error(`The server answered ${answer.status}.`);
  return answer;
}
