// Places the tiles. Pure: sizes in, rectangles out.

const gap = 10; // px
const leastGridWidth = 150; // px
const leastStripWidth = 104; // px
const gridMaximum = 25;
const stripMaximum = 12;
const fewPlaces = 2; // one of them counts the hidden peers; the other is for a peer
// Cameras' pictures are wide. Narrower tiles, which cut them, count for less than their area; less
// so on an upright stage, where wide ones are small.
const aspects = [
  { aspect: 16 / 9, worth: 1, worthUpright: 1 },
  { aspect: 3 / 2, worth: 0.8, worthUpright: 0.92 },
  { aspect: 4 / 3, worth: 0.68, worthUpright: 0.85 },
  { aspect: 1, worth: 0.45, worthUpright: 0.6 },
];
const leastShown = 0.6; // of a picture; one of which less would be seen is shown whole

/** `count` tiles of one size, as large as possible, the last row centred. */
function gridOf(count, { x, y, width, height }) {
  const isUpright = height > width;
  let best = { score: 0 };
  for (let columns = 1; columns <= count; columns += 1) {
    const rows = Math.ceil(count / columns);
    const cellWidth = (width - gap * (columns - 1)) / columns;
    const cellHeight = (height - gap * (rows - 1)) / rows;
    for (const { aspect, worth, worthUpright } of aspects) {
      const tileWidth = Math.floor(Math.min(cellWidth, cellHeight * aspect));
      const tileHeight = Math.floor(tileWidth / aspect);
      const score = tileWidth * tileHeight * (isUpright ? worthUpright : worth);
      if (score > best.score) best = { score, columns, rows, tileWidth, tileHeight };
    }
  }
  if (best.score <= 0) return [];
  const { columns, rows, tileWidth, tileHeight } = best;
  const top = y + (height - rows * tileHeight - (rows - 1) * gap) / 2;
  return Array.from({ length: count }, (_, index) => {
    const row = Math.floor(index / columns);
    const inRow = row === rows - 1 ? count - columns * (rows - 1) : columns;
    const left = x + (width - inRow * tileWidth - (inRow - 1) * gap) / 2;
    return {
      x: Math.round(left + (index % columns) * (tileWidth + gap)),
      y: Math.round(top + row * (tileHeight + gap)),
      width: tileWidth,
      height: tileHeight,
    };
  });
}

/** The stage's part for the large tiles, and the strip beside or below it. */
function divided(width, height) {
  const isWide = width > height;
  const strip = isWide
    ? Math.min(280, Math.max(140, width * 0.22))
    : Math.min(200, Math.max(90, height * 0.22));
  return isWide
    ? {
        large: { x: 0, y: 0, width: width - strip - gap, height },
        small: { x: width - strip, y: 0, width: strip, height },
      }
    : {
        large: { x: 0, y: 0, width, height: height - strip - gap },
        small: { x: 0, y: height - strip, width, height: strip },
      };
}

/**
 * The first `large` tiles share the large part, the others a strip beside or below it; if there are
 * only large or only small tiles, they share the whole stage.
 * @returns {{x: number, y: number, width: number, height: number}[]} one for each tile, in order
 */
export function layout(large, small, width, height) {
  const whole = { x: 0, y: 0, width, height };
  if (large === 0) return gridOf(small, whole);
  if (small === 0) return gridOf(large, whole);
  const parts = divided(width, height);
  const shared = large === 1 ? [parts.large] : gridOf(large, parts.large);
  return [...shared, ...gridOf(small, parts.small)];
}

/**
 * Whether a picture would lose too much in a tile that it fills, so that it is shown whole.
 * @param {{width: number, height: number}} picture 0 while unknown
 * @param {{width: number, height: number}} tile
 */
export function fitsWhole(picture, tile) {
  if (!picture.width || !picture.height || !tile.width || !tile.height) return false;
  const ratio = (picture.width / picture.height) / (tile.width / tile.height);
  return Math.min(ratio, 1 / ratio) < leastShown;
}

/** The most tiles before faces are too small to recognise. */
function capacity({ width, height }, leastWidth, maximum) {
  const fitting = (length, least) => Math.floor((length + gap) / (least + gap));
  const count = fitting(width, leastWidth) * fitting(height, leastWidth * (9 / 16));
  return Math.min(maximum, Math.max(1, count));
}

/**
 * The tiles on the stage, and the large ones among them: the pinned one, or else shared screens, or
 * else in the speaker view the active speaker. If not all fit, the most recent speakers stay, and
 * one's own tile, unless it would be the only face.
 *
 * @param {{key: string, peerID: string, source: string, isLocal: boolean}[]} tiles
 * @param {{isSpeakerView: boolean, pinned: string|null, speaker: string|null,
 *          spoke: Map<string, number>}} wish pinned: a tile's key; speaker: a peer's id; spoke: the
 *   later a peer spoke, the higher
 * @returns {{large: object[], small: object[], left: object[]}} left: tiles that are not on the
 *   stage
 */
export function cast(tiles, { isSpeakerView, pinned, speaker, spoke }, width, height) {
  const pin = tiles.filter((tile) => tile.key === pinned);
  const screens = tiles.filter((tile) => tile.source === "screen");
  const faces = tiles.filter((tile) => tile.source !== "screen");
  const speaking = faces.find((tile) => tile.peerID === speaker);
  const first = speaking ?? faces.find((tile) => !tile.isLocal) ?? faces[0];
  const spotlight = isSpeakerView && first ? [first] : [];
  const large = [pin, screens, spotlight].find((some) => some.length > 0) ?? [];

  const others = tiles.filter((tile) => !large.includes(tile));
  const room = large.length > 0
    ? capacity(divided(width, height).small, leastStripWidth, stripMaximum)
    : capacity({ width, height }, leastGridWidth, gridMaximum);
  if (others.length <= room) return { large, small: others, left: [] };
  const rank = (tile) => {
    if (tile.source === "screen") return Infinity;
    if (tile.isLocal) return room > fewPlaces ? Infinity : -1;
    return spoke.get(tile.peerID) ?? 0;
  };
  // One place is for the tile that counts the hidden ones.
  const staying = new Set([...others].sort((a, b) => compare(rank(b), rank(a))).slice(0, room - 1));
  return {
    large,
    small: others.filter((tile) => staying.has(tile)),
    left: others.filter((tile) => !staying.has(tile)),
  };
}

/** Works for infinities too. */
const compare = (a, b) => (a > b ? 1 : a < b ? -1 : 0);

/**
 * The quality to request for a camera of this height on the page, among the layers of a role's
 * simulcast: a quarter, a half, or all of 720 lines.
 * @param {number} height in the screen's physical pixels
 * @returns {"low"|"medium"|"high"}
 */
export function layerFor(height) {
  if (height <= 200) return "low";
  return height <= 400 ? "medium" : "high";
}
