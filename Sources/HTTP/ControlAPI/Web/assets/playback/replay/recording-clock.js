// Where in a recording a moment of the day is. While recording was paused, or its bot was dead,
// nothing was recorded, and the recording's own time stood still. Pure.

const endMargin = 0.25; // s before the end, which players may not reach
const contiguous = 0.5; // s between two segments that count as none

export class RecordingClock {
  #stretches; // that were recorded without a gap: { date, place, length }, in s

  /**
   * @param {{date: number|null, duration: number}[]} segments of a layer's playlist; dates in s
   *   since 1970
   */
  constructor(segments) {
    const stretches = [];
    let place = 0;
    for (const { date, duration } of segments) {
      const last = stretches.at(-1);
      const due = last && last.date + last.length;
      const goesOn = last && (date === null || Math.abs(date - due) < contiguous);
      if (goesOn) last.length = place + duration - last.place;
      else if (date !== null) stretches.push({ date, place, length: duration });
      place += duration;
    }
    this.#stretches = stretches;
  }

  /** Whether the playlist has dates. */
  get isKnown() {
    return this.#stretches.length > 0;
  }

  /**
   * The place in the recording, in s. What belongs to a gap is where the recording goes on, as with
   * captions; what came later than its end is just before the end.
   * @param {number} date s since 1970
   */
  placeOf(date) {
    const stretches = this.#stretches;
    let [low, high] = [0, stretches.length];
    while (low < high) { // the first one that ends later
      const middle = (low + high) >> 1;
      if (stretches[middle].date + stretches[middle].length > date) high = middle;
      else low = middle + 1;
    }
    const last = stretches.at(-1);
    if (!last) return 0;
    const latest = Math.max(last.place + last.length - endMargin, 0);
    if (low === stretches.length) return latest;
    return Math.min(stretches[low].place + Math.max(date - stretches[low].date, 0), latest);
  }
}
