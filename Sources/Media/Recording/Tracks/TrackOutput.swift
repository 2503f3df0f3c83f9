import ISOMedia
import Matroska
import MediaKernel
import Ogg

/// Writes the finished file of one part of a track: a stream copy, with exact times, a duration and
/// an index.
struct TrackOutput {
    let part: TrackParts.Part
    let live: LiveTrackFile
    /// Whether sound becomes Ogg; otherwise WebM.
    let usesOgg: Bool
    /// Seconds since 1970.
    let createdAt: Int64

    /// What was written.
    struct Result {
        /// In milliseconds.
        var duration: Int64
        var byteCount: UInt64 = 0
        var checksum: UInt32 = 0
        var frames = 0
        var silences: Int?
        var leftOut: Int?
    }

    enum Container: String {
        case ogg, webm, mp4
    }

    var container: Container {
        switch part.format.codec {
        case .h264: .mp4
        case .opus: usesOgg ? .ogg : .webm
        case .vp8, .vp9, .av1: .webm
        }
    }

    /// The length of a picture about which nothing else is known, in ticks.
    private static let pictureTicks = LiveMatroska.timescale / 30
    private static let movieTimescale: UInt32 = 90_000

    /// - Returns: nil for a file without a frame; then nothing is written.
    /// - Throws: `.file`.
    func write(
        to place: RecordingAssets.Place, progress: () -> Void
    ) throws(RecordingError) -> Result? {
        switch container {
        case .ogg: try writeOgg(to: place, progress)
        case .webm: try writeWebM(to: place, progress)
        case .mp4: try writeMP4(to: place, progress)
        }
    }

    // MARK: Sound

    private var isStereo: Bool { part.format.channels == 2 }

    /// Calls `body` for each packet, including inserted silence, with its place and length in
    /// samples.
    private func forEachPacket(
        _ result: inout Result,
        _ body: ([UInt8], Int64, Int64) throws(RecordingError) -> Void
    ) throws(RecordingError) {
        var placement = OpusPlacement()
        var (silences, leftOut, frames) = (0, 0, 0)
        let silence = OpusPacket.silence(isStereo: isStereo)
        try live.readFrames { (frame) throws(RecordingError) in
            guard let samples = OpusPacket.samples(frame.bytes) else { return }
            frames += 1
            let before = placement.end
            let place = placement.place(
                at: part.clock.scaled(frame.time, to: OpusPacket.sampleRate), samples: samples)
            silences += place.silences
            for index in 0..<place.silences {
                let at = before + Int64(index) * OpusPacket.silenceSamples
                try body(silence, at, OpusPacket.silenceSamples)
            }
            if place.isLeftOut {
                leftOut += 1
            } else {
                try body(Array(frame.bytes), placement.end - samples, samples)
            }
        }
        (result.frames, result.silences, result.leftOut) = (frames, silences, leftOut)
        result.duration = placement.end * 1000 / OpusPacket.sampleRate
    }

    private func writeOgg(
        to place: RecordingAssets.Place, _ progress: () -> Void
    ) throws(RecordingError) -> Result? {
        var result = Result(duration: 0)
        let file = try MeteredFile(place)
        var stream = OpusStream(serial: CRC32.checksum(place.name.utf8))
        try file.write(
            stream.header(
                channels: part.format.channels,
                comments: ["TITLE=\(part.track.name.prefix(200))"]))
        try forEachPacket(&result) { (packet, _, samples) throws(RecordingError) in
            try file.write(stream.add(packet, samples: samples))
            progress()
        }
        guard result.frames > 0 else { return nil }
        try file.write(stream.finish())
        return try finish(file, result)
    }

    // MARK: WebM

    private func writeWebM(
        to place: RecordingAssets.Place, _ progress: () -> Void
    ) throws(RecordingError) -> Result? {
        var result = Result(duration: 0)
        var samples: [FinishedWebM.Sample] = []
        try forEachBlock(&result) { (bytes, time, isKeyframe) throws(RecordingError) in
            samples.append(
                FinishedWebM.Sample(time: time, byteCount: bytes.count, isKeyframe: isKeyframe))
            progress()
        }
        guard !samples.isEmpty else { return nil }
        let layout = FinishedWebM(
            part.format.matroska, samples: samples, duration: result.duration)
        let file = try MeteredFile(place)
        try file.write(layout.header)
        var (index, cluster) = (0, 0)
        try forEachBlock(&result) { (bytes, _, _) throws(RecordingError) in
            try file.write(layout.head(ofSample: index, cluster: &cluster))
            try file.write(bytes)
            index += 1
            progress()
        }
        return try finish(file, result)
    }

    /// Calls `body` for each block of a WebM file with its time in milliseconds.
    private func forEachBlock(
        _ result: inout Result,
        _ body: (ArraySlice<UInt8>, Int64, Bool) throws(RecordingError) -> Void
    ) throws(RecordingError) {
        guard part.format.codec.isVideo else {
            return try forEachPacket(&result) { (packet, at, _) throws(RecordingError) in
                try body(packet[...], (at * 1000 + 24_000) / OpusPacket.sampleRate, true)
            }
        }
        var pictures = Pictures()
        try live.readFrames { (frame) throws(RecordingError) in
            pictures.add(frame.time)
            try body(frame.bytes, part.clock.scaled(frame.time, to: 1000), frame.isKeyframe)
        }
        result.frames = pictures.count
        result.duration = part.clock.scaled(pictures.end(known: part.end), to: 1000)
    }

    /// The times of a track's pictures.
    private struct Pictures {
        private(set) var count = 0
        private var last: Int64 = 0
        private var length = TrackOutput.pictureTicks

        mutating func add(_ time: Int64) {
            let step = time - last
            if count > 0, (1...LiveMatroska.timescale).contains(step) { length = step }
            last = max(last, time)
            count += 1
        }

        /// - Parameter end: as the log has it.
        func end(known end: Int64?) -> Int64 { max(last + length, end ?? 0) }
    }

    // MARK: MP4

    private func writeMP4(
        to place: RecordingAssets.Place, _ progress: () -> Void
    ) throws(RecordingError) -> Result? {
        var result = Result(duration: 0)
        var pictures = Pictures()
        var table = SampleTable()
        table.syncSamples = []
        var shown: [Int64] = []
        var offset: UInt64 = 0
        var chunk: [UInt32] = []
        try live.readFrames { (frame) throws(RecordingError) in
            pictures.add(frame.time)
            shown.append(part.clock.scaled(frame.time, to: Int64(Self.movieTimescale)))
            table.addSample(UInt32(frame.bytes.count), isSync: frame.isKeyframe)
            chunk.append(UInt32(frame.bytes.count))
            if chunk.count == Self.picturesPerChunk {
                offset += table.addChunk(chunk, description: 1, at: offset)
                chunk = []
            }
            progress()
        }
        offset += table.addChunk(chunk, description: 1, at: offset)
        guard !shown.isEmpty else { return nil }
        let ticks = pictures.end(known: part.end)
        result.frames = pictures.count
        result.duration = part.clock.scaled(ticks, to: 1000)
        let end = part.clock.scaled(ticks, to: Int64(Self.movieTimescale))
        let delay = table.setTimes(shown: shown, end: end)
        let (width, height) = (
            UInt16(clamping: part.format.width), UInt16(clamping: part.format.height)
        )
        let track = MovieTrack(
            id: 1, .video(width: width, height: height), timescale: Self.movieTimescale,
            duration: UInt64(end), skipped: UInt64(delay), shown: UInt64(end), table: table,
            entries: [
                .avc(width: width, height: height, configuration: part.format.configuration)
            ], rotation: part.format.rotation)
        let file = try MeteredFile(place)
        try file.write(
            MovieHeader(
                tracks: [track], createdAt: createdAt, mediaByteCount: offset
            ).bytes)
        try live.readFrames { (frame) throws(RecordingError) in
            try file.write(frame.bytes)
            progress()
        }
        return try finish(file, result)
    }

    /// About a second.
    private static let picturesPerChunk = 30

    private func finish(
        _ file: MeteredFile, _ result: Result
    ) throws(RecordingError) -> Result {
        let size = try file.finish()
        var result = result
        result.byteCount = size.byteCount
        result.checksum = size.checksum
        return result
    }
}
