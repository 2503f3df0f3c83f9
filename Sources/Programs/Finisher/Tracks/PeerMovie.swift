import Codec
import ISOMedia
import MediaKernel
import Recording

/// What one peer showed and said, in an MP4: its tracks of one source, on one clock.
///
/// The movie begins with the first of the tracks. The last picture is held while there is none.
struct PeerMovie {
    let pictures: [RecordedPart]
    let sounds: [RecordedPart]
    /// Seconds since 1970.
    let createdAt: Int64

    struct Result {
        /// In milliseconds.
        var start: Int64
        var duration: Int64
        var size: MeteredFile.Size
        var width: Int?
        var height: Int?
        var isCopied: Bool?
    }

    private static let bitrate = 96_000

    /// Whether the senders' pictures can stay as they are.
    var copiesPictures: Bool {
        guard let first = pictures.first?.format else { return false }
        return pictures.allSatisfy { part in
            let format = part.format
            return format.codec == .h264 && format.rotation == first.rotation
                && format.width == first.width && format.height == first.height
        }
    }

    /// - Throws: `RecordingError`, `CodecError`.
    func write(
        to place: RecordingAssets.Place, progress: () -> Void
    ) throws -> Result {
        let parts = pictures + sounds
        let start = parts.map(\.file.start).min() ?? 0
        let duration = max(1, (parts.map(\.end).max() ?? 0) - start)
        try AssetFile.makeDirectory(place.directory)
        let spool = try MovieSpool(place.name, in: place.directory)
        let picture =
            pictures.isEmpty
            ? nil : try MoviePictures(pictures, copies: copiesPictures, start: start)
        let sound =
            sounds.isEmpty ? nil : try MovieSound(sounds, start: start, bitrate: Self.bitrate)
        var second: Int64 = 0
        while second * 1000 < duration {
            second += 1
            let end = min(second * 1000, duration)
            try picture?.write(until: end, to: spool)
            try sound?.write(until: end, to: spool)
            progress()
        }
        try picture?.finish(to: spool)
        try sound?.finish(to: spool)
        let tracks = [picture?.track(duration: duration), sound?.track(duration: duration)]
            .compactMap { $0 }
        let file = try MeteredFile(place)
        try file.write(
            MovieHeader(tracks: tracks, createdAt: createdAt, mediaByteCount: spool.byteCount)
                .bytes)
        try spool.copy(to: file, progress: progress)
        return Result(
            start: start, duration: duration, size: try file.finish(), width: picture?.width,
            height: picture?.height, isCopied: picture.map { _ in copiesPictures })
    }
}

/// The picture track of a movie.
final class MoviePictures {
    let width: Int
    let height: Int
    private let source: PartPictures
    /// Nil for pictures that are copied.
    private let composer: PictureComposer?
    /// The movie's beginning on the common clock, in ticks.
    private let start: Int64
    private var table = SampleTable()
    private var shown: [Int64] = []
    private var chunk: [UInt32] = []
    private var description = 1
    private var configurations: [[UInt8]] = []
    private let rotation: Int

    /// - Parameters:
    ///   - copies: whether the senders' pictures stay as they are.
    ///   - start: in milliseconds.
    /// - Throws: `RecordingError`, `CodecError`.
    init(_ parts: [RecordedPart], copies: Bool, start: Int64) throws {
        source = try PartPictures(parts)
        composer = copies ? nil : try PictureComposer(source.parts)
        self.start = start * PictureReader.timescale / 1000
        table.syncSamples = []
        let format = source.parts[0].format
        width = composer?.width ?? format.width
        height = composer?.height ?? format.height
        rotation = composer == nil ? format.rotation : 0
        if let composer { configurations = [composer.configuration] }
    }

    /// - Parameter end: in milliseconds from the movie's beginning.
    func write(until end: Int64, to spool: MovieSpool) throws {
        let end = start + end * PictureReader.timescale / 1000
        while let picture = source.next, picture.place < end {
            if let composer {
                for made in try composer.take(picture) {
                    try add(made.bytes, at: made.place, made.isKeyframe, to: spool)
                }
            } else {
                try describe(source.parts[picture.part].format.configuration, on: spool)
                try add(picture.bytes, at: picture.place, picture.isKeyframe, to: spool)
            }
            try source.advance()
        }
        closeChunk(on: spool)
    }

    func finish(to spool: MovieSpool) throws {
        for made in try composer?.finish() ?? [] {
            try add(made.bytes, at: made.place, made.isKeyframe, to: spool)
        }
        closeChunk(on: spool)
    }

    private func describe(_ configuration: [UInt8], on spool: MovieSpool) throws {
        let known = configurations.firstIndex(of: configuration)
        let number = (known ?? configurations.count) + 1
        if known == nil { configurations.append(configuration) }
        if number != description { closeChunk(on: spool) }
        description = number
    }

    private func add(
        _ bytes: [UInt8], at place: Int64, _ isKeyframe: Bool, to spool: MovieSpool
    ) throws {
        table.addSample(UInt32(bytes.count), isSync: isKeyframe)
        shown.append(max(0, place - start))
        chunk.append(UInt32(bytes.count))
        try spool.append(bytes)
    }

    private func closeChunk(on spool: MovieSpool) {
        let bytes = chunk.reduce(UInt64(0)) { $0 + UInt64($1) }
        _ = table.addChunk(
            chunk, description: UInt32(description), at: spool.byteCount - bytes)
        chunk = []
    }

    /// - Parameter duration: of the movie, in milliseconds: the last picture is held until then.
    /// - Returns: nil if no picture could be decoded.
    func track(duration: Int64) -> MovieTrack? {
        guard let pause = shown.min() else { return nil }
        let end = max(
            duration * PictureReader.timescale / 1000 - pause, (shown.max() ?? 0) - pause + 1)
        let delay = table.setTimes(shown: shown.map { $0 - pause }, end: end)
        let size = (UInt16(clamping: width), UInt16(clamping: height))
        return MovieTrack(
            id: 1, .video(width: size.0, height: size.1),
            timescale: UInt32(PictureReader.timescale), duration: UInt64(end),
            pause: UInt64(pause), skipped: UInt64(delay), shown: UInt64(end), table: table,
            entries: configurations.map {
                .avc(width: size.0, height: size.1, configuration: $0)
            }, rotation: rotation)
    }
}

/// The sound track of a movie, from its beginning to its end.
final class MovieSound {
    private let encoder: AACEncoder
    private var mix: SoundMix
    /// The movie's beginning on the common clock, in samples.
    private let start: Int64
    /// Samples that went in.
    private var count: Int64 = 0
    private var table = SampleTable()
    private var chunk: [UInt32] = []
    /// Of the first block, in samples from the movie's beginning; below 0.
    private var first: Int64?

    /// - Parameter start: in milliseconds.
    /// - Throws: `CodecError`.
    init(_ parts: [RecordedPart], start: Int64, bitrate: Int) throws {
        mix = SoundMix(parts)
        encoder = try AACEncoder(bitrate: bitrate)
        self.start = start * SoundReader.sampleRate / 1000
    }

    /// - Parameter end: in milliseconds from the movie's beginning.
    func write(until end: Int64, to spool: MovieSpool) throws {
        let end = end * SoundReader.sampleRate / 1000 + SoundMix.latency
        while count < end {
            let block = try mix.block(at: start + count, count: AACEncoder.frameSize)
            try add(encoder.encode(block, index: count - SoundMix.latency), to: spool)
            count += Int64(AACEncoder.frameSize)
        }
        closeChunk(on: spool)
    }

    func finish(to spool: MovieSpool) throws {
        try add(encoder.flush(), to: spool)
        closeChunk(on: spool)
    }

    private func add(_ packets: [EncodedPacket], to spool: MovieSpool) throws {
        for packet in packets {
            if first == nil { first = packet.pts.ticks }
            table.sizes.append(UInt32(packet.data.count))
            table.durations.append(UInt32(AACEncoder.frameSize))
            chunk.append(UInt32(packet.data.count))
            try spool.append(packet.data)
        }
    }

    private func closeChunk(on spool: MovieSpool) {
        let bytes = chunk.reduce(UInt64(0)) { $0 + UInt64($1) }
        _ = table.addChunk(chunk, description: 1, at: spool.byteCount - bytes)
        chunk = []
    }

    /// - Parameter duration: of the movie, in milliseconds.
    func track(duration: Int64) -> MovieTrack {
        let length = UInt64(table.sizes.count * AACEncoder.frameSize)
        let skipped = UInt64(max(0, -(first ?? 0)))
        let wanted = UInt64(duration * SoundReader.sampleRate / 1000)
        return MovieTrack(
            id: 2, .audio, timescale: UInt32(AACEncoder.sampleRate), duration: length,
            skipped: skipped, shown: min(length - min(length, skipped), wanted), table: table,
            entries: [
                .aac(
                    channels: UInt8(AACEncoder.channels), sampleRate: UInt32(AACEncoder.sampleRate),
                    configuration: encoder.audioSpecificConfig,
                    SampleEntry.Bitrate(
                        average: UInt32(encoder.bitrate), peak: UInt32(2 * encoder.bitrate)))
            ])
    }
}
