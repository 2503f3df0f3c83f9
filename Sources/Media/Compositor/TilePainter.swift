internal import CYUV
internal import Codec
internal import Stage

/// Paints whole tiles: picture, border, label, round corners, transparency.
struct TilePainter {
    /// The canvas's content where there is no tile.
    struct Ground {
        let colour: Colour
        let picture: VideoFrame?

        func restore(_ area: Rectangle, of target: MutablePlanes) {
            if let picture {
                picture.withPlanes { PicturePainter.copy($0, area, into: target) }
            } else {
                PicturePainter.fill(area, of: target, with: colour)
            }
        }
    }

    static let borderColour = Colour(red: 94, green: 190, blue: 255)

    private var pictures = PicturePainter()
    private var underCorners = Underlay()
    private var underTile = Underlay()
    private var shape: (radius: Int, border: Int, CornerShape)?

    /// Paints a tile over the canvas's present content. A tile that is painted over itself, while
    /// the rest of the canvas stays, needs the ground to restore its corners.
    mutating func paint(
        _ drawing: TileDrawing, on target: MutablePlanes, restoring ground: Ground?
    ) {
        let key = drawing.key
        let place = key.destination
        let shape = cornerShape(radius: key.cornerRadius, border: key.borderWidth)
        let corners = key.cornerRadius > 0 ? corners(of: place, side: shape.side) : []
        if let ground {
            for corner in corners { ground.restore(corner, of: target) }
        }
        if key.opacity < 255 { underTile.save([place], of: target) }
        underCorners.save(corners, of: target)
        drawing.frame.withPlanes { source in
            pictures.draw(source, drawing.source, rotation: key.rotation, into: target, place)
        }
        if key.borderWidth > 0 { Self.drawBorder(shape, width: key.borderWidth, place, target) }
        if let label = drawing.label, let spot = drawing.labelPlace {
            PicturePainter.blend(
                label, Rectangle(x: 0, y: 0, width: label.width, height: label.height),
                onto: target, x: spot.x, y: spot.y)
        }
        if !corners.isEmpty {
            underCorners.blendBack(
                corners, alpha: shape.outside, alphaStride: 2 * shape.side, target)
        }
        if key.opacity < 255 {
            let alpha = [UInt8](repeating: 255 - key.opacity, count: place.width)
            underTile.blendBack([place], alpha: alpha, alphaStride: 0, target)
        }
    }

    /// The four corner squares.
    private func corners(of place: Rectangle, side: Int) -> [Rectangle] {
        let right = place.maximumX - side
        let bottom = place.maximumY - side
        return [(place.x, place.y), (right, place.y), (place.x, bottom), (right, bottom)]
            .map { Rectangle(x: $0.0, y: $0.1, width: side, height: side) }
    }

    private mutating func cornerShape(radius: Int, border: Int) -> CornerShape {
        if let shape, shape.radius == radius, shape.border == border { return shape.2 }
        let made = CornerShape(radius: radius, border: border, colour: Self.borderColour)
        shape = (radius, border, made)
        return made
    }

    private static func drawBorder(
        _ shape: CornerShape, width: Int, _ place: Rectangle, _ target: MutablePlanes
    ) {
        guard let ring = shape.ring else { return }
        let side = shape.side
        let across = place.width - 2 * side
        let down = place.height - 2 * side
        for y in [place.y, place.maximumY - width] {
            PicturePainter.fill(
                Rectangle(x: place.x + side, y: y, width: across, height: width), of: target,
                with: borderColour)
        }
        for x in [place.x, place.maximumX - width] {
            PicturePainter.fill(
                Rectangle(x: x, y: place.y + side, width: width, height: down), of: target,
                with: borderColour)
        }
        for (x, left) in [(place.x, 0), (place.maximumX - side, side)] {
            for (y, top) in [(place.y, 0), (place.maximumY - side, side)] {
                PicturePainter.blend(
                    ring, Rectangle(x: left, y: top, width: side, height: side), onto: target,
                    x: x, y: y)
            }
        }
    }
}

/// Keeps the content of some rectangles of a canvas, to lay it back over them.
private struct Underlay {
    /// Grows to the largest amount kept.
    private var bytes: [UInt8] = []

    mutating func save(_ areas: [Rectangle], of target: MutablePlanes) {
        let count = areas.reduce(0) { $0 + $1.width * $1.height * 3 / 2 }
        if bytes.count < count { bytes = [UInt8](repeating: 0, count: count) }
        each(areas) { area, kept in
            let from = MutableI420Area(target, area)
            I420Copy(
                from.y, from.yStride, from.u, from.uStride, from.v, from.vStride, kept.y,
                kept.yStride, kept.u, kept.uStride, kept.v, kept.vStride, kept.width, kept.height)
        }
    }

    /// Alpha says how much of the kept content is visible. A single area has its own alpha; four
    /// areas share that of a square's corners, two beside two.
    mutating func blendBack(
        _ areas: [Rectangle], alpha: [UInt8], alphaStride: Int, _ target: MutablePlanes
    ) {
        var index = 0
        each(areas) { area, kept in
            let offset =
                index % 2 * area.width + index / 2 * area.height * alphaStride
            index += 1
            alpha.withUnsafeBufferPointer { alpha in
                PicturePainter.blend(
                    kept, alpha: alpha.baseAddress.map { $0 + offset }, alphaStride: alphaStride,
                    onto: MutableI420Area(target, area))
            }
        }
    }

    private mutating func each(
        _ areas: [Rectangle], _ body: (Rectangle, MutableI420Area) -> Void
    ) {
        bytes.withUnsafeMutableBufferPointer { buffer in
            guard var base = buffer.baseAddress else { return }
            for area in areas {
                body(
                    area, MutableI420Area(packedAt: base, width: area.width, height: area.height))
                base += area.width * area.height * 3 / 2
            }
        }
    }
}
