public import MediaKernel

/// A tile in motion or at rest.
public struct MovingTile: Hashable, Sendable {
    public var tile: Tile
    /// Its present place; it comes to rest at `tile.rectangle`.
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

/// The motion from one arrangement of tiles to the next: tiles that stay slide to their new place,
/// new tiles fade in, and removed tiles fade out where they were.
///
/// Where a new tile replaces a removed one, the upper tile fades in and the lower one stays: if
/// both were transparent, the background would shine through halfway.
public struct TileMotion: Hashable, Sendable {
    private let start: [Tile.ID: MovingTile]
    private let leaving: [MovingTile]
    public private(set) var destination: [Tile]
    private let transition: Transition

    /// - Parameters:
    ///   - start: the tiles shown now, which may be in motion themselves.
    ///   - began: the first frame of the motion shows the start.
    public init(
        from start: [MovingTile], to destination: [Tile], at began: Instant,
        lasting duration: Duration
    ) {
        self.start = Dictionary(start.map { ($0.tile.id, $0) }, uniquingKeysWith: { a, _ in a })
        let staying = Set(destination.map(\.id))
        leaving = start.filter { !staying.contains($0.tile.id) && $0.opacity > 0 }
        self.destination = destination
        transition = Transition(at: began, lasting: duration)
    }

    /// The tiles that disappear, in the place where they were.
    public var leavers: [Tile] { leaving.map(\.tile) }

    /// The same motion with new content in the tiles at its end, but the same places.
    public func arriving(at destination: [Tile]) -> TileMotion {
        var motion = self
        motion.destination = destination
        return motion
    }

    public func isOver(at now: Instant) -> Bool { transition.isOver(at: now) }

    /// The tiles at a moment, in painting order: removed tiles lie below.
    public func tiles(at now: Instant) -> [MovingTile] {
        guard !isOver(at: now) else { return destination.map { MovingTile($0) } }
        let share = transition.share(at: now)
        let gone = leaving.map { leaver in
            var tile = leaver
            tile.opacity = Self.between(leaver.opacity, 0, fading(of: leaver, at: now))
            return tile
        }
        let here = destination.map { tile in
            let origin = start[tile.id]
            return MovingTile(
                tile,
                rectangle: origin.map {
                    $0.rectangle.moved(towards: tile.rectangle, share: share)
                } ?? tile.rectangle,
                opacity: Self.between(origin?.opacity ?? 0, 255, share))
        }
        return gone + here
    }

    /// How far a removed tile has faded out, 0 to 1.
    private func fading(of leaver: MovingTile, at now: Instant) -> Double {
        let newcomer = destination.first {
            start[$0.id] == nil && $0.rectangle.contains(leaver.rectangle)
        }
        return switch newcomer?.fit {
        case nil: transition.share(at: now)
        case .crop?: 0
        // The part that the upper tile leaves uncovered must be gone when it has arrived.
        case .letterbox?: transition.lateShare(at: now)
        }
    }

    private static func between(_ a: UInt8, _ b: UInt8, _ share: Double) -> UInt8 {
        let distance = Double(b) - Double(a)
        return UInt8((Double(a) + distance * share).rounded())
    }
}

extension Rectangle {
    /// A rectangle between two, with even sides.
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
