public import Codec
internal import MediaKernel
public import Stage

/// Composes pictures into one, for a picture that is encoded again and again.
///
/// Canvases are used in turn, and each knows what it shows: when its turn comes, only tiles that
/// changed since then are painted, straight from the decoder's picture into the rectangle. A
/// composition that equals the last one is the last one.
/// Not thread-safe: one owner at a time. The results may go to any thread.
public final class Compositor {
    /// Canvases that are kept while encoders and queues hold earlier ones. Beyond it the oldest
    /// is given up to whoever holds it.
    static let maximumSheets = 6

    public let canvas: Canvas
    private let pool: FramePool
    private let slates = SlateRenderer()
    private var painter = PicturePainter()
    private var sheets: [Sheet] = []
    private var latest: Int?

    /// A canvas and what it shows.
    private struct Sheet {
        var frame: VideoFrame
        var content: Content
    }

    private struct Content: Equatable {
        var background: Colour
        var tiles: [TileKey]
    }

    /// - Throws: `.pictureSize`, `.outOfMemory`.
    public init(canvas: Canvas) throws(CodecError) {
        self.canvas = canvas
        pool = try FramePool(width: canvas.width, height: canvas.height)
    }

    /// Paints the tiles in their order, later ones over earlier ones.
    ///
    /// Tiles that leave the canvas are left out: a layout never makes such.
    ///
    /// - Parameter background: what gaps and letterboxes show.
    /// - Throws: `.outOfMemory`.
    public func compose(
        tiles: [PlacedFrame], background: Colour = SlateRenderer.background
    ) throws(CodecError) -> VideoFrame {
        var drawings: [TileDrawing] = []
        drawings.reserveCapacity(tiles.count)
        let whole = Rectangle(x: 0, y: 0, width: canvas.width, height: canvas.height)
        for tile in tiles where whole.contains(tile.rectangle) {
            let frame = try shownFrame(of: tile)
            if let drawing = TileDrawing(tile, showing: frame) { drawings.append(drawing) }
        }
        let wanted = Content(background: background, tiles: drawings.map(\.key))
        if let latest, sheets[latest].content == wanted { return sheets[latest].frame }
        return try paint(drawings, wanted)
    }

    private func shownFrame(of tile: PlacedFrame) throws(CodecError) -> VideoFrame {
        if let frame = tile.frame { return frame }
        return try slates.placeholder(
            width: tile.rectangle.width, height: tile.rectangle.height, peer: tile.peer,
            name: tile.name)
    }

    private func paint(
        _ drawings: [TileDrawing], _ wanted: Content
    ) throws(CodecError) -> VideoFrame {
        for index in sheetsByEffort(for: wanted) {
            let before = sheets[index].content
            let isPainted = VideoFrame.mutateIfUnshared(&sheets[index].frame) { planes in
                Self.repaint(drawings, wanted, over: before, on: planes, with: &painter)
            }
            if isPainted {
                sheets[index].content = wanted
                latest = index
                return sheets[index].frame
            }
        }
        let frame = try pool.makeFrame { planes in
            Self.repaint(drawings, wanted, over: nil, on: planes, with: &painter)
        }
        let sheet = Sheet(frame: frame, content: wanted)
        if sheets.count < Self.maximumSheets {
            sheets.append(sheet)
            latest = sheets.count - 1
        } else {
            // All are held. The one after the latest is the oldest, near enough.
            let index = ((latest ?? 0) + 1) % sheets.count
            sheets[index] = sheet
            latest = index
        }
        return frame
    }

    /// The sheets' indices, the one that needs the least paint first.
    private func sheetsByEffort(for wanted: Content) -> [Int] {
        let efforts = sheets.map { Self.changes(from: $0.content, to: wanted)?.count ?? .max }
        return sheets.indices.sorted { efforts[$0] < efforts[$1] }
    }

    /// The tiles that differ; nil when everything must be painted anew.
    private static func changes(from old: Content?, to new: Content) -> [Int]? {
        guard let old, old.background == new.background, old.tiles.count == new.tiles.count,
            zip(old.tiles, new.tiles).allSatisfy({ $0.rectangle == $1.rectangle })
        else { return nil }
        let changed = new.tiles.indices.filter { old.tiles[$0] != new.tiles[$0] }
        // Where tiles overlap, what lies above a changed one would be lost.
        return changed.isEmpty || !hasOverlap(new.tiles) ? changed : nil
    }

    private static func hasOverlap(_ tiles: [TileKey]) -> Bool {
        tiles.indices.contains { a in
            tiles.indices.contains { b in
                a < b && tiles[a].rectangle.intersects(tiles[b].rectangle)
            }
        }
    }

    private static func repaint(
        _ drawings: [TileDrawing], _ wanted: Content, over old: Content?,
        on planes: MutablePlanes, with painter: inout PicturePainter
    ) {
        let changed = changes(from: old, to: wanted)
        if changed == nil {
            let whole = Rectangle(x: 0, y: 0, width: planes.y.width, height: planes.y.height)
            PicturePainter.fill(whole, of: planes, with: wanted.background)
        }
        for index in changed ?? Array(drawings.indices) {
            let drawing = drawings[index]
            let isShrunk = changed != nil
                && old?.tiles[index].destination != drawing.key.destination
            if isShrunk {
                PicturePainter.fill(drawing.key.rectangle, of: planes, with: wanted.background)
            }
            drawing.frame.withPlanes { source in
                painter.draw(
                    source, drawing.source, rotation: drawing.key.rotation, into: planes,
                    drawing.key.destination)
            }
        }
    }
}
