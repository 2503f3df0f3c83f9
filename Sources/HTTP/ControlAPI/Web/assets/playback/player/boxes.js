// The few facts that the player needs of fragmented MP4 (ISO/IEC 14496-12). Pure.

const containers = new Set(["moov", "trak", "mdia", "moof", "traf"]);
const depthMaximum = 8;

function* boxesIn(view, begin = 0, end = view.byteLength, depth = 0) {
  for (let at = begin; at + 8 <= end;) {
    let size = view.getUint32(at);
    let header = 8;
    if (size === 1 && at + 16 <= end) {
      size = Number(view.getBigUint64(at + 8));
      header = 16;
    } else if (size === 0) size = end - at;
    if (size < header || at + size > end) return; // incomplete
    const type = String.fromCharCode(...[4, 5, 6, 7].map((one) => view.getUint8(at + one)));
    yield { type, begin: at + header, end: at + size };
    if (containers.has(type) && depth < depthMaximum) {
      yield* boxesIn(view, at + header, at + size, depth + 1);
    }
    at += size;
  }
}

const viewOf = (bytes) => new DataView(bytes.buffer ?? bytes, bytes.byteOffset ?? 0,
  bytes.byteLength);

/**
 * The tracks of an initialization section, by their ids.
 * @returns {Map<number, {timescale: number, kind: string}>} kind: `vide`, `soun`, …
 */
export function tracksOf(bytes) {
  const view = viewOf(bytes);
  const tracks = new Map();
  let track = null;
  for (const { type, begin, end } of boxesIn(view)) {
    if (type === "tkhd" && end - begin >= 24) {
      track = { timescale: 0, kind: "" };
      tracks.set(view.getUint32(begin + (view.getUint8(begin) === 1 ? 20 : 12)), track);
    } else if (type === "mdhd" && track && end - begin >= 24) {
      track.timescale = view.getUint32(begin + (view.getUint8(begin) === 1 ? 20 : 12));
    } else if (type === "hdlr" && track && end - begin >= 12) {
      track.kind = String.fromCharCode(...[8, 9, 10, 11].map((at) => view.getUint8(begin + at)));
    }
  }
  return tracks;
}

/**
 * When a fragment begins: the presentation time of its first picture, or else of its first sample,
 * in seconds of the media's own clock; null if it has none.
 */
export function beginOf(bytes, tracks) {
  const view = viewOf(bytes);
  const begins = new Map(); // by kind
  let track = null;
  let decoded = null;
  for (const { type, begin, end } of boxesIn(view)) {
    if (type === "mdat") break;
    const version = end - begin >= 8 ? view.getUint8(begin) : 0;
    if (type === "tfhd" && end - begin >= 8) {
      track = tracks.get(view.getUint32(begin + 4)) ?? null;
      decoded = null;
    } else if (type === "tfdt" && end - begin >= (version === 1 ? 12 : 8)) {
      decoded = version === 1 ? Number(view.getBigUint64(begin + 4)) : view.getUint32(begin + 4);
    } else if (type === "trun" && track?.timescale && decoded !== null) {
      const time = (decoded + firstOffset(view, begin, end)) / track.timescale;
      if (!begins.has(track.kind)) begins.set(track.kind, time);
    }
  }
  return begins.get("vide") ?? begins.get("soun") ?? null;
}

/** From the decoding of a run's first sample to its presentation, in units of the track. */
function firstOffset(view, begin, end) {
  const flags = view.getUint32(begin) & 0xffffff;
  if (!(flags & 0x800)) return 0;
  let at = begin + 8;
  for (const flag of [0x1, 0x4, 0x100, 0x200, 0x400]) if (flags & flag) at += 4;
  if (at + 4 > end) return 0;
  return view.getUint8(begin) === 0 ? view.getUint32(at) : view.getInt32(at);
}
