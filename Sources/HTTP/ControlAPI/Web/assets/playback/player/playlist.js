// Playlists of HTTP Live Streaming (RFC 8216 and its successor). Pure. Unknown tags are skipped,
// and a tag with an impossible value counts as missing, so a playlist is refused only if it is
// none.

import { t } from "../../common/texts.js";

const linesMaximum = 200_000; // 24 hours of parts
const layersMaximum = 20;

/** A text that is no playlist, or one that cannot be used. */
export class PlaylistError extends Error {}

/**
 * @param {string} text
 * @param {string} base the playlist's address
 * @returns {object} a master playlist (`layers`) or a media playlist (`segments`)
 */
export function parsePlaylist(text, base) {
  const lines = text.split(/\r\n|\n|\r/, linesMaximum + 1).map((line) => line.trim());
  if (lines.length > linesMaximum) throw new PlaylistError("The playlist is too long.");
  if (!lines[0]?.replace(/^\ufeff/, "").startsWith("#EXTM3U")) {
    throw new PlaylistError("This is no playlist.");
  }
  const isMaster = lines.some((line) => line.startsWith("#EXT-X-STREAM-INF:"));
  return isMaster ? parseMaster(lines, base) : parseMedia(lines, base);
}

/** `NAME=value,NAME="value"` as an object of texts, without quotes. */
export function parseAttributes(text) {
  const attributes = {};
  for (const [, name, quoted, plain] of text.matchAll(/([A-Z0-9-]+)=(?:"([^"]*)"|([^,]*))/g)) {
    attributes[name] = quoted ?? plain.trim();
  }
  return attributes;
}

function parseMaster(lines, base) {
  const layers = [];
  const subtitles = [];
  let pending = null;
  for (const line of lines) {
    const [tag, value] = split(line);
    if (tag === "#EXT-X-STREAM-INF") pending = parseAttributes(value);
    else if (tag === "#EXT-X-MEDIA") {
      const { TYPE, URI, NAME, LANGUAGE, DEFAULT } = parseAttributes(value);
      if (TYPE === "SUBTITLES" && URI && subtitles.length < layersMaximum) {
        subtitles.push({
          url: resolve(URI, base), name: NAME ?? LANGUAGE ?? t("unnamed"), language: LANGUAGE ?? "",
          isDefault: DEFAULT === "YES",
        });
      }
    } else if (line && !line.startsWith("#") && pending) {
      if (layers.length < layersMaximum) layers.push(layer(pending, resolve(line, base)));
      pending = null;
    }
  }
  if (layers.length === 0) throw new PlaylistError("The playlist has no streams.");
  layers.sort((a, b) => b.bitrate - a.bitrate);
  return { isMaster: true, layers, subtitles };
}

function layer(attributes, url) {
  const [width, height] = (attributes.RESOLUTION ?? "").split("x").map(Number);
  return {
    url,
    bitrate: positive(attributes.BANDWIDTH) ?? 1, // bit/s
    codecs: attributes.CODECS ?? "",
    width: width || 0,
    height: height || 0,
    frameRate: positive(attributes["FRAME-RATE"]) ?? 0,
  };
}

function parseMedia(lines, base) {
  const playlist = {
    isMaster: false,
    url: base,
    targetDuration: 0, // s, as all times here
    partTarget: 0, // 0 without parts
    sequence: 0,
    discontinuity: 0, // of the first segment
    isEnded: false,
    canBlock: false,
    canSkipUntil: 0,
    canSkipDates: false,
    holdBack: 0,
    partHoldBack: 0,
    skipped: 0, // segments that a delta leaves out
    hint: null,
    reports: [],
    segments: [],
  };
  const reader = new MediaReader(playlist, base);
  for (const line of lines) reader.read(line);
  return reader.finish();
}

/** Reads the lines of a media playlist in order. */
class MediaReader {
  #playlist;
  #base;
  #duration = null;
  #date = null;
  #map = null;
  #range = null;
  #rangeEnd = new Map(); // of the previous range of a resource
  #parts = [];
  #isGap = false;
  #discontinuity = 0;

  constructor(playlist, base) {
    this.#playlist = playlist;
    this.#base = base;
  }

  read(line) {
    if (!line) return;
    if (!line.startsWith("#")) return this.#addSegment(line);
    const [tag, value] = split(line);
    const playlist = this.#playlist;
    switch (tag) {
      case "#EXT-X-TARGETDURATION":
        playlist.targetDuration = positive(value) ?? 0;
        break;
      case "#EXT-X-MEDIA-SEQUENCE":
        playlist.sequence = count(value);
        break;
      case "#EXT-X-DISCONTINUITY-SEQUENCE":
        playlist.discontinuity = this.#discontinuity = count(value);
        break;
      case "#EXT-X-DISCONTINUITY":
        this.#discontinuity += 1;
        break;
      case "#EXT-X-ENDLIST":
        playlist.isEnded = true;
        break;
      case "#EXTINF":
        this.#duration = positive(value.split(",")[0]) ?? 0;
        break;
      case "#EXT-X-PROGRAM-DATE-TIME":
        this.#date = Date.parse(value) / 1000 || null;
        break;
      case "#EXT-X-BYTERANGE":
        this.#range = value;
        break;
      case "#EXT-X-GAP":
        this.#isGap = true;
        break;
      case "#EXT-X-MAP":
        this.#map = this.#resource(parseAttributes(value));
        break;
      default:
        this.#readLowLatency(tag, value);
    }
  }

  #readLowLatency(tag, value) {
    const playlist = this.#playlist;
    const attributes = parseAttributes(value);
    switch (tag) {
      case "#EXT-X-PART-INF":
        playlist.partTarget = positive(attributes["PART-TARGET"]) ?? 0;
        break;
      case "#EXT-X-SERVER-CONTROL":
        playlist.canBlock = attributes["CAN-BLOCK-RELOAD"] === "YES";
        playlist.canSkipUntil = positive(attributes["CAN-SKIP-UNTIL"]) ?? 0;
        playlist.canSkipDates = attributes["CAN-SKIP-DATERANGES"] === "YES";
        playlist.holdBack = positive(attributes["HOLD-BACK"]) ?? 0;
        playlist.partHoldBack = positive(attributes["PART-HOLD-BACK"]) ?? 0;
        break;
      case "#EXT-X-PART": {
        const resource = this.#resource(attributes);
        if (!resource) break;
        this.#parts.push({
          ...resource,
          duration: positive(attributes.DURATION) ?? 0,
          isIndependent: attributes.INDEPENDENT === "YES",
          isGap: attributes.GAP === "YES",
        });
        break;
      }
      case "#EXT-X-PRELOAD-HINT":
        // The end of a range is not known before the part is complete.
        if (attributes.TYPE === "PART" && attributes.URI && !attributes["BYTERANGE-START"]) {
          playlist.hint = { url: resolve(attributes.URI, this.#base), range: null };
        }
        break;
      case "#EXT-X-SKIP":
        playlist.skipped = count(attributes["SKIPPED-SEGMENTS"]);
        break;
      case "#EXT-X-RENDITION-REPORT":
        if (!attributes.URI) break;
        playlist.reports.push({
          url: resolve(attributes.URI, this.#base),
          sequence: count(attributes["LAST-MSN"]),
          part: attributes["LAST-PART"] === undefined ? null : count(attributes["LAST-PART"]),
        });
        break;
      default:
    }
  }

  finish() {
    const playlist = this.#playlist;
    // The segment in progress has only parts.
    if (this.#parts.length > 0 && !playlist.isEnded) this.#push({ url: null, range: null });
    if (!playlist.targetDuration && playlist.segments.length > 0) {
      playlist.targetDuration = Math.max(...playlist.segments.map((one) => one.duration), 1);
    }
    return playlist;
  }

  #addSegment(line) {
    const url = resolve(line, this.#base);
    if (url && this.#duration !== null) this.#push({ url, range: this.#rangeOf(this.#range, url) });
  }

  #push({ url, range }) {
    const parts = this.#parts;
    const { segments, sequence, skipped } = this.#playlist;
    segments.push({
      sequence: sequence + skipped + segments.length,
      discontinuity: this.#discontinuity,
      duration: this.#duration ?? parts.reduce((sum, part) => sum + part.duration, 0),
      date: this.#date,
      map: this.#map,
      url, // null while in progress
      range,
      parts,
      isGap: this.#isGap,
      start: null, // the player's time, once placed
    });
    this.#duration = this.#date = this.#range = null;
    this.#isGap = false;
    this.#parts = [];
  }

  #resource(attributes) {
    const url = attributes.URI ? resolve(attributes.URI, this.#base) : null;
    return url && { url, range: this.#rangeOf(attributes.BYTERANGE, url) };
  }

  /** `length[@start]`; without a start it follows the previous range of the same resource. */
  #rangeOf(text, url) {
    const [length, start] = (text ?? "").split("@").map(Number);
    if (!(length > 0)) return null;
    const begin = start >= 0 ? start : this.#rangeEnd.get(url) ?? 0;
    this.#rangeEnd.set(url, begin + length);
    return { begin, end: begin + length };
  }
}

/**
 * A whole playlist out of a delta and the playlist before it.
 * @returns {object|null} null if the two do not join: then the whole playlist must be loaded
 */
export function joinDelta(before, delta) {
  if (delta.skipped === 0) return delta;
  const first = before ? delta.sequence - before.sequence : -1;
  const kept = first < 0 ? [] : before.segments.slice(first, first + delta.skipped);
  if (kept.length !== delta.skipped || kept.some((one) => one.url === null)) return null;
  // The tags before the skipped segments count as skipped, too.
  const last = kept.at(-1);
  const shift = kept[0].discontinuity - delta.discontinuity;
  const begun = last.discontinuity - kept[0].discontinuity;
  const segments = delta.segments.map((one) => ({
    ...one, map: one.map ?? last.map, discontinuity: one.discontinuity + shift + begun,
  }));
  return {
    ...delta, skipped: 0, segments: [...kept, ...segments],
  };
}

/** The address of a resource, or null: only HTTP may be fetched. */
function resolve(text, base) {
  try {
    const url = new URL(text, base);
    return /^https?:$/.test(url.protocol) ? url.href : null;
  } catch {
    return null;
  }
}

function split(line) {
  const colon = line.indexOf(":");
  return colon < 0 ? [line, ""] : [line.slice(0, colon), line.slice(colon + 1)];
}

function positive(text) {
  const value = Number.parseFloat(text);
  return Number.isFinite(value) && value > 0 ? value : null;
}

function count(text) {
  const value = Number.parseInt(text, 10);
  return Number.isSafeInteger(value) && value > 0 ? value : 0;
}
