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
///
/// Where somebody comes in the place of somebody who goes, the one above fades in and the one below
/// stays: seen through both, the ground would shine up in the middle of the way.
public struct TileMotion: Hashable, Sendable {
    private let start: [Tile.ID: MovingTile]
    private let leaving: [MovingTile]
    public private(set) var destination: [Tile]
    private let transition: Transition

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
        transition = Transition(at: began, lasting: duration)
    }

    /// Tiles that are gone at its end, in the place where they were.
    public var leavers: [Tile] { leaving.map(\.tile) }

    /// The same motion when the tiles at its end have changed in content, though not in place.
    public func arriving(at destination: [Tile]) -> TileMotion {
        var motion = self
        motion.destination = destination
        return motion
    }

    public func isOver(at now: Instant) -> Bool { transition.isOver(at: now) }

    /// Who is there at a moment, in the order of painting: who leaves lies below.
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

    /// How far who leaves has faded out, 0 to 1.
    private func fading(of leaver: MovingTile, at now: Instant) -> Double {
        let newcomer = destination.first {
            start[$0.id] == nil && $0.rectangle.contains(leaver.rectangle)
        }
        return switch newcomer?.fit {
        case nil: transition.share(at: now)
        case .crop?: 0
        // What the one above leaves free must be gone when it is there.
        case .letterbox?: transition.lateShare(at: now)
        }
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
