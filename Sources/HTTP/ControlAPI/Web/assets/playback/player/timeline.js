// Where segments are on the player's clock. All layers have the same segments, so what is known of
// one holds for the others. Behind a discontinuity the media's clock begins anew; the player's goes
// on. Pure.

export class Timeline {
  #anchor = null; // a segment whose place is known
  #offsets = new Map(); // by discontinuity: the player's clock minus the media's, in s

  /** Gives the playlist's segments their starts, and remembers one. */
  place(playlist) {
    const index = this.locate(playlist);
    if (index === null) return;
    const { sequence, date, duration, start } = playlist.segments[index];
    this.#anchor = { sequence, date, duration, start };
  }

  /**
   * Gives the segments of a rendition their starts.
   * @returns {number|null} the segment whose place was known
   */
  locate({ segments }) {
    if (segments.length === 0) return null;
    const { index, start } = this.#anchor ? this.#placeOfOne(segments) : { index: 0, start: 0 };
    for (let at = index, time = start; at < segments.length; at += 1) {
      segments[at].start = time;
      time += segments[at].duration;
    }
    for (let at = index - 1; at >= 0; at -= 1) {
      segments[at].start = segments[at + 1].start - segments[at].duration;
    }
    return index;
  }

  #placeOfOne(segments) {
    const anchor = this.#anchor;
    const same = segments.findIndex((one) => one.sequence === anchor.sequence);
    if (same >= 0) return { index: same, start: anchor.start };
    const first = segments[0];
    // After a long absence nothing is left of what was known but the date.
    // It may also end before it: that of another layer, or of captions.
    const passed = first.date && anchor.date ? first.date - anchor.date
      : Math.max((first.sequence - anchor.sequence) * anchor.duration, 0);
    return { index: 0, start: anchor.start + passed };
  }

  /**
   * What a fragment must be moved by.
   * @param {number|null} begin when it begins by the media's clock
   */
  offset(segment, start, begin) {
    const known = this.#offsets.get(segment.discontinuity);
    if (known !== undefined || begin === null) return known ?? 0;
    const offset = start - begin;
    this.#offsets.set(segment.discontinuity, offset);
    return offset;
  }

  /** What fragments behind this segment's discontinuity are moved by from now on. */
  move(segment, offset) {
    this.#offsets.set(segment.discontinuity, offset);
  }

  /** The offset behind a discontinuity; undefined until one of its fragments was seen. */
  knownOffset(discontinuity) {
    return this.#offsets.get(discontinuity);
  }

  /** A segment's true start, which is better than a sum of rounded durations. */
  correct(segment, start) {
    const { sequence, date, duration } = segment;
    this.#anchor = { sequence, date, duration, start };
  }
}

/** The start of the segment's part, by the player's clock. */
export function partStart(segment, index) {
  return segment.parts.slice(0, index).reduce((sum, part) => sum + part.duration, segment.start);
}

/** The end of a playlist's media by the player's clock. */
export function endOf(playlist) {
  const last = playlist.segments.at(-1);
  return last ? last.start + last.duration : 0;
}

/** The wall clock at a time of the player's clock, in s since 1970; null if the stream has none. */
export function dateAt(playlist, time) {
  const dated = playlist.segments.findLast((one) => one.date !== null && one.start <= time + 0.001)
    ?? playlist.segments.find((one) => one.date !== null);
  return dated ? dated.date + time - dated.start : null;
}
