// Stays near the live edge: by playing a little faster or slower, or by a jump. Pure.

export const rateLeast = 0.97;
export const rateMost = 1.06;
const tolerance = 0.12; // s around the target without a correction
const gain = 0.15; // of rate for each second of error
const stallIncrease = 0.5; // s added to the target by each stall
const stallsMaximum = 6;
const targetsOfPlain = 2; // target durations behind the edge without parts
const tooFarLeast = 2; // s behind the target that are caught up by a jump, and not by the rate
const tooFarMost = 6;
const gapMaximum = 1.5; // s
const loadedShare = 0.6; // of the target, without which playing faster leads to a stall

/** The distance from the edge to aim at, in s. */
export function targetOf(playlist, stalls) {
  const more = Math.min(stalls, stallsMaximum) * stallIncrease;
  if (isLow(playlist)) return (playlist.partHoldBack || 3 * playlist.partTarget) + more;
  return (playlist.holdBack || targetsOfPlain * playlist.targetDuration) + more;
}

/** Whether the playlist has parts, and can be waited for. */
export function isLow(playlist) {
  return playlist.partTarget > 0 && playlist.canBlock && !playlist.isEnded;
}

/**
 * The playback rate.
 * @param {number} distance to the edge, in s
 * @param {number} target s
 * @param {number} ahead buffered media, in s
 */
export function rateFor(distance, target, ahead) {
  const error = distance - target;
  if (Math.abs(error) <= tolerance) return 1;
  const wanted = 1 + gain * (error - Math.sign(error) * tolerance);
  // What is not loaded cannot be caught up.
  const most = ahead < target * loadedShare ? 1 : rateMost;
  return Math.round(Math.min(Math.max(wanted, rateLeast), most) * 100) / 100;
}

/** Whether only a jump leads back to the edge. */
export function isTooFar(distance, target) {
  return distance > target + Math.min(Math.max(target, tooFarLeast), tooFarMost);
}

/**
 * Where to go on when nothing is buffered at this time: behind a hole, or null.
 * @param {{start: number, end: number}[]} ranges buffered
 * @param {number} maximum length of a hole, in s
 */
export function behindGap(ranges, time, maximum = gapMaximum) {
  if (ranges.some(({ start, end }) => start <= time && time < end - 0.05)) return null;
  const next = ranges.find(({ start }) => start > time);
  return next && next.start - time <= maximum ? next.start + 0.01 : null;
}

/** How much is buffered without a hole from this time on, in s. */
export function aheadOf(ranges, time) {
  let end = time;
  for (const range of ranges) if (range.start <= end + 0.1 && range.end > end) end = range.end;
  return end - time;
}
