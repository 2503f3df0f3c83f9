public import MediaKernel

/// The packets of a segment in the making, and the rule by which its audio ends: the same for every
/// container, so that all are cut at the same packets.
///
/// A segment's audio is the blocks that end before the next segment's first picture: a block that
/// begins before that picture and ends after it belongs to the next segment, so that a player that
/// starts there has both from the first picture on. Players do not start at, or seek to, a place
/// where one of them is missing. The audio does not depend on which pictures are written: layers
/// with fewer pictures have the same sound.
public struct SegmentPackets: Sendable {
    /// The most waiting packets of either kind: four minutes of video at 60 frames a second.
    public static let countMaximum = 14_400

    public private(set) var video: [EncodedPacket] = []
    public private(set) var audio: [EncodedPacket] = []
    /// Where the block after the newest one will end.
    private var nextAudioEnd: MediaTime?

    private static let clockRate: Int32 = 90_000

    public init() {}

    public var isEmpty: Bool { video.isEmpty && audio.isEmpty }

    /// Takes the next video packet, in decoding order.
    ///
    /// - Throws: `.queueFull`.
    public mutating func append(video packet: EncodedPacket) throws(CodecError) {
        try Self.append(packet, to: &video)
    }

    /// Takes the next audio packet; it may run ahead of the video by any length.
    ///
    /// - Throws: `.queueFull`.
    public mutating func append(audio packet: EncodedPacket) throws(CodecError) {
        try Self.append(packet, to: &audio)
        nextAudioEnd = packet.end
        nextAudioEnd?.ticks += packet.duration.ticks
    }

    /// Whether all blocks that end by this time are here: sooner than the audio reaches it.
    public func hasAllAudio(endingBy time: MediaTime) -> Bool {
        nextAudioEnd.map { Self.ticks($0) > Self.ticks(time) } ?? false
    }

    /// Whether the audio reaches this time.
    public func isAudioComplete(until time: MediaTime) -> Bool {
        audio.last.map { Self.ticks($0.end) >= Self.ticks(time) } ?? false
    }

    /// Takes out the segment that ends with the newest picture.
    ///
    /// - Parameter time: of the next segment's first picture.
    /// - Throws: `.segmentWithoutKeyframe` without video.
    public mutating func take(
        before time: MediaTime
    ) throws(CodecError) -> (video: [EncodedPacket], audio: [EncodedPacket]) {
        guard !video.isEmpty else { throw .segmentWithoutKeyframe }
        let boundary = Self.ticks(time)
        return take(
            audioCount: audio.firstIndex { Self.ticks($0.end) > boundary } ?? audio.endIndex)
    }

    /// Takes out the audio before the first block that begins at `time` or later.
    public mutating func take(
        at time: MediaTime
    ) -> (video: [EncodedPacket], audio: [EncodedPacket]) {
        let boundary = Self.ticks(time)
        return take(
            audioCount: audio.firstIndex { Self.ticks($0.pts) >= boundary } ?? audio.endIndex)
    }

    /// Takes out everything.
    public mutating func takeAll() -> (video: [EncodedPacket], audio: [EncodedPacket]) {
        take(audioCount: audio.count)
    }

    private mutating func take(
        audioCount: Int
    ) -> (video: [EncodedPacket], audio: [EncodedPacket]) {
        let taken = (video, Array(audio.prefix(audioCount)))
        audio.removeFirst(audioCount)
        video = []
        return taken
    }

    private static func append(
        _ packet: EncodedPacket, to queue: inout [EncodedPacket]
    ) throws(CodecError) {
        guard queue.count < countMaximum else { throw .queueFull(maximum: countMaximum) }
        queue.append(packet)
    }

    /// In the clock of transport streams, whose times decide.
    private static func ticks(_ time: MediaTime) -> Int64 {
        time.rescaled(to: clockRate).ticks
    }
}

extension EncodedPacket {
    /// When it ends.
    public var end: MediaTime {
        MediaTime(ticks: pts.ticks + duration.ticks, timescale: pts.timescale)
    }
}
