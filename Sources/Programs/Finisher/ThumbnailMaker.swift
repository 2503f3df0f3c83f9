import Catalogue
import Codec
import MediaKernel
import Recording

/// Makes thumbnails and the sprite from key frames of a recording's segments: each is decoded on
/// its own, and no other part of its segment is read.
struct ThumbnailMaker: Sendable {
    let assets: RecordingAssets
    /// Of the layers' pictures, best first.
    let sizes: [CatalogueAsset.Size]
    let order: ThumbnailOrder
    let place: RecordingPlace
    let recordings: String
    let meter: ProgressMeter

    /// A thumbnail's default width.
    static let width = 320
    /// The longer side of a picture on the sprite.
    static let spriteSide = 160
    /// The most pictures on the sprite. It stays below 2560 on a side, which any browser can draw.
    static let spritePicturesMaximum = 225

    /// - Throws: `.file`, `.damaged`, or a decoding error.
    func make() throws -> RecordingThumbnails {
        RecordingThumbnails(thumbnails: try makeThumbnails(), sprite: try makeSprite())
    }

    // MARK: Thumbnails

    private func makeThumbnails() throws -> [RecordingThumbnails.Thumbnail] {
        var made: [RecordingThumbnails.Thumbnail] = []
        for offset in Set(order.offsets).sorted() {
            guard let part = part(nearest: Int64(offset) * Int64(assets.plan.frameRate)) else {
                continue
            }
            meter.goesOn()
            let size = Self.fitted(
                sizes[0], width: order.width == 0 && order.height == 0 ? Self.width : order.width,
                height: order.height)
            let sheet = try PictureGrid(width: size.width, height: size.height)
            try sheet.put(try picture(of: part, layer: 0), at: 0)
            let name = place.thumbnailName(offset: offset)
            try AssetFile.write(
                try sheet.jpeg(), to: name, in: "\(recordings)/\(place.thumbnailsDirectory)")
            made.append(
                RecordingThumbnails.Thumbnail(
                    path: "\(place.thumbnailsDirectory)/\(name)", width: size.width,
                    height: size.height, offset: offset))
        }
        return made
    }

    /// Segments are short, so the nearest beginning is never far. Nil after the end.
    private func part(nearest frame: Int64) -> RecordingPlan.Part? {
        guard (0..<assets.plan.frameCount).contains(frame) else { return nil }
        return assets.plan.parts.min {
            abs($0.firstFrame - frame) < abs($1.firstFrame - frame)
        }
    }

    // MARK: Sprite

    private func makeSprite() throws -> RecordingThumbnails.Sprite? {
        let parts = spriteParts()
        // The smallest pictures are the cheapest to decode, and large enough.
        guard let layer = sizes.indices.last, !parts.isEmpty else { return nil }
        let isPortrait = sizes[layer].height > sizes[layer].width
        let size = Self.fitted(
            sizes[layer], width: isPortrait ? 0 : Self.spriteSide,
            height: isPortrait ? Self.spriteSide : 0)
        var columns = 1
        while columns * columns < parts.count { columns += 1 }
        let sheet = try PictureGrid(
            columns: columns, rows: (parts.count + columns - 1) / columns, width: size.width,
            height: size.height)
        for (index, part) in parts.enumerated() {
            meter.goesOn()
            try sheet.put(try picture(of: part, layer: layer), at: index)
        }
        let directory = "\(recordings)/\(place.thumbnailsDirectory)"
        try AssetFile.write(try sheet.jpeg(), to: place.spriteName, in: directory)
        let cues = Storyboard(
            image: place.spriteName, columns: columns, width: size.width, height: size.height,
            frameRate: assets.plan.frameRate, beginnings: parts.map(\.firstFrame),
            end: assets.plan.frameCount)
        try AssetFile.write(Array(cues.text.utf8), to: place.spriteTracksName, in: directory)
        return RecordingThumbnails.Sprite(
            path: "\(place.thumbnailsDirectory)/\(place.spriteName)",
            tracksPath: "\(place.thumbnailsDirectory)/\(place.spriteTracksName)",
            width: size.width, height: size.height, count: parts.count)
    }

    /// Evenly spread over the recording, no denser than requested.
    private func spriteParts() -> [RecordingPlan.Part] {
        let plan = assets.plan
        let least = order.frameRate.map { Double(plan.frameRate) / $0 } ?? 0
        let step = max(least, Double(plan.frameCount) / Double(Self.spritePicturesMaximum))
        var chosen: [RecordingPlan.Part] = []
        var next = 0.0
        for part in plan.parts where Double(part.firstFrame) >= next {
            chosen.append(part)
            next = ((Double(part.firstFrame) / step).rounded(.down) + 1) * step
        }
        return Array(chosen.prefix(Self.spritePicturesMaximum))
    }

    // MARK: Pictures

    private func picture(of part: RecordingPlan.Part, layer: Int) throws -> VideoFrame {
        let record = part.layers[layer]
        let bytes = try assets.folder.keyFrame(record, layer: layer)
        let decoder = try VideoDecoder(codec: .h264)
        let pictures = try decoder.decode(bytes, timestamp: 0) + decoder.flush()
        guard let picture = pictures.first else {
            throw RecordingError.damaged(layer: layer, segment: record.number)
        }
        return picture.frame
    }

    /// The largest size of this shape that fits, never larger than the original, with even sides.
    static func fitted(
        _ size: CatalogueAsset.Size, width: Int, height: Int
    ) -> CatalogueAsset.Size {
        var scale = 1.0
        if width > 0 { scale = min(scale, Double(width) / Double(size.width)) }
        if height > 0 { scale = min(scale, Double(height) / Double(size.height)) }
        func even(_ side: Int) -> Int { max(2, Int((Double(side) * scale / 2).rounded()) * 2) }
        return CatalogueAsset.Size(width: even(size.width), height: even(size.height))
    }
}
