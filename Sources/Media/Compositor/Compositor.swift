public import Codec
internal import MediaKernel
public import Stage

/// Composes pictures into one, again and again for an encoder.
///
/// The compositor uses several canvases in turn and knows what each one shows: it paints only the
/// tiles that have changed since the canvas's last turn, straight from the decoder's picture into
/// the rectangle. If nothing has changed, the result is the last composition. Not thread-safe: one
/// owner at a time. The results may go to any thread.
public final class Compositor {
    /// Canvases that are kept while encoders and queues hold earlier ones. Beyond this number the
    /// oldest is left to its holder.
    static let sheetsMaximum = 6

    public let canvas: Canvas
    private let pool: FramePool
    private let slates = SlateRenderer()
    private let labels = LabelRenderer()
    private let dressings: DecorationRenderer
    private var painter = TilePainter()
    private var sheets: [Sheet] = []
    private var latest: Int?

    /// A canvas and its present content.
    private struct Sheet {
        var frame: VideoFrame
        var content: Content
    }

    private struct Content: Equatable {
        var ground: Ground
        var tiles: [TileKey]
    }

    /// The layers below and above all tiles.
    private struct Ground: Equatable {
        var colour: Colour
        /// Of the background picture, nil without one.
        var picture: UInt64?
        var mark: UInt64?
        var markPlace: Rectangle?
    }

    /// The input of a composition.
    private struct Job {
        var drawings: [TileDrawing]
        var wanted: Content
        var ground: TilePainter.Ground
        var mark: DecorationRenderer.Mark?
    }

    /// - Throws: `.pictureSize`, `.outOfMemory`.
    public init(canvas: Canvas) throws(CodecError) {
        self.canvas = canvas
        pool = try FramePool(width: canvas.width, height: canvas.height)
        dressings = DecorationRenderer(canvas: canvas)
    }

    /// Paints the tiles in their order, later ones over earlier ones.
    ///
    /// Tiles that leave the canvas are left out: a layout never makes such.
    ///
    /// - Throws: `.outOfMemory`.
    public func compose(
        tiles: [PlacedFrame], dressing: Decorations = Decorations()
    ) throws(CodecError) -> VideoFrame {
        var drawings: [TileDrawing] = []
        drawings.reserveCapacity(tiles.count)
        let whole = canvas.bounds
        for tile in tiles where whole.contains(tile.rectangle) {
            let frame = try shownFrame(of: tile)
            if let drawing = try TileDrawing(tile, showing: frame, on: canvas, labels: labels) {
                drawings.append(drawing)
            }
        }
        let backdrop = try dressings.backdrop(
            dressing.backgroundPicture, over: dressing.background)
        let mark = try dressings.mark(dressing.watermark)
        let wanted = Content(
            ground: Ground(
                colour: dressing.background, picture: backdrop?.contentNumber,
                mark: mark?.number, markPlace: mark?.rectangle),
            tiles: drawings.map(\.key))
        if let latest, sheets[latest].content == wanted { return sheets[latest].frame }
        return try paint(
            Job(
                drawings: drawings, wanted: wanted,
                ground: TilePainter.Ground(colour: dressing.background, picture: backdrop),
                mark: mark))
    }

    /// The last composition; nil before the first.
    public var latestFrame: VideoFrame? { latest.map { sheets[$0].frame } }

    /// Lays a picture of the canvas' size over a composition.
    ///
    /// - Parameter opacity: of the upper picture, 0 (unseen) to 255.
    /// - Throws: `.outOfMemory`.
    public func lay(
        _ upper: VideoFrame, opacity: UInt8, over lower: VideoFrame
    ) throws(CodecError) -> VideoFrame {
        let whole = canvas.bounds
        return try pool.makeFrame { planes in
            lower.withPlanes { PicturePainter.copy($0, whole, into: planes) }
            upper.withPlanes {
                PicturePainter.blend($0, whole, opacity: opacity, onto: planes)
            }
        }
    }

    /// A tile in motion shows the picture that was drawn for its resting place.
    private func shownFrame(of tile: PlacedFrame) throws(CodecError) -> VideoFrame {
        if let frame = tile.frame { return frame }
        return try slates.standIn(
            tile.standIn, width: tile.settled.width, height: tile.settled.height)
    }

    private func paint(_ job: Job) throws(CodecError) -> VideoFrame {
        for index in sheetsByEffort(for: job.wanted) {
            let before = sheets[index].content
            let isPainted = VideoFrame.mutateIfUnshared(&sheets[index].frame) { planes in
                Self.repaint(job, over: before, on: planes, with: &painter)
            }
            if isPainted {
                sheets[index].content = job.wanted
                latest = index
                return sheets[index].frame
            }
        }
        let frame = try pool.makeFrame { planes in
            Self.repaint(job, over: nil, on: planes, with: &painter)
        }
        let sheet = Sheet(frame: frame, content: job.wanted)
        if sheets.count < Self.sheetsMaximum {
            sheets.append(sheet)
            latest = sheets.count - 1
        } else {
            // All are in use. The one after the latest is about the oldest.
            let index = ((latest ?? 0) + 1) % sheets.count
            sheets[index] = sheet
            latest = index
        }
        return frame
    }

    /// The sheets' indices, the one with the least to paint first.
    private func sheetsByEffort(for wanted: Content) -> [Int] {
        let efforts = sheets.map { Self.changes(from: $0.content, to: wanted)?.count ?? .max }
        return sheets.indices.sorted { efforts[$0] < efforts[$1] }
    }

    /// The tiles that differ; nil when everything must be painted again.
    private static func changes(from old: Content?, to new: Content) -> [Int]? {
        guard let old, old.ground == new.ground, old.tiles.count == new.tiles.count,
            zip(old.tiles, new.tiles).allSatisfy({ $0.rectangle == $1.rectangle })
        else { return nil }
        let changed = new.tiles.indices.filter { old.tiles[$0] != new.tiles[$0] }
        // Where tiles overlap, painting a changed one would hide the tiles above it.
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
        _ job: Job, over old: Content?, on planes: MutablePlanes, with painter: inout TilePainter
    ) {
        let changed = changes(from: old, to: job.wanted)
        if changed == nil {
            job.ground.restore(
                Rectangle(x: 0, y: 0, width: planes.y.width, height: planes.y.height), of: planes)
        }
        for index in changed ?? Array(job.drawings.indices) {
            let drawing = job.drawings[index]
            // The tile's old content outside its picture, or below a transparent picture.
            let isUncovered =
                changed != nil
                && (old?.tiles[index].destination != drawing.key.destination
                    || drawing.key.opacity < 255)
            if isUncovered { job.ground.restore(drawing.key.rectangle, of: planes) }
            painter.paint(
                drawing, on: planes, restoring: changed == nil || isUncovered ? nil : job.ground)
            // The mark is still there where nothing was painted over it.
            if changed != nil, let mark = job.mark {
                blend(
                    mark, within: isUncovered ? drawing.key.rectangle : drawing.key.destination,
                    on: planes)
            }
        }
        if changed == nil, let mark = job.mark { blend(mark, within: mark.rectangle, on: planes) }
    }

    /// Lays the part of the watermark within an area over it.
    private static func blend(
        _ mark: DecorationRenderer.Mark, within area: Rectangle, on planes: MutablePlanes
    ) {
        let left = max(mark.rectangle.x, area.x)
        let top = max(mark.rectangle.y, area.y)
        let width = min(mark.rectangle.maximumX, area.maximumX) - left
        let height = min(mark.rectangle.maximumY, area.maximumY) - top
        guard width > 0, height > 0 else { return }
        PicturePainter.blend(
            mark.overlay,
            Rectangle(
                x: left - mark.rectangle.x, y: top - mark.rectangle.y, width: width,
                height: height),
            onto: planes, x: left, y: top)
    }
}
