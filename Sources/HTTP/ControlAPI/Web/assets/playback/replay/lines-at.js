// Which lines there are at a time of the recording. Pure.

const tolerance = 0.02; // s by which browsers miss the place that they are sent to

/**
 * How many lines have begun.
 * @param {{at: number}[]} lines by time
 * @param {number} time s
 */
export function countAt(lines, time) {
  let [low, high] = [0, lines.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (lines[middle].at <= time + tolerance) low = middle + 1;
    else high = middle;
  }
  return low;
}
