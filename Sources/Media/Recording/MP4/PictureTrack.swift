import ISOMedia

/// The video track of a recording's layer.
///
/// Frame *k* of the recording is presented at *k* / frame rate. Decoding times are the presentation
/// times in rising order, moved back as far as the reordering needs: so they rise, and no picture
/// is decoded after its presentation, whatever was left out and whichever encoder made it.
struct PictureTrack: Sendable {
    /// Ticks per frame: some players round times that they compute from coarser clocks.
    static let ticksPerFrame: UInt32 = 100

    let timescale: UInt32
    let width: UInt16
    let height: UInt16
    private(set) var table = SampleTable()
    /// One for each sample description, in order.
    private(set) var descriptions: [ParameterSets] = []
    /// Frames by which decoding is ahead of presentation.
    private(set) var delay: Int64 = 0
    let frameCount: Int64

    /// The number of samples of each part, in decoding order, and their sample description's
    /// number.
    private(set) var parts: [(count: Int, description: UInt32)] = []

    init(_ plan: RecordingPlan, layer: Int, width: Int, height: Int) {
        timescale = UInt32(plan.frameRate) * Self.ticksPerFrame
        self.width = UInt16(clamping: width)
        self.height = UInt16(clamping: height)
        frameCount = plan.frameCount
        table.syncSamples = []
        var shown: [Int64] = []
        var sorted: [Int64] = []
        for part in plan.parts {
            let record = part.layers[layer]
            guard let sets = record.parameterSets, !record.pictures.isEmpty else {
                parts.append((0, 1))
                continue
            }
            parts.append((record.pictures.count, description(of: sets)))
            // A segment has a picture from its first frame on.
            let first = record.pictures.map(\.frame).min() ?? 0
            let times = record.pictures.map { picture in
                part.firstFrame + Int64(picture.frame == first ? 0 : picture.frame)
            }
            for picture in record.pictures {
                table.addSample(picture.byteCount, isSync: picture.isKeyframe)
            }
            shown += times
            sorted += times.sorted()
        }
        setTimes(shown: shown, sorted: sorted)
    }

    /// Adds samples of these sizes, stored together from `offset` on.
    ///
    /// - Returns: their total size in bytes.
    mutating func addChunk(_ sizes: [UInt32], part: Int, at offset: UInt64) -> UInt64 {
        table.addChunk(sizes, description: parts[part].description, at: offset)
    }

    private mutating func description(of sets: ParameterSets) -> UInt32 {
        if let index = descriptions.firstIndex(of: sets) { return UInt32(index + 1) }
        descriptions.append(sets)
        return UInt32(descriptions.count)
    }

    private mutating func setTimes(shown: [Int64], sorted: [Int64]) {
        delay = zip(sorted, shown).map { $0 - $1 }.max() ?? 0
        for index in sorted.indices {
            let end = index + 1 < sorted.count ? sorted[index + 1] : frameCount
            let ticks = Int64(Self.ticksPerFrame)
            table.durations.append(UInt32(clamping: (end - sorted[index]) * ticks))
            table.compositionOffsets.append(
                UInt32(clamping: (shown[index] - sorted[index] + delay) * ticks))
        }
    }

    /// In ticks.
    var duration: UInt64 { UInt64(frameCount) * UInt64(Self.ticksPerFrame) }

    /// As it is in the movie. The first picture is shown at once, though decoding runs ahead of it.
    var movieTrack: MovieTrack {
        MovieTrack(
            id: 1, .video(width: width, height: height), timescale: timescale, duration: duration,
            skipped: UInt64(delay) * UInt64(Self.ticksPerFrame), shown: duration, table: table,
            entries: descriptions.map {
                .avc(width: width, height: height, configuration: $0.decoderConfiguration)
            })
    }
}
