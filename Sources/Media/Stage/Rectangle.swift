/// An area of a picture in luma samples. All four numbers are even: chroma is subsampled by two in
/// both directions (4:2:0), so odd positions are impossible.
public struct Rectangle: Hashable, Sendable {
    public var x: Int
    public var y: Int
    public var width: Int
    public var height: Int

    public init(x: Int, y: Int, width: Int, height: Int) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    public var maximumX: Int { x + width }
    public var maximumY: Int { y + height }

    public func intersects(_ other: Rectangle) -> Bool {
        x < other.maximumX && other.x < maximumX && y < other.maximumY && other.y < maximumY
    }

    public func contains(_ other: Rectangle) -> Bool {
        x <= other.x && y <= other.y && maximumX >= other.maximumX && maximumY >= other.maximumY
    }
}

/// The picture that a stage is composed on, in luma samples.
public struct Canvas: Hashable, Sendable {
    public var width: Int
    public var height: Int

    public init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    public var isPortrait: Bool { height > width }

    /// All of it.
    public var bounds: Rectangle { Rectangle(x: 0, y: 0, width: width, height: height) }
}

extension Int {
    /// The largest even number that is not above.
    var evenFloor: Int { self & ~1 }
}
