internal import Codec
internal import Stage

/// One tile as it is to be painted: which part of which picture goes where.
struct TileDrawing {
    let frame: VideoFrame
    let key: TileKey
    /// In the stored picture's samples.
    let source: Rectangle

    /// - Returns: nil when the picture or the tile is too small to be seen.
    init?(_ tile: PlacedFrame, showing frame: VideoFrame) {
        let rotation = tile.rotation
        let width = rotation.isSideways ? frame.height : frame.width
        let height = rotation.isSideways ? frame.width : frame.height
        guard
            let placement = tile.fit.placement(
                sourceWidth: width, sourceHeight: height, in: tile.rectangle)
        else { return nil }
        self.frame = frame
        source = Self.stored(placement.source, of: frame, turnedBy: rotation)
        key = TileKey(
            rectangle: tile.rectangle, destination: placement.destination, source: source,
            rotation: rotation, contentNumber: frame.contentNumber)
    }

    /// Where a rectangle of the upright picture lies in the picture as it is stored.
    private static func stored(
        _ area: Rectangle, of frame: VideoFrame, turnedBy rotation: FrameRotation
    ) -> Rectangle {
        // An odd last row or column is left out, as in `TileFit.placement`.
        let width = frame.width & ~1
        let height = frame.height & ~1
        switch rotation {
        case .none:
            return area
        case .clockwise90:
            return Rectangle(
                x: area.y, y: height - area.maximumX, width: area.height, height: area.width)
        case .clockwise180:
            return Rectangle(
                x: width - area.maximumX, y: height - area.maximumY, width: area.width,
                height: area.height)
        case .clockwise270:
            return Rectangle(
                x: width - area.maximumY, y: area.x, width: area.height, height: area.width)
        }
    }
}

/// What a rectangle of a canvas shows: equal keys, equal pixels.
struct TileKey: Hashable {
    let rectangle: Rectangle
    let destination: Rectangle
    let source: Rectangle
    let rotation: FrameRotation
    let contentNumber: UInt64
}
