internal import Codec
internal import Stage

/// Draws the names on tiles, each once.
/// Not thread-safe: one owner at a time.
final class LabelRenderer {
    /// Everything that a label's appearance depends on.
    struct Key: Hashable {
        let label: TileLabel
        /// The font's size in pixels.
        let size: Int
        /// Of the whole label, in pixels.
        let widthMaximum: Int
    }

    /// The most labels that are kept; beyond it the oldest is forgotten. Twice the most tiles of a
    /// stage.
    static let cachedMaximum = 2 * tilesMaximum
    /// Narrower labels are not readable.
    static let widthMinimum = 32

    /// Nil for a label with nothing to draw.
    private var cache: [Key: Overlay?] = [:]
    private var order: [Key] = []

    /// The key of a tile's label; nil when the tile is too small for it.
    ///
    /// - Parameters:
    ///   - picture: the size of the tile's picture at rest.
    ///   - cornerRadius: of the tile at rest.
    ///   - canvas: the whole: a name must be legible on the smallest layers too, which have a half
    ///     or a third of its size.
    static func key(
        for label: TileLabel, on picture: (width: Int, height: Int), cornerRadius: Int,
        of canvas: Canvas
    ) -> Key? {
        let side = Double(min(canvas.width, canvas.height))
        let size = max(side / 34, min(Double(picture.height) * 0.07, side / 24))
        // In steps, so that a picture of varying size does not need a label for each.
        let distance = distance(size: Int(size), cornerRadius: cornerRadius)
        let widthMaximum = (picture.width - 2 * distance) & ~15
        guard size >= 6, widthMaximum >= widthMinimum,
            height(size: Int(size)) * 2 <= picture.height
        else { return nil }
        return Key(label: label, size: Int(size), widthMaximum: widthMaximum)
    }

    static func height(size: Int) -> Int { (size * 17 / 10).evenCeiling }

    /// From the tile's edges. In a round corner the label moves inwards.
    static func distance(size: Int, cornerRadius: Int) -> Int {
        max((size / 2).evenCeiling, cornerRadius / 3) & ~1
    }

    /// - Throws: `.outOfMemory`.
    func overlay(_ key: Key) throws(CodecError) -> Overlay? {
        if let known = cache[key] { return known }
        let overlay = try draw(key)
        if order.count >= Self.cachedMaximum { cache[order.removeFirst()] = nil }
        cache[key] = .some(overlay)
        order.append(key)
        return overlay
    }

    private func draw(_ key: Key) throws(CodecError) -> Overlay? {
        let size = Double(key.size)
        let height = Self.height(size: key.size)
        let icon = key.label.isMuted ? size * 0.95 : 0
        let text = SlateRenderer.line(key.label.name)
        let padding = size * 0.55
        let between = icon > 0 && !text.isEmpty ? size * 0.3 : 0
        let room = Double(key.widthMaximum) - 2 * padding - icon - between
        let wide =
            room >= size
            ? try DrawingSurface(width: 2, height: 2)
                .line(text, size: size, isBold: false, widthMaximum: room)?.width ?? 0 : 0
        guard wide > 0 || icon > 0 else { return nil }
        let width = Int(2 * padding + icon + (wide > 0 ? between + wide : 0)).evenCeiling
        let surface = try DrawingSurface(width: width, height: height)
        surface.fillRoundedRectangle(
            x: 0, y: 0, width: Double(width), height: Double(height),
            radius: Double(height) * 0.28, DrawingColour(red: 12, green: 13, blue: 17),
            opacity: 0.62)
        let middle = Double(height) / 2
        if icon > 0 { Self.drawMutedMicrophone(x: padding, middle: middle, size: icon, surface) }
        if wide > 0 {
            surface.write(
                text, fromX: padding + icon + between, centredAt: middle, size: size,
                isBold: false, widthMaximum: room, .white)
        }
        return try surface.makeOverlay()
    }

    /// A capsule in a cup on a stand, crossed out.
    private static func drawMutedMicrophone(
        x: Double, middle: Double, size: Double, _ surface: borrowing DrawingSurface
    ) {
        let ink = DrawingColour(red: 255, green: 112, blue: 104)
        let centre = x + size / 2
        let top = middle - size / 2
        let line = max(1, size * 0.09)
        surface.fillRoundedRectangle(
            x: centre - size * 0.15, y: top + size * 0.04, width: size * 0.3, height: size * 0.54,
            radius: size * 0.15, ink)
        surface.strokeArc(
            x: centre, y: top + size * 0.44, radius: size * 0.28, from: 0.1, to: .pi - 0.1,
            width: line, ink)
        surface.stroke(
            [(centre, top + size * 0.74), (centre, top + size * 0.94)], width: line, ink)
        let cut = [
            (x: centre - size * 0.4, y: top + size * 0.1),
            (x: centre + size * 0.4, y: top + size * 0.9),
        ]
        surface.stroke(cut, width: line * 3, DrawingColour(red: 12, green: 13, blue: 17))
        surface.stroke(cut, width: line * 1.1, ink)
    }
}

extension Int {
    /// The smallest even number that is not below.
    var evenCeiling: Int { (self + 1) & ~1 }
}
