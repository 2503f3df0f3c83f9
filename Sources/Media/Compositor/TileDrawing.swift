internal import Codec
internal import Stage

/// One tile, ready to paint: which part of which picture goes where.
struct TileDrawing {
    let frame: VideoFrame
    let key: TileKey
    /// In the stored picture's samples.
    let source: Rectangle
    /// Nil without a label, or without room for it.
    private(set) var label: Overlay?
    private(set) var labelPlace: (x: Int, y: Int)?

    /// - Returns: nil when the picture or the tile is too small to be seen.
    init?(
        _ tile: PlacedFrame, showing frame: VideoFrame, on canvas: Canvas, labels: LabelRenderer
    ) throws(CodecError) {
        let rotation = tile.rotation
        let width = rotation.isSideways ? frame.height : frame.width
        let height = rotation.isSideways ? frame.width : frame.height
        guard tile.opacity > 0,
            let placement = tile.fit.placement(
                sourceWidth: width, sourceHeight: height, in: tile.rectangle)
        else { return nil }
        self.frame = frame
        source = Self.stored(placement.source, of: frame, turnedBy: rotation)
        let place = placement.destination
        let border = tile.hasBorder ? Self.borderWidth(on: canvas) : 0
        let rest =
            tile.settled == tile.rectangle
            ? place
            : tile.fit.placement(sourceWidth: width, sourceHeight: height, in: tile.settled)?
                .destination ?? place
        let labelKey = tile.label.flatMap {
            LabelRenderer.key(
                for: $0, on: (rest.width, rest.height),
                cornerRadius: Self.cornerRadius(of: tile, showing: rest), of: canvas)
        }
        key = TileKey(
            rectangle: tile.rectangle, destination: place, source: source, rotation: rotation,
            contentNumber: frame.contentNumber,
            cornerRadius: Self.cornerRadius(of: tile, showing: place),
            borderWidth: border * 4 <= min(place.width, place.height) ? border : 0,
            opacity: tile.opacity, label: labelKey)
        guard let labelKey, let overlay = try labels.overlay(labelKey) else { return }
        let distance = LabelRenderer.distance(size: labelKey.size, cornerRadius: key.cornerRadius)
        guard overlay.width + 2 * distance <= place.width,
            overlay.height + 2 * distance <= place.height
        else { return }
        label = overlay
        labelPlace = (place.x + distance, place.maximumY - distance - overlay.height)
    }

    /// At most half of the picture's shorter side.
    private static func cornerRadius(of tile: PlacedFrame, showing picture: Rectangle) -> Int {
        max(0, min(tile.cornerRadius, min(picture.width, picture.height) / 2)) & ~1
    }

    /// In luma samples: two on the smallest layers.
    static func borderWidth(on canvas: Canvas) -> Int {
        max(2, (min(canvas.width, canvas.height) / 180).evenCeiling)
    }

    /// The place of a rectangle of the upright picture in the stored picture.
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

/// The content of a rectangle of a canvas: equal keys mean equal pixels.
struct TileKey: Hashable {
    let rectangle: Rectangle
    let destination: Rectangle
    let source: Rectangle
    let rotation: FrameRotation
    let contentNumber: UInt64
    let cornerRadius: Int
    /// 0 without a border.
    let borderWidth: Int
    let opacity: UInt8
    let label: LabelRenderer.Key?
}
