/// Equal rectangles in rows, row by row, the last row centred.
///
/// | tiles | columns x rows, landscape |
/// | --- | --- |
/// | 1 | 1x1 |
/// | 2 | 2x1 |
/// | 3–4 | 2x2 |
/// | 5–6 | 3x2 |
/// | 7–9 | 3x3 |
/// | 10–12 | 4x3 |
/// | 13–16 | 4x4 |
/// | 17–20 | 5x4 |
/// | 21–25 | 5x5 |
///
/// A portrait area has columns and rows exchanged. Without a gap, full rows cover the area to the
/// last sample. Empty when the area is too small.
public func gridRectangles(count: Int, in area: Rectangle, gap: Int = 0) -> [Rectangle] {
    guard count > 0 else { return [] }
    let count = min(count, tilesMaximum)
    let (columns, rows) = gridShape(count: count, isPortrait: area.height > area.width)
    let across = SeatLine(from: area.x, length: area.width, cells: columns, gap: gap)
    let down = SeatLine(from: area.y, length: area.height, cells: rows, gap: gap)
    guard across.smallestCell >= 2, down.smallestCell >= 2 else { return [] }
    return (0..<count).map { index in
        let row = index / columns
        let vertical = down.cell(row, of: rows)
        let horizontal = across.cell(index % columns, of: min(columns, count - row * columns))
        return Rectangle(
            x: horizontal.lowerBound, y: vertical.lowerBound, width: horizontal.count,
            height: vertical.count)
    }
}

private func gridShape(count: Int, isPortrait: Bool) -> (columns: Int, rows: Int) {
    let long: Int
    let short: Int
    switch count {
    case 1: (long, short) = (1, 1)
    case 2: (long, short) = (2, 1)
    case 3...4: (long, short) = (2, 2)
    case 5...6: (long, short) = (3, 2)
    case 7...9: (long, short) = (3, 3)
    case 10...12: (long, short) = (4, 3)
    case 13...16: (long, short) = (4, 4)
    case 17...20: (long, short) = (5, 4)
    default: (long, short) = (5, 5)
    }
    return isPortrait ? (short, long) : (long, short)
}
