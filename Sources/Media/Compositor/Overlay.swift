internal import Codec
internal import Stage

/// A small picture with transparency that is laid over others: I420 and a plane of alpha, rows
/// without gaps, even sides.
final class Overlay {
    let width: Int
    let height: Int
    let planes: [UInt8]
    /// One value for each luma sample, 0 (unseen) to 255.
    let alpha: [UInt8]

    init(width: Int, height: Int, planes: [UInt8], alpha: [UInt8]) {
        precondition(planes.count == width * height * 3 / 2 && alpha.count == width * height)
        self.width = width
        self.height = height
        self.planes = planes
        self.alpha = alpha
    }

    /// One colour, visible according to alpha.
    convenience init(width: Int, height: Int, colour: Colour, alpha: [UInt8]) {
        let count = width * height
        self.init(
            width: width, height: height,
            planes: [UInt8](repeating: colour.luma, count: count)
                + [UInt8](repeating: colour.blueDifference, count: count / 4)
                + [UInt8](repeating: colour.redDifference, count: count / 4),
            alpha: alpha)
    }
}

/// The shape of a tile's round corners and border: four corners beside each other, each `side`
/// wide.
struct CornerShape {
    let side: Int
    /// 255 where the canvas shows and the tile does not.
    let outside: [UInt8]
    /// The border's part of the corners.
    let ring: Overlay?

    init(radius: Int, border: Int, colour: Colour) {
        let side = max(radius, border)
        self.side = side
        let width = 2 * side
        var outside = [UInt8](repeating: 0, count: width * width)
        var ring = outside
        for y in 0..<side {
            for x in 0..<side {
                let cover = Self.cover(x: x, y: y, radius: radius, border: border)
                for (column, row) in [
                    (x, y), (width - 1 - x, y), (x, width - 1 - y), (width - 1 - x, width - 1 - y),
                ] {
                    outside[row * width + column] = UInt8(((1 - cover.tile) * 255).rounded())
                    ring[row * width + column] = UInt8((cover.border * 255).rounded())
                }
            }
        }
        self.outside = outside
        self.ring =
            border > 0 ? Overlay(width: width, height: width, colour: colour, alpha: ring) : nil
    }

    /// How much of a sample of the upper left corner belongs to the tile, and to its border.
    private static func cover(
        x: Int, y: Int, radius: Int, border: Int
    ) -> (tile: Double, border: Double) {
        func part(_ value: Double) -> Double { max(0, min(1, value)) }
        guard x < radius, y < radius else { return (1, x < border || y < border ? 1 : 0) }
        let dx = Double(radius - x) - 0.5
        let dy = Double(radius - y) - 0.5
        let distance = (dx * dx + dy * dy).squareRoot()
        let tile = part(Double(radius) - distance + 0.5)
        let inner = part(distance - Double(radius - border) + 0.5)
        return (tile, border == 0 ? 0 : min(tile, radius > border ? inner : 1))
    }
}
