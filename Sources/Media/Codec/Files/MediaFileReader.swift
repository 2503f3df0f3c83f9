internal import CLibAV
public import MediaKernel

/// Reads the packets of a WebM, Matroska, MP4 or Ogg file, once or over and over without a seam.
///
/// Times that containers round (Matroska to milliseconds) are made exact: pictures of a constant
/// rate lie on that rate's grid, blocks of sound follow each other without gap. Across rounds this
/// holds for Opus, which can be sent unchanged; other sound must be decoded round by round, and its
/// blocks keep their time in the file. Not thread-safe: one owner at a time.
public final class MediaFileReader {
    /// One track of the file.
    public struct Track: Hashable, Sendable {
        public enum Kind: Hashable, Sendable {
            /// Pixels; frames per second, nil when they vary or are unknown.
            case video(width: Int, height: Int, frameRate: Double?)
            case audio(sampleRate: Int, channels: Int)
        }

        /// The value of `Packet.track`.
        public let index: Int
        public let kind: Kind
        /// FFmpeg's name: "vp8", "vp9", "h264", "av1", "opus", "aac", …
        public let codec: String
        /// Whether the presentation order differs from the decoding order (B-frames).
        public let isReordered: Bool

        public var isVideo: Bool { if case .video = kind { true } else { false } }
    }

    public struct Packet: Hashable, Sendable {
        public var track: Int
        /// H.264 is in Annex B form with parameter sets before each IDR picture; the other formats
        /// are those of `VideoDecoder.decode` and `OpusDecoder.decode`.
        public var data: [UInt8]
        /// 90 000 ticks a second for pictures, 48 000 for sound. The first picture is at zero;
        /// sound may begin before it if its codec needs a run-up. Continues when the file starts
        /// again.
        public var pts: MediaTime
        public var dts: MediaTime
        public var duration: MediaTime
        public var isKeyframe: Bool
        /// How often the file has started again.
        public var round: Int
    }

    /// Reading fails if there are more other packets than this between two packets of the tracks.
    static let skippedPacketsMaximum = 100_000

    /// The tracks of pictures and sound, at most 32.
    public let tracks: [Track]
    /// The duration of one round: the end of the pictures, or of the sound without pictures.
    public let duration: MediaTime
    public let loops: Bool
    /// Knows the tracks.
    private let catalogue: Demuxer
    /// Reads the packets; a new one for each round.
    private var demuxer: Demuxer
    private var timelines: [Int: TrackTimeline] = [:]
    private var annexBFilters: [Int: AnnexBFilter] = [:]
    private var round = 0
    private var isAtEnd = false

    /// Opens the file and reads it once to find its exact duration.
    ///
    /// - Throws: `.library` when it is unreadable, `.partMissing` when it has neither pictures nor
    ///   sound.
    public init(path: String, loops: Bool = false) throws(CodecError) {
        self.loops = loops
        catalogue = try Demuxer(path: path)
        demuxer = try catalogue.reopened()
        var tracks: [Track] = []
        for index in 0..<catalogue.streamCount {
            guard let stream = catalogue.stream(index), let track = Self.track(index, of: stream)
            else { continue }
            tracks.append(track)
            timelines[index] = TrackTimeline(track: track, stream: stream)
        }
        self.tracks = tracks
        let spans = try Self.measure(catalogue, timelines)
        let pictures = tracks.filter(\.isVideo).compactMap { spans[$0.index] }
        let sounds = tracks.filter { !$0.isVideo }.compactMap { spans[$0.index] }
        let leading = pictures.isEmpty ? sounds : pictures
        // Sound from before zero is a decoder's run-up and is not played.
        guard
            let start = leading.map(\.lowerBound).min().map({ pictures.isEmpty ? max($0, 0) : $0 }),
            let end = leading.map(\.upperBound).max(), end > start
        else { throw .partMissing("pictures or sound in \(path)") }
        duration = MediaTime(ticks: end - start, timescale: TrackTimeline.timescale)
        for track in tracks { timelines[track.index]?.origin = start }
        for track in tracks where track.codec == VideoCodecKind.h264.rawValue {
            guard let parameters = catalogue.stream(track.index)?.pointee.codecpar else { continue }
            annexBFilters[track.index] = try AnnexBFilter(parameters)
        }
    }

    /// The next packet of any track, in file order.
    ///
    /// - Returns: nil after the last one; never when the file loops.
    /// - Throws: `.library` when the file is damaged here.
    public func read() throws(CodecError) -> Packet? {
        for _ in 0..<Self.skippedPacketsMaximum {
            if isAtEnd { return nil }
            guard let raw = try demuxer.read() else {
                if loops { try startAgain() } else { isAtEnd = true }
                continue
            }
            guard let times = timelines[raw.stream]?.place(raw, round: round, of: duration) else {
                continue
            }
            var data = raw.data
            if let filter = annexBFilters[raw.stream] {
                data = try filter.convert(data, isKeyframe: raw.isKeyframe)
            }
            if data.isEmpty { continue }
            return Packet(
                track: raw.stream, data: data, pts: times.pts, dts: times.dts,
                duration: times.duration, isKeyframe: raw.isKeyframe, round: round)
        }
        throw .queueFull(maximum: Self.skippedPacketsMaximum)
    }

    /// A decoder for an audio track of any codec. It takes the packets unchanged.
    ///
    /// - Throws: `.setting` for a track of pictures, `.partMissing` for an unknown codec.
    public func makeAudioDecoder(for track: Track) throws(CodecError) -> AudioDecoder {
        guard !track.isVideo else { throw .setting(name: "track", value: "\(track.index)") }
        return try AudioDecoder(parameters: try parameters(of: track))
    }

    private func parameters(of track: Track) throws(CodecError) -> TrackParameters {
        guard let source = catalogue.stream(track.index)?.pointee.codecpar else {
            throw .setting(name: "track", value: "\(track.index)")
        }
        return try .copy(of: source)
    }

    private func startAgain() throws(CodecError) {
        round += 1
        demuxer = try catalogue.reopened()
    }

    // MARK: Opening

    private static func track(_ index: Int, of stream: UnsafeMutablePointer<AVStream>) -> Track? {
        guard let parameters = stream.pointee.codecpar?.pointee,
            // A cover picture is no video.
            stream.pointee.disposition & AV_DISPOSITION_ATTACHED_PIC == 0
        else { return nil }
        let kind: Track.Kind
        switch parameters.codec_type {
        case AVMEDIA_TYPE_VIDEO:
            kind = .video(
                width: Int(parameters.width), height: Int(parameters.height),
                frameRate: TrackTimeline.frameRate(of: stream).map {
                    Double($0.num) / Double($0.den)
                })
        case AVMEDIA_TYPE_AUDIO:
            kind = .audio(
                sampleRate: Int(parameters.sample_rate),
                channels: Int(parameters.ch_layout.nb_channels))
        default:
            return nil
        }
        return Track(
            index: index, kind: kind, codec: String(cString: avcodec_get_name(parameters.codec_id)),
            isReordered: parameters.video_delay > 0)
    }

    /// The beginning and end of each track in the file, in ticks of `TrackTimeline.timescale`.
    private static func measure(
        _ demuxer: Demuxer, _ timelines: [Int: TrackTimeline]
    ) throws(CodecError) -> [Int: ClosedRange<Int64>] {
        var spans: [Int: ClosedRange<Int64>] = [:]
        while let packet = try demuxer.read() {
            guard let span = timelines[packet.stream]?.span(of: packet) else { continue }
            let known = spans[packet.stream] ?? span
            spans[packet.stream] =
                min(known.lowerBound, span.lowerBound)...max(known.upperBound, span.upperBound)
        }
        return spans
    }
}
