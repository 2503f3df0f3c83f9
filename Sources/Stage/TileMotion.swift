public import MediaKernel

/// A tile on its way, or at rest.
public struct MovingTile: Hashable, Sendable {
    public var tile: Tile
    /// Where it is; `tile.rectangle` is where it comes to rest.
    public var rectangle: Rectangle
    /// 0 (unseen) to 255.
    public var opacity: UInt8

    public init(_ tile: Tile, rectangle: Rectangle, opacity: UInt8 = 255) {
        self.tile = tile
        self.rectangle = rectangle
        self.opacity = opacity
    }

    /// At rest.
    public init(_ tile: Tile) { self.init(tile, rectangle: tile.rectangle) }
}

/// The way from one arrangement of tiles to the next: who stays slides to the new place, who comes
/// fades in there, who goes fades out where they were.
public struct TileMotion: Hashable, Sendable {
    private let start: [Tile.ID: MovingTile]
    private let leaving: [MovingTile]
    public private(set) var destination: [Tile]
    private let began: Instant
    private let duration: Duration

    /// - Parameters:
    ///   - start: what is shown now, which may be on its way itself.
    ///   - began: the first frame of the motion shows the start.
    public init(
        from start: [MovingTile], to destination: [Tile], at began: Instant,
        lasting duration: Duration
    ) {
        self.start = Dictionary(start.map { ($0.tile.id, $0) }, uniquingKeysWith: { a, _ in a })
        let staying = Set(destination.map(\.id))
        leaving = start.filter { !staying.contains($0.tile.id) && $0.opacity > 0 }
        self.destination = destination
        self.began = began
        self.duration = duration
    }

    /// The same motion when the tiles at its end have changed in content, though not in place.
    public func arriving(at destination: [Tile]) -> TileMotion {
        var motion = self
        motion.destination = destination
        return motion
    }

    public func isOver(at now: Instant) -> Bool { now - began >= duration }

    /// Who is there at a moment, in the order of painting: who leaves lies below.
    public func tiles(at now: Instant) -> [MovingTile] {
        guard !isOver(at: now) else { return destination.map { MovingTile($0) } }
        let share = max(0, (now - began).inSeconds / duration.inSeconds)
        // Gentle at both ends.
        let eased = share * share * (3 - 2 * share)
        let gone = leaving.map { tile in
            var tile = tile
            tile.opacity = UInt8((Double(tile.opacity) * (1 - eased)).rounded())
            return tile
        }
        let here = destination.map { tile in
            let origin = start[tile.id]
            return MovingTile(
                tile,
                rectangle: origin.map {
                    $0.rectangle.moved(towards: tile.rectangle, share: eased)
                } ?? tile.rectangle,
                opacity: Self.between(origin?.opacity ?? 0, 255, eased))
        }
        return gone + here
    }

    private static func between(_ a: UInt8, _ b: UInt8, _ share: Double) -> UInt8 {
        let distance = Double(b) - Double(a)
        return UInt8((Double(a) + distance * share).rounded())
    }
}

extension Rectangle {
    /// A rectangle between two, with even sides as all are.
    func moved(towards other: Rectangle, share: Double) -> Rectangle {
        func between(_ a: Int, _ b: Int) -> Int {
            Int((Double(a) + Double(b - a) * share).rounded()).evenFloor
        }
        let left = between(x, other.x)
        let top = between(y, other.y)
        return Rectangle(
            x: left, y: top, width: max(2, between(maximumX, other.maximumX) - left),
            height: max(2, between(maximumY, other.maximumY) - top))
    }
}
