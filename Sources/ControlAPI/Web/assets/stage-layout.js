// Where the tiles go. Pure: sizes in, rectangles out.

const gap = 10; // px
const aspects = [16 / 9, 3 / 2, 4 / 3, 1, 4 / 5];

/** `count` tiles of one size, as large as they can be, the last row centred. */
function gridOf(count, { x, y, width, height }) {
  let best = { area: 0 };
  for (let columns = 1; columns <= count; columns += 1) {
    const rows = Math.ceil(count / columns);
    const cellWidth = (width - gap * (columns - 1)) / columns;
    const cellHeight = (height - gap * (rows - 1)) / rows;
    for (const aspect of aspects) {
      const tileWidth = Math.floor(Math.min(cellWidth, cellHeight * aspect));
      const tileHeight = Math.floor(tileWidth / aspect);
      // A hair's preference for wide tiles, which is what cameras give.
      const area = tileWidth * tileHeight * (aspect > 1.7 ? 1.12 : 1);
      if (area > best.area) best = { area, columns, rows, tileWidth, tileHeight };
    }
  }
  if (best.area <= 0) return [];
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

/**
 * The first `screens` tiles share the large part, the others a strip beside or below it.
 * @returns {{x: number, y: number, width: number, height: number}[]} one for each tile, in order
 */
export function layout(screens, cameras, width, height) {
  const whole = { x: 0, y: 0, width, height };
  if (screens === 0) return gridOf(cameras, whole);
  if (cameras === 0) return gridOf(screens, whole);
  const isWide = width > height;
  const strip = isWide
    ? Math.min(280, Math.max(140, width * 0.22))
    : Math.min(200, Math.max(90, height * 0.22));
  const large = isWide
    ? { ...whole, width: width - strip - gap }
    : { ...whole, height: height - strip - gap };
  const small = isWide
    ? { x: width - strip, y: 0, width: strip, height }
    : { x: 0, y: height - strip, width, height: strip };
  const shared = screens === 1 ? [large] : gridOf(screens, large);
  return [...shared, ...gridOf(cameras, small)];
}
