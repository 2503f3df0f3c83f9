// What to load next: a piece is a whole segment or a part of one. Pure.

import { partStart } from "./timeline.js";

/**
 * The piece from which a picture at this time can be made: the nearest one before it that needs no
 * earlier picture.
 */
export function pieceAt(playlist, time) {
  const segments = playlist.segments.filter((one) => !one.isGap);
  const segment = segments.findLast((one) => one.start <= time + 0.01) ?? segments[0];
  if (!segment) return null;
  const index = segment.parts.findLastIndex((part, at) =>
    (part.isIndependent || at === 0) && !part.isGap && partStart(segment, at) <= time + 0.01);
  if (index > 0 || segment.url === null) return partOf(segment, Math.max(index, 0));
  return wholeOf(segment);
}

/**
 * The piece behind the one loaded last, or null if the playlist does not have it yet.
 * @param {{sequence: number, part: number|null, end: number}} front of the last one; its part is
 *   null if it was a whole segment
 */
export function pieceAfter(playlist, front) {
  const { segments } = playlist;
  const first = segments[0];
  if (!first) return null;
  // Either it was away for long, or the numbers began anew.
  const isElsewhere = front.sequence < first.sequence - 1
    || front.sequence > segments.at(-1).sequence + 2;
  if (isElsewhere) return { ...whole(first), isElsewhere };
  const segment = segments[front.sequence - first.sequence];
  if (segment && front.part !== null) {
    if (front.part + 1 < segment.parts.length) return partOf(segment, front.part + 1);
    if (segment.url === null) return hinted(playlist, segment, front.part + 1);
    // Old segments are listed without their parts.
    const end = segment.start + segment.duration - 0.05;
    const isWhole = segment.parts.length > 0 || front.end >= end;
    if (!isWhole) return wholeOf(segment);
  }
  const next = segments.find((one) => one.sequence > front.sequence && !one.isGap);
  if (next) return whole(next);
  const last = segments.at(-1);
  if (last.sequence !== front.sequence || last.url === null) return null;
  return hinted(playlist, { ...last, sequence: last.sequence + 1, url: null, parts: [], date: null,
    start: last.start + last.duration, duration: 0 }, 0);
}

/** What was loaded last, if it was this piece. */
export function frontBehind({ segment, part, start, duration }) {
  return { sequence: segment.sequence, part, end: start + duration };
}

/** What was loaded last, if this segment is the next. */
export function frontBefore({ sequence, start }) {
  return { sequence: sequence - 1, part: null, end: start };
}

/** The first piece of a segment. */
function whole(segment) {
  return segment.url === null ? partOf(segment, 0) : wholeOf(segment);
}

function wholeOf(segment) {
  const { url, range, start, duration } = segment;
  return { segment, part: null, url, range, start, duration, isHint: false };
}

function partOf(segment, index) {
  const part = segment.parts[index];
  if (!part || part.isGap) return null;
  return {
    segment, part: index, url: part.url, range: part.range, start: partStart(segment, index),
    duration: part.duration, isHint: false,
  };
}

/** A part that the server is still making. */
function hinted(playlist, segment, index) {
  const { hint, partTarget, isEnded } = playlist;
  if (!hint || isEnded || index !== segment.parts.length) return null;
  return {
    segment, part: index, url: hint.url, range: hint.range, start: partStart(segment, index),
    duration: partTarget, isHint: true,
  };
}

/** Whether another layer may begin with this piece. */
export function isEntry(piece) {
  return piece.part === null || piece.part === 0
    || Boolean(piece.segment.parts[piece.part]?.isIndependent);
}
