// The WebVTT file beside a sheet of small pictures: the time and the place of each. Pure.

const cue =
  /(?:(\d+):)?(\d\d):(\d\d\.\d{3}) --> (?:(\d+):)?(\d\d):(\d\d\.\d{3}).*\n(.*)#xywh=(\d+),(\d+),(\d+),(\d+)/g;

/**
 * The cues of a WebVTT file of media fragments, with times in seconds.
 * @param {string} base the base of the pictures' addresses
 */
export function parseCues(text, base) {
  const seconds = (hours, minutes, rest) => Number(hours ?? 0) * 3600 + minutes * 60 + Number(rest);
  return [...text.replace(/\r\n?/g, "\n").matchAll(cue)].map((found) => {
    const [x, y, width, height] = found.slice(8).map(Number);
    return {
      begin: seconds(...found.slice(1, 4)),
      end: seconds(...found.slice(4, 7)),
      url: new URL(found[7], base).href,
      x,
      y,
      width,
      height,
    };
  });
}
