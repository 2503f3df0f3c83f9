import Ogg

/// A recorded part of a track, on the common clock: what further files are made of.
public struct RecordedPart: Sendable {
    public let track: RecordedTrack
    public let format: TrackFormat
    /// The finished file of the part.
    public let file: TrackIndex.File
    private let clock: TrackClockFit
    private let live: LiveTrackFile

    init(_ part: TrackParts.Part, _ file: TrackIndex.File, live: LiveTrackFile) {
        track = part.track
        format = part.format
        clock = part.clock
        self.file = file
        self.live = live
    }

    /// In milliseconds.
    public var end: Int64 { file.start + file.duration }

    /// When the part begins, in ticks of any timescale.
    public func start(in timescale: Int64) -> Int64 {
        Int64((Double(clock.start) * Double(timescale) / 1e9).rounded())
    }

    /// Its pictures, in the order of decoding.
    ///
    /// - Throws: `.file`.
    public func pictures() throws(RecordingError) -> PictureReader {
        PictureReader(try LiveTrackReader(live), clock, start: start(in: PictureReader.timescale))
    }

    /// Its sound, without holes.
    ///
    /// - Throws: `.file`.
    public func sound() throws(RecordingError) -> SoundReader {
        SoundReader(try LiveTrackReader(live), clock, isStereo: format.channels == 2)
    }
}

/// Reads the pictures of a part.
public final class PictureReader {
    /// Of the places, in ticks per second.
    public static let timescale: Int64 = 90_000

    /// One encoded picture, in the form in which files hold it.
    public struct Picture: Sendable {
        /// When it is shown, on the common clock.
        public var place: Int64
        public var isKeyframe: Bool
        public var bytes: [UInt8]
    }

    private let live: LiveTrackReader
    private let clock: TrackClockFit
    private let start: Int64

    init(_ live: LiveTrackReader, _ clock: TrackClockFit, start: Int64) {
        self.live = live
        self.clock = clock
        self.start = start
    }

    /// Nil after the last one.
    ///
    /// - Throws: `.file`.
    public func next() throws(RecordingError) -> Picture? {
        guard let frame = try live.next() else { return nil }
        return Picture(
            place: start + clock.scaled(frame.time, to: Self.timescale),
            isKeyframe: frame.isKeyframe, bytes: Array(frame.bytes))
    }
}

/// Reads the packets of a part, with silence where packets are missing.
public final class SoundReader {
    /// Samples per second.
    public static let sampleRate = OpusPacket.sampleRate
    /// Samples that come out of a decoder before the part's first one.
    public static let lookahead = OpusPacket.lookahead

    /// - Parameter samples: the length.
    public enum Piece: Hashable, Sendable {
        case packet([UInt8], samples: Int64)
        case silence(samples: Int64)
    }

    private let live: LiveTrackReader
    private let clock: TrackClockFit
    private let isStereo: Bool
    private var placement = OpusPlacement()
    /// What follows the last piece.
    private var waiting: [Piece] = []

    init(_ live: LiveTrackReader, _ clock: TrackClockFit, isStereo: Bool) {
        self.live = live
        self.clock = clock
        self.isStereo = isStereo
    }

    /// The piece that follows directly; nil after the last one. Silence begins with a packet, in
    /// which the decoder fades out.
    ///
    /// - Throws: `.file`.
    public func next() throws(RecordingError) -> Piece? {
        if !waiting.isEmpty { return waiting.removeFirst() }
        while let frame = try live.next() {
            guard let samples = OpusPacket.samples(frame.bytes) else { continue }
            let place = placement.place(
                at: clock.scaled(frame.time, to: OpusPacket.sampleRate), samples: samples)
            if place.isLeftOut { continue }
            let packet = Piece.packet(Array(frame.bytes), samples: samples)
            guard place.silences > 0 else { return packet }
            let length = OpusPacket.silenceSamples
            if place.silences > 1 {
                waiting.append(.silence(samples: Int64(place.silences - 1) * length))
            }
            waiting.append(packet)
            return .packet(OpusPacket.silence(isStereo: isStereo), samples: length)
        }
        return nil
    }
}
