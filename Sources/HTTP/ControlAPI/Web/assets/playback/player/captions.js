// Captions: segmented WebVTT, one rendition at a time, as cues of a text track of the browser's.

import { load, pause } from "./loader.js";
import { joinDelta, parsePlaylist } from "./playlist.js";
import { ReloadTimer, reloadURL } from "./reload.js";

const patience = 10; // s
const behind = 10; // s of the past to load
const ahead = 30; // s to load in advance
const faultWait = 2; // s
const kept = 300; // s that cues stay
const bytesMaximum = 1024 * 1024; // of one segment
const cuesMaximum = 2000; // of one segment
const mediaRate = 90_000; // of X-TIMESTAMP-MAP, per s
const wrap = 2 ** 33 / mediaRate; // s
const line = -3; // above the controls

const timing =
  /^(?:(\d+):)?(\d\d):(\d\d\.\d{3})[ \t]+-->[ \t]+(?:(\d+):)?(\d\d):(\d\d\.\d{3})(?:[ \t]+(.*))?$/;
const decoder = new TextDecoder();

/**
 * The cues of a segment; times in s. Pure.
 * @returns {{map: {local: number, media: number}|null,
 *   cues: {begin: number, end: number, text: string}[]}}
 */
export function parseCaptions(text) {
  const blocks = text.replace(/^\ufeff/, "").replace(/\r\n?/g, "\n").split(/\n{2,}/);
  if (!blocks[0].startsWith("WEBVTT")) return { map: null, cues: [] };
  const header = /X-TIMESTAMP-MAP=(.*)/.exec(blocks[0])?.[1] ?? "";
  const local = /LOCAL:(?:(\d+):)?(\d\d):(\d\d\.\d{3})/.exec(header);
  const media = /MPEGTS:(\d+)/.exec(header);
  const map = local && media
    ? { local: seconds(...local.slice(1)), media: Number(media[1]) / mediaRate } : null;
  const cues = [];
  for (const block of blocks.slice(1, cuesMaximum + 1)) {
    const lines = block.split("\n").filter((one, index, all) => one || index < all.length - 1);
    const at = lines.findIndex((one) => one.includes("-->"));
    const found = at >= 0 && at <= 1 && timing.exec(lines[at]);
    if (!found) continue;
    const [begin, end] = [seconds(...found.slice(1, 4)), seconds(...found.slice(4, 7))];
    if (end > begin) cues.push({ begin, end, text: lines.slice(at + 1).join("\n") });
  }
  return { map, cues };
}

function seconds(hours, minutes, rest) {
  return Number(hours ?? 0) * 3600 + Number(minutes) * 60 + Number(rest);
}

/** A cue's shift to the player's clock. The media's clock begins anew every 26 hours. Pure. */
export function shiftOf(map, offset, expected) {
  const shift = (map ? map.media - map.local : 0) + offset;
  const turns = Math.round((expected - ((map?.local ?? 0) + shift)) / wrap);
  return shift + (map ? turns * wrap : 0);
}

export class Captions {
  #video;
  #engine;
  #track = null; // the one shown
  #control = null;
  chosen = null; // read-only: the rendition shown

  constructor(video, engine) {
    this.#video = video;
    this.#engine = engine;
  }

  /** @param {{url: string, name: string, language: string}|null} rendition null for none */
  choose(rendition) {
    this.#control?.abort();
    if (this.#track) this.#track.mode = "disabled";
    this.#track = null;
    this.chosen = rendition;
    if (!rendition) return;
    const track = this.#track = trackOf(this.#video, rendition);
    track.mode = "showing";
    for (const cue of [...track.cues ?? []]) track.removeCue(cue);
    const control = this.#control = new AbortController();
    this.#keep(rendition.url, track, control.signal).catch(() => {}); // it was stopped
  }

  stop() {
    this.choose(null);
  }

  async #keep(url, track, signal) {
    const timer = new ReloadTimer();
    const loaded = new Map(); // by address: where it ends, in s
    let playlist = null;
    let newest = "";
    for (;;) {
      const asked = Date.now() / 1000;
      let wait = faultWait;
      try {
        if (!playlist?.isEnded) {
          playlist = await this.#playlist(url, playlist, signal);
          this.#engine.timeline.locate(playlist);
        }
        await this.#loadCues(playlist, track, loaded, signal);
        const now = [playlist.segments.at(-1)?.sequence, playlist.segments.at(-1)?.parts.length];
        const isNew = now.join() !== newest;
        newest = now.join();
        wait = playlist.isEnded ? 1
          : timer.wait(playlist, { asked, now: Date.now() / 1000, isNew });
      } catch {
        signal.throwIfAborted();
      }
      await pause(Math.max(wait, 0.1), signal);
    }
  }

  async #playlist(url, before, signal) {
    const address = before ? reloadURL(before, { age: 0 }) : url;
    const { bytes } = await load({ url: address, range: null }, { signal, patience, attempts: 1 });
    const delta = parsePlaylist(decoder.decode(bytes), url);
    const whole = delta.isMaster ? null : joinDelta(before, delta);
    if (!whole) throw new Error("The playlist of captions cannot be read.");
    return whole;
  }

  async #loadCues(playlist, track, loaded, signal) {
    const time = this.#video.currentTime;
    for (const segment of playlist.segments) {
      const { start, duration, discontinuity } = segment;
      const offset = this.#engine.offset(discontinuity);
      const isNear = start + duration > time - behind && start < time + ahead;
      if (!isNear || offset === undefined) continue;
      const pieces = segment.url ? [segment] : segment.parts;
      for (const piece of pieces) {
        if (!piece.url || loaded.has(piece.url)) continue;
        const { bytes } = await load(piece, { signal, patience, attempts: 2 });
        loaded.set(piece.url, start + duration);
        if (bytes.byteLength > bytesMaximum) continue;
        const { map, cues } = parseCaptions(decoder.decode(bytes));
        addCues(track, cues, shiftOf(map, offset, start));
      }
    }
    for (const cue of [...track.cues ?? []]) {
      if (cue.endTime < time - kept) track.removeCue(cue);
    }
    // Who goes back gets them again.
    for (const [address, end] of loaded) if (end < time - kept) loaded.delete(address);
  }
}

const tracks = new WeakMap(); // by video: its text tracks, since they cannot be removed

/** The video's text track for a rendition: the same one for all of its streams. */
function trackOf(video, { name, language }) {
  if (!tracks.has(video)) tracks.set(video, new Map());
  const all = tracks.get(video);
  const key = `${language} ${name}`;
  if (!all.has(key)) all.set(key, video.addTextTrack("captions", name, language));
  return all.get(key);
}

/** A cue that spans segments is in each of them, and those of parts are in the segment again. */
function addCues(track, cues, shift) {
  for (const { begin, end, text } of cues) {
    const [startTime, endTime] = [begin + shift, end + shift];
    const isKnown = [...track.cues ?? []].some((one) => one.text === text
      && Math.abs(one.startTime - startTime) < 0.05);
    if (isKnown || startTime < 0) continue;
    const cue = new VTTCue(startTime, endTime, text);
    cue.line = line;
    track.addCue(cue);
  }
}
