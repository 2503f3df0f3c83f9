import ISOMedia

/// One layer of a recording as an MP4 file whose `moov` box comes first (M4A for audio alone).
/// ISO/IEC 14496-12 and 14496-14.
///
/// The log has all sizes, so the header is exact before the first sample is read. The media follows
/// part by part, pictures and sound in turns of a second at most, so that a player that reads from
/// front to back always has both.
public struct MP4Movie: Sendable {
    /// `ftyp`, `moov` and the head of `mdat`.
    public let header: [UInt8]
    /// Of the whole file.
    public let byteCount: UInt64

    private let frameRate: Int
    private var turns: [[Turn]] = []

    /// Samples of one part that are stored together in the file.
    private struct Turn: Sendable {
        var pictures: Range<Int>
        var blocks: Range<Int>
    }

    /// - Parameters:
    ///   - width: luma samples; 0 for audio alone.
    ///   - createdAt: seconds since 1970.
    /// - Throws: `.nothingRecorded` when no segment has a sample.
    public init(
        _ plan: RecordingPlan, layer: Int, width: Int, height: Int, createdAt: Int64
    ) throws(RecordingError) {
        frameRate = plan.frameRate
        let hasPictures = plan.parts.contains { !$0.layers[layer].pictures.isEmpty }
        var pictures =
            hasPictures
            ? PictureTrack(plan, layer: layer, width: width, height: height) : nil
        var sound = SoundTrack(plan, layer: layer)
        guard pictures != nil || sound != nil else { throw .nothingRecorded }
        var offset: UInt64 = 0
        for (index, part) in plan.parts.enumerated() {
            let turns = Self.turns(
                pictures: pictures?.parts[index].count ?? 0,
                blocks: sound?.parts[index].blocks ?? 0..<0,
                count: (part.frameCount + plan.frameRate - 1) / plan.frameRate)
            self.turns.append(turns)
            let record = part.layers[layer]
            for turn in turns {
                offset +=
                    pictures?.addChunk(
                        record.pictures[turn.pictures].map(\.byteCount), part: index, at: offset)
                    ?? 0
                offset +=
                    sound?.addChunk(
                        Array((record.sound?.blockSizes ?? [])[turn.blocks]), part: index,
                        at: offset)
                    ?? 0
            }
        }
        let moov = MovieHeader(
            tracks: [pictures?.movieTrack, sound?.movieTrack].compactMap { $0 },
            createdAt: createdAt, mediaByteCount: offset)
        header = moov.bytes
        byteCount = UInt64(header.count) + offset
    }

    /// The bytes of one part, in file order.
    ///
    /// - Parameter samples: of the part's segment; must agree with its record.
    public func media(ofPart index: Int, _ samples: SegmentSamples) -> [ArraySlice<UInt8>] {
        let pictures = Self.offsets(samples.table.pictures.map(\.byteCount))
        let blocks = Self.offsets(samples.table.sound?.blockSizes ?? [])
        return turns[index].flatMap { turn in
            [
                samples.pictureBytes[
                    pictures[turn.pictures.lowerBound]..<pictures[turn.pictures.upperBound]],
                samples.soundBytes[
                    blocks[turn.blocks.lowerBound]..<blocks[turn.blocks.upperBound]],
            ]
        }
    }

    /// The beginnings of all samples, and the end of the last one.
    private static func offsets(_ sizes: [UInt32]) -> [Int] {
        var offsets = [0]
        offsets.reserveCapacity(sizes.count + 1)
        for size in sizes { offsets.append(offsets[offsets.count - 1] + Int(size)) }
        return offsets
    }

    private static func turns(pictures: Int, blocks: Range<Int>, count: Int) -> [Turn] {
        let count = max(1, count)
        return (0..<count).map { turn in
            func share(_ whole: Int) -> Range<Int> {
                whole * turn / count..<whole * (turn + 1) / count
            }
            let own = share(blocks.count)
            return Turn(
                pictures: share(pictures),
                blocks: blocks.lowerBound + own.lowerBound..<blocks.lowerBound + own.upperBound)
        }
    }
}
