// When and how to ask for a live playlist again. Pure.

/**
 * The address that answers as soon as there is more than in this playlist.
 * @param {object} playlist
 * @param {{age: number, joins?: boolean, waits?: boolean}} how `age`: of the playlist, in s; joins:
 *   whether a delta will do; waits: whether the server may
 */
export function reloadURL(playlist, { age, joins = true, waits = true }) {
  const url = new URL(playlist.url);
  for (const name of ["_HLS_msn", "_HLS_part", "_HLS_skip"]) url.searchParams.delete(name);
  if (playlist.canBlock && waits) {
    const { sequence, part } = nextOf(playlist);
    url.searchParams.set("_HLS_msn", String(sequence));
    if (part !== null) url.searchParams.set("_HLS_part", String(part));
  }
  if (joins && playlist.canSkipUntil > 0 && age < playlist.canSkipUntil / 2) {
    url.searchParams.set("_HLS_skip", playlist.canSkipDates ? "v2" : "YES");
  }
  return url.href;
}

/** The address of another layer's playlist, as new as what a report says it has. */
export function switchURL(playlist, url) {
  const report = playlist?.reports.find((one) => samePath(one.url, url));
  if (!report || !playlist.canBlock) return url;
  const address = new URL(url);
  address.searchParams.set("_HLS_msn", String(report.sequence));
  if (report.part !== null) address.searchParams.set("_HLS_part", String(report.part));
  return address.href;
}

function samePath(a, b) {
  return new URL(a).pathname === new URL(b).pathname;
}

/** The next part, or segment, that the playlist does not have yet. */
export function nextOf(playlist) {
  const last = playlist.segments.at(-1);
  if (!last) return { sequence: playlist.sequence, part: playlist.partTarget > 0 ? 0 : null };
  if (playlist.partTarget === 0) return { sequence: last.sequence + 1, part: null };
  return last.url === null
    ? { sequence: last.sequence, part: last.parts.length }
    : { sequence: last.sequence + 1, part: 0 };
}

/** Predicts from the dates in a playlist when it gets its next segment. */
export class ReloadTimer {
  #leastDelay = Infinity; // from a segment's end, by its date, until it was seen here

  /**
   * How long to wait, in s, after a playlist that was asked for at `asked`.
   * @param {object} playlist
   * @param {{asked: number, now: number, isNew: boolean}} times in s, by the wall clock; isNew:
   *   whether it had something new
   */
  wait(playlist, { asked, now, isNew }) {
    if (playlist.canBlock) return isNew ? 0 : Math.max(asked + 0.25 - now, 0);
    const half = playlist.targetDuration / 2;
    const last = playlist.segments.at(-1);
    if (!isNew || !last) return Math.max(asked + half - now, 0.1);
    let due = asked + (last.duration || playlist.targetDuration);
    if (last.date !== null) {
      const end = last.date + last.duration;
      this.#leastDelay = Math.min(this.#leastDelay, now - end);
      due = Math.min(end + last.duration + this.#leastDelay + 0.05, due);
    }
    return Math.max(due, asked + half) - now;
  }
}
