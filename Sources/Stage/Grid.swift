/// Tiles that a grid shows; who comes later is heard but not seen.
public let maximumGridTiles = 25

/// Equal tiles in rows, the last row centred.
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
/// A portrait canvas has columns and rows exchanged. A shared screen is a tile like any other,
/// placed first. Without a gap, full rows cover the canvas to the last sample.
public func grid(
    _ participants: [Participant], on canvas: Canvas, options: LayoutOptions = .init()
) -> [Tile] {
    let shown = participants.sorted(by: Participant.precedes).prefix(maximumGridTiles)
    let rectangles = gridRectangles(count: shown.count, on: canvas, gap: options.gap)
    return zip(shown, rectangles).map { participant, rectangle in
        Tile(
            participant: participant, rectangle: rectangle,
            fit: participant.isScreen ? .letterbox : options.fit)
    }
}

/// The grid's rectangles alone, row by row. Empty when the canvas is too small for them.
public func gridRectangles(count: Int, on canvas: Canvas, gap: Int = 0) -> [Rectangle] {
    guard count > 0 else { return [] }
    let count = min(count, maximumGridTiles)
    let (columns, rows) = gridShape(count: count, isPortrait: canvas.isPortrait)
    let across = Track(length: canvas.width, cells: columns, gap: gap)
    let down = Track(length: canvas.height, cells: rows, gap: gap)
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

/// One direction of a grid: cells with gaps between them along a side of the canvas.
private struct Track {
    let length: Int
    let cells: Int
    let gap: Int

    init(length: Int, cells: Int, gap: Int) {
        self.length = length.evenFloor
        self.cells = cells
        // At least half of the side stays picture.
        let widest = cells > 1 ? self.length / 2 / (cells - 1) : 0
        self.gap = min(max(0, gap), widest).evenFloor
    }

    private var pictureLength: Int { length - gap * (cells - 1) }
    var smallestCell: Int { (pictureLength / cells).evenFloor }

    /// Cell `index` of a line that has `count` of them. In a full line the edges are spread so that
    /// cells differ by two samples at most and leave nothing over; a shorter line is centred.
    func cell(_ index: Int, of count: Int) -> Range<Int> {
        if count == cells {
            let start = edge(index) + index * gap
            return start..<(start + edge(index + 1) - edge(index))
        }
        let used = smallestCell * count + gap * (count - 1)
        let start = ((length - used) / 2).evenFloor + index * (smallestCell + gap)
        return start..<(start + smallestCell)
    }

    private func edge(_ index: Int) -> Int { (pictureLength * index / cells).evenFloor }
}
