import ISOMedia

/// The audio track of a recording's layer.
///
/// Blocks follow each other without gap within a stretch of the stream. Where two stretches join, a
/// block that would begin before the end of the last one is left out, and the last one lasts until
/// the next begins: sound stays within one block of its pictures, however many joins there are.
struct SoundTrack: Sendable {
    let timescale: UInt32
    private(set) var table = SampleTable()
    /// One for each sample description, in order.
    private(set) var descriptions: [SoundFormat] = []
    /// The included blocks of each part, and their sample description's number.
    private(set) var parts: [(blocks: Range<Int>, description: UInt32)] = []
    /// The place of the first block in the recording, in samples; below 0 for the encoder's run-up.
    private(set) var start: Int64 = 0
    private(set) var end: Int64 = 0

    /// Nil without sound.
    init?(_ plan: RecordingPlan, layer: Int) {
        guard let format = plan.parts.lazy.compactMap({ $0.layers[layer].sound }).first?.format
        else { return nil }
        let rate = Int64(format.sampleRate)
        timescale = UInt32(rate)
        func samples(ofFrames frames: Int64) -> Int64 {
            (frames * rate + Int64(plan.frameRate) / 2) / Int64(plan.frameRate)
        }
        /// Converts a run's samples to the recording's.
        var shift: Int64 = 0
        for part in plan.parts {
            let record = part.layers[layer]
            if part.isJoin {
                shift = samples(ofFrames: part.firstFrame) - samples(ofFrames: record.firstFrame)
            }
            guard let sound = record.sound, sound.format.sampleRate == format.sampleRate else {
                parts.append((0..<0, 1))
                continue
            }
            append(sound, at: sound.firstSample + shift)
        }
    }

    /// Adds samples of these sizes, stored together from `offset` on.
    ///
    /// - Returns: their total size in bytes.
    mutating func addChunk(_ sizes: [UInt32], part: Int, at offset: UInt64) -> UInt64 {
        table.addChunk(sizes, description: parts[part].description, at: offset)
    }

    private mutating func append(_ sound: SegmentRecord.SoundRecord, at place: Int64) {
        let block = Int64(SoundFormat.blockSamples)
        var place = place
        var first = 0
        if table.sizes.isEmpty {
            start = place
        } else {
            while first < sound.blockSizes.count, place < end {
                first += 1
                place += block
            }
            if first < sound.blockSizes.count {
                table.durations.extendLast(by: UInt32(clamping: place - end))
            }
        }
        let blocks = first..<sound.blockSizes.count
        parts.append((blocks, description(of: sound.format)))
        guard !blocks.isEmpty else { return }
        for size in sound.blockSizes[blocks] {
            table.sizes.append(size)
            table.durations.append(UInt32(block))
        }
        end = place + Int64(blocks.count) * block
    }

    private mutating func description(of format: SoundFormat) -> UInt32 {
        if let index = descriptions.firstIndex(of: format) { return UInt32(index + 1) }
        descriptions.append(format)
        return UInt32(descriptions.count)
    }

    /// In samples, including the run-up.
    var duration: UInt64 { UInt64(max(0, end - start)) }

    /// As it is in the movie: the encoder's run-up is not heard.
    var movieTrack: MovieTrack {
        let skipped = min(UInt64(max(0, -start)), duration)
        let bitrate = SampleEntry.Bitrate(average: averageBitrate, peak: peakBitrate)
        return MovieTrack(
            id: 2, .audio, timescale: timescale, duration: duration, pause: UInt64(max(0, start)),
            skipped: skipped, shown: duration - skipped, table: table,
            entries: descriptions.map {
                .aac(
                    channels: $0.channels, sampleRate: UInt32($0.sampleRate),
                    configuration: $0.audioSpecificConfig, bitrate)
            })
    }

    private var averageBitrate: UInt32 {
        let bits = table.sizes.reduce(UInt64(0)) { $0 + UInt64($1) } * 8
        return UInt32(clamping: bits * UInt64(timescale) / max(1, duration))
    }

    private var peakBitrate: UInt32 {
        let bits = UInt64(table.sizes.max() ?? 0) * 8
        return UInt32(clamping: bits * UInt64(timescale) / UInt64(SoundFormat.blockSamples))
    }
}
