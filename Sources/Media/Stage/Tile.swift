public import MediaKernel

/// The most tiles of a stage; participants beyond it are heard but not seen.
public let tilesMaximum = 25

/// A participant's place on the canvas.
public struct Tile: Hashable, Sendable {
    public enum Content: Hashable, Sendable {
        case participant(Participant)
        /// The number of participants without a tile of their own.
        case others(Int)
    }

    /// The identity of a tile whose content and place change.
    public enum ID: Hashable, Sendable {
        case person(PeerID)
        case screen(PeerID, TrackID?)
        case others
    }

    public var content: Content
    public var rectangle: Rectangle
    public var fit: TileFit

    public init(_ content: Content, in rectangle: Rectangle, fit: TileFit) {
        self.content = content
        self.rectangle = rectangle
        self.fit = fit
    }

    /// Nil for the tile that counts the others.
    public var participant: Participant? {
        switch content {
        case .participant(let participant): participant
        case .others: nil
        }
    }

    public var id: ID {
        switch content {
        case .participant(let one): one.isScreen ? .screen(one.peer, one.track) : .person(one.peer)
        case .others: .others
        }
    }
}

/// How a picture fills a tile of another shape.
public enum TileFit: String, Hashable, Sendable, CaseIterable {
    /// The picture fills the tile; the excess is cut off equally at both sides.
    case crop
    /// The whole picture is shown; the rest of the tile stays background.
    case letterbox

    /// Which part of the picture goes to which part of the canvas.
    ///
    /// - Parameters:
    ///   - sourceWidth: luma samples of the upright picture, at least 2.
    ///   - sourceHeight: luma samples of the upright picture, at least 2.
    /// - Returns: nil when the picture or the tile is too small to have even sides.
    public func placement(
        sourceWidth: Int, sourceHeight: Int, in tile: Rectangle
    ) -> Placement? {
        let width = sourceWidth.evenFloor
        let height = sourceHeight.evenFloor
        guard width >= 2, height >= 2, tile.width >= 2, tile.height >= 2 else { return nil }
        let whole = Rectangle(x: 0, y: 0, width: width, height: height)
        switch self {
        case .crop:
            let size = Self.largest(
                shapedLike: (tile.width, tile.height), within: (width, height))
            return Placement(source: Self.centred(size, in: whole), destination: tile)
        case .letterbox:
            let size = Self.largest(
                shapedLike: (width, height), within: (tile.width, tile.height))
            return Placement(source: whole, destination: Self.centred(size, in: tile))
        }
    }

    /// The largest even size of a shape that fits, each side rounded to the nearest even number.
    private static func largest(
        shapedLike shape: (width: Int, height: Int), within limit: (width: Int, height: Int)
    ) -> (width: Int, height: Int) {
        func nearestEven(_ product: Int, over divisor: Int) -> Int {
            max(2, (product + divisor) / (2 * divisor) * 2)
        }
        if limit.width * shape.height <= limit.height * shape.width {
            let height = nearestEven(limit.width * shape.height, over: shape.width)
            return (limit.width.evenFloor, min(height, limit.height.evenFloor))
        }
        let width = nearestEven(limit.height * shape.width, over: shape.height)
        return (min(width, limit.width.evenFloor), limit.height.evenFloor)
    }

    private static func centred(
        _ size: (width: Int, height: Int), in area: Rectangle
    ) -> Rectangle {
        Rectangle(
            x: area.x + ((area.width - size.width) / 2).evenFloor,
            y: area.y + ((area.height - size.height) / 2).evenFloor,
            width: size.width, height: size.height)
    }
}

/// The visible part of a source picture, and the part of the canvas that it fills.
public struct Placement: Hashable, Sendable {
    /// In the source's samples.
    public var source: Rectangle
    /// In the canvas's samples.
    public var destination: Rectangle

    public init(source: Rectangle, destination: Rectangle) {
        self.source = source
        self.destination = destination
    }
}
