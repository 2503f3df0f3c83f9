public import HLS
import MediaKernel

/// A recording's data about one segment of one layer, so that its file need not be opened.
public struct SegmentRecord: Hashable, Sendable {
    /// The segment's number in its playlist and its file's name.
    public var number: Int
    /// Nanoseconds since 1970 of frame 0; distinguishes the runs of a stream's bots.
    public var run: Int64
    /// Frames per second.
    public var frameRate: Int
    /// The timestamp of frame 0 and of sample 0, in ticks of 90 kHz.
    public var origin: Int64
    /// Counted in the run.
    public var firstFrame: Int64
    public var frameCount: Int
    /// Recording was paused in some of its frames, so no asset includes it.
    public var isLeftOut: Bool
    public var byteCount: Int
    /// CRC-32 of the file.
    public var checksum: UInt32
    /// CRC-32 of the initialization section; nil for a transport stream.
    public var header: UInt32?
    /// Nil for audio alone.
    public var parameterSets: ParameterSets?
    /// In decoding order.
    public var pictures: [PictureSample]
    public var sound: SoundRecord?

    /// Beyond any stream, with room for the numbers that follow.
    static let numberMaximum = 1 << 40
    /// 20 s at 60 frames a second are 1200.
    public static let framesMaximum: Int64 = 1 << 14
    /// 20 s at 96 kHz are below 2000.
    static let blocksMaximum = 1 << 15
    static let frameRates = 1...1000
    /// Eight years, so that times in ticks of any clock here can be multiplied without overflow.
    static let secondsMaximum: Int64 = 1 << 28

    /// The blocks of sound.
    public struct SoundRecord: Hashable, Sendable {
        public var format: SoundFormat
        /// The beginning of the first block, in samples on the run's clock.
        public var firstSample: Int64
        /// Bytes of each, without ADTS header.
        public var blockSizes: [UInt32]

        public init(format: SoundFormat, firstSample: Int64, blockSizes: [UInt32]) {
            self.format = format
            self.firstSample = firstSample
            self.blockSizes = blockSizes
        }
    }

    /// Makes the record of a segment that is about to be published.
    ///
    /// - Parameters:
    ///   - clock: of its frames, as in the table.
    ///   - header: checksum of the initialization section; nil for a transport stream.
    ///   - bytes: of the file.
    /// - Throws: `.malformed` for content that Roomcast does not write.
    public init(
        number: Int, run: Int64, clock: SegmentClock, frameCount: Int, isLeftOut: Bool = false,
        table: SegmentTable, header: UInt32? = nil, bytes: [UInt8]
    ) throws(RecordingError) {
        try table.check()
        self.init(
            number: number, run: run, frameRate: clock.frameRate, origin: clock.origin,
            firstFrame: clock.firstFrame, frameCount: frameCount, isLeftOut: isLeftOut,
            byteCount: bytes.count, checksum: CRC32.checksum(bytes),
            parameterSets: table.parameterSets, pictures: table.pictures, sound: table.sound)
        self.header = header
    }

    /// Makes the record of a segment from its file alone.
    ///
    /// - Throws: `.malformed` for content that Roomcast does not write.
    public init(
        number: Int, run: Int64, clock: SegmentClock, frameCount: Int, isLeftOut: Bool = false,
        bytes: [UInt8]
    ) throws(RecordingError) {
        try self.init(
            number: number, run: run, clock: clock, frameCount: frameCount, isLeftOut: isLeftOut,
            table: SegmentSamples(parsing: bytes, clock: clock).table, bytes: bytes)
    }

    init(
        number: Int, run: Int64, frameRate: Int, origin: Int64, firstFrame: Int64,
        frameCount: Int, isLeftOut: Bool, byteCount: Int, checksum: UInt32,
        parameterSets: ParameterSets?,
        pictures: [PictureSample], sound: SoundRecord?
    ) {
        self.number = number
        self.run = run
        self.frameRate = frameRate
        self.origin = origin
        self.firstFrame = firstFrame
        self.frameCount = frameCount
        self.isLeftOut = isLeftOut
        self.byteCount = byteCount
        self.checksum = checksum
        self.parameterSets = parameterSets
        self.pictures = pictures
        self.sound = sound
    }

    /// Of its first frame, in nanoseconds since 1970.
    var startDate: Int64 { Self.date(ofFrame: firstFrame, run: run, frameRate: frameRate) }

    /// Of the frame after its last one, in nanoseconds since 1970.
    var endDate: Int64 {
        Self.date(ofFrame: firstFrame + Int64(frameCount), run: run, frameRate: frameRate)
    }

    /// The time of a run's frame in nanoseconds since 1970. An edited log may contain anything; a
    /// date that overflows becomes `.max`.
    public static func date(ofFrame frame: Int64, run: Int64, frameRate: Int) -> Int64 {
        let time = MediaTime(ticks: frame, timescale: Int32(frameRate))
        let (date, isBeyond) = run.addingReportingOverflow(
            time.rescaled(to: 1_000_000_000).ticks)
        return isBeyond ? .max : date
    }

    /// The file's name, in the layer's directory.
    public var fileName: String { Self.fileName(number: number, format) }

    public static func fileName(
        number: Int, _ format: SegmentFormat = .transportStream
    ) -> String {
        "segment_\(paddedDecimal(Int64(number), digits: 6)).\(format.fileExtension)"
    }

    public var format: SegmentFormat { header == nil ? .transportStream : .fragments }

    /// The name of the initialization section's file; nil for a transport stream.
    public var headerName: String? { header.map { FragmentHeader.fileName(checksum: $0) } }

    /// Whether these are the recorded bytes.
    func matches(_ bytes: [UInt8]) -> Bool {
        bytes.count == byteCount && CRC32.checksum(bytes) == checksum
    }

    /// The samples in these bytes, which must match.
    ///
    /// - Throws: `.malformed` when they do not agree with this record, which is impossible with a
    ///   valid checksum unless the log is not Roomcast's.
    func samples(in bytes: [UInt8]) throws(RecordingError) -> SegmentSamples {
        let clock = SegmentClock(frameRate: frameRate, origin: origin, firstFrame: firstFrame)
        let samples =
            switch format {
            case .transportStream: try SegmentSamples(parsing: bytes, clock: clock)
            case .fragments:
                try SegmentSamples(
                    fragments: bytes, clock: clock, parameterSets: parameterSets,
                    format: sound?.format)
            }
        guard samples.table.parameterSets == parameterSets,
            samples.table.pictures.map(\.byteCount) == pictures.map(\.byteCount),
            samples.table.sound?.blockSizes ?? [] == sound?.blockSizes ?? []
        else { throw .malformed(what: "not the samples that were recorded", offset: 0) }
        return samples
    }
}
