/// One large rectangle and a line of small ones beside it: on the right in a landscape area, below
/// in any other.
///
/// | area | small ones, at most | their shape |
/// | --- | --- | --- |
/// | landscape | 5, in a column | 16:9 |
/// | square | 5, in a row | 4:3 |
/// | portrait | 4, in a row | 3:4 |
///
/// A strip that is not full is centred. Without small rectangles the large one has the whole area.
public struct LargeAndStrip: Hashable, Sendable {
    public let large: Rectangle
    public let strip: [Rectangle]

    /// The number of small rectangles that fit.
    public static func seats(in area: Rectangle) -> Int { area.height > area.width ? 4 : 5 }

    public init(in area: Rectangle, small count: Int, gap: Int = 0) {
        let seats = Self.seats(in: area)
        let count = max(0, min(count, seats))
        let isColumn = area.width > area.height
        let along = SeatLine(
            from: isColumn ? area.y : area.x, length: isColumn ? area.height : area.width,
            cells: seats, gap: gap)
        let side = isColumn ? area.width : area.height
        let shape = isColumn ? (16, 9) : area.height > area.width ? (4, 3) : (3, 4)
        // The strip takes at most a third of the side.
        let depth = min(along.smallestCell * shape.0 / shape.1, side / 3).evenFloor
        let space = min(along.gap, side / 6).evenFloor
        let rest = side.evenFloor - depth - space
        guard count > 0, along.smallestCell >= 2, depth >= 2, rest >= 2 else {
            large = area
            strip = []
            return
        }
        let beside = rest + space
        large =
            isColumn
            ? Rectangle(x: area.x, y: area.y, width: rest, height: area.height)
            : Rectangle(x: area.x, y: area.y, width: area.width, height: rest)
        strip = (0..<count).map { index in
            let cell = along.cell(index, of: count)
            return isColumn
                ? Rectangle(
                    x: area.x + beside, y: cell.lowerBound, width: depth, height: cell.count)
                : Rectangle(
                    x: cell.lowerBound, y: area.y + beside, width: cell.count, height: depth)
        }
    }
}

/// The small rectangle of `pip`, away from the area's edges.
///
/// - Returns: nil when the area is too small to hold one.
public func insetRectangle(in area: Rectangle, at anchor: Layout.Anchor, gap: Int) -> Rectangle? {
    let isLandscape = area.width > area.height
    let width = (isLandscape ? area.width / 4 : area.width * 3 / 10).evenFloor
    let height: Int
    if isLandscape {
        height = (width * 9 / 16).evenFloor
    } else {
        height = (area.height > area.width ? width * 4 / 3 : width * 3 / 4).evenFloor
    }
    let distance = min(max(gap, min(area.width, area.height) / 30), area.width / 8).evenFloor
    guard width >= 2, height >= 2, height + 2 * distance <= area.height else { return nil }
    let left = area.x + distance
    let right = area.maximumX - distance - width
    let top = area.y + distance
    let bottom = area.maximumY - distance - height
    let (x, y) =
        switch anchor {
        case .topLeft: (left, top)
        case .topRight: (right, top)
        case .bottomLeft: (left, bottom)
        case .bottomRight: (right, bottom)
        case .centre: ((left + right) / 2, (top + bottom) / 2)
        }
    return Rectangle(x: x.evenFloor, y: y.evenFloor, width: width, height: height)
}
