internal import Codec
internal import Stage

/// Draws a canvas' background picture and watermark, each once.
/// Not thread-safe: one owner at a time.
final class DecorationRenderer {
    private struct MarkKey: Hashable {
        let picture: UInt64
        let width: Int
        let height: Int
        let opacity: Double
    }

    /// A watermark in its place.
    struct Mark {
        let overlay: Overlay
        let rectangle: Rectangle
        /// Equal numbers mean equal pixels.
        let number: UInt64
    }

    private let canvas: Canvas
    private var backdrop: (picture: UInt64, colour: Colour, frame: VideoFrame)?
    private var mark: (key: MarkKey, overlay: Overlay, number: UInt64)?
    private var marksDrawn: UInt64 = 0

    init(canvas: Canvas) { self.canvas = canvas }

    /// The background picture in the canvas' size, over a colour where it is transparent.
    ///
    /// - Throws: `.outOfMemory`.
    func backdrop(
        _ picture: StillPicture?, over colour: Colour
    ) throws(CodecError) -> VideoFrame? {
        guard let picture else {
            backdrop = nil
            return nil
        }
        if let backdrop, backdrop.picture == picture.number, backdrop.colour == colour {
            return backdrop.frame
        }
        let surface = try DrawingSurface(width: canvas.width, height: canvas.height)
        surface.draw(
            picture, x: 0, y: 0, width: Double(canvas.width), height: Double(canvas.height))
        let overlay = try surface.makeOverlay()
        let whole = canvas.bounds
        let frame = try VideoFrame.make(width: canvas.width, height: canvas.height) { planes in
            PicturePainter.fill(whole, of: planes, with: colour)
            PicturePainter.blend(overlay, whole, onto: planes, x: 0, y: 0)
        }
        backdrop = (picture.number, colour, frame)
        return frame
    }

    /// The watermark in its place; nil when it is too small to be seen.
    ///
    /// - Throws: `.outOfMemory`.
    func mark(_ wanted: Decorations.Watermark?) throws(CodecError) -> Mark? {
        guard let wanted else {
            mark = nil
            return nil
        }
        let picture = wanted.picture
        let shape = Double(picture.height) / Double(picture.width)
        // As wide as requested, unless it would be higher than the canvas.
        let widest = min(Double(canvas.width) * wanted.width, Double(canvas.height) / shape)
        let width = Int(widest) & ~1
        let height = min(Int((widest * shape).rounded()).evenCeiling, canvas.height & ~1)
        guard width >= 2, height >= 2 else { return nil }
        let key = MarkKey(
            picture: picture.number, width: width, height: height, opacity: wanted.opacity)
        if mark?.key != key {
            let surface = try DrawingSurface(width: width, height: height)
            surface.draw(
                picture, x: 0, y: 0, width: Double(width), height: Double(height),
                opacity: wanted.opacity)
            marksDrawn += 1
            mark = (key, try surface.makeOverlay(), marksDrawn)
        }
        guard let mark else { return nil }
        return Mark(
            overlay: mark.overlay, rectangle: place(width, height, at: wanted.anchor),
            number: mark.number)
    }

    private func place(_ width: Int, _ height: Int, at anchor: Layout.Anchor) -> Rectangle {
        let side = min(canvas.width, canvas.height) / 30
        let acrossSpare = canvas.width - width
        let downSpare = canvas.height - height
        let across = min(side, acrossSpare / 2)
        let down = min(side, downSpare / 2)
        let (x, y) =
            switch anchor {
            case .topLeft: (across, down)
            case .topRight: (acrossSpare - across, down)
            case .bottomLeft: (across, downSpare - down)
            case .bottomRight: (acrossSpare - across, downSpare - down)
            case .centre: (acrossSpare / 2, downSpare / 2)
            }
        return Rectangle(x: x & ~1, y: y & ~1, width: width, height: height)
    }
}
