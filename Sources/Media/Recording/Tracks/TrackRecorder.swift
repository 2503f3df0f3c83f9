import Matroska
public import MediaKernel
import Ogg

/// Decides what becomes of the encoded frames of one track: when a file begins and ends, and which
/// time each frame has in it. Nothing is decoded.
///
/// Facts go in, orders come out; the caller has the files. Media times come from the RTP clock
/// alone, so that a file is as even as its sender's clock; notes in the log tie it to the common
/// clock.
public struct TrackRecorder: Sendable {
    public enum Order: Hashable, Sendable {
        /// Begins a file. Those of the same recorder before it are complete.
        case begin(file: String, header: [UInt8])
        /// Appends to the file that was begun last.
        case append([UInt8])
        case note(TrackLogEntry)
        /// Nothing can be recorded before the next key frame.
        case keyframeNeeded
    }

    /// One encoded frame or audio packet.
    public struct Frame: Sendable {
        public var data: [UInt8]
        /// Unwrapped RTP timestamp.
        public var timestamp: Int64
        public var isKeyframe: Bool
        public var rotation: Int
        /// Luma samples, where a key frame has them.
        public var width: Int?
        public var height: Int?
        /// Whether frames before it were lost on the way.
        public var followsLoss: Bool

        public init(
            data: [UInt8], timestamp: Int64, isKeyframe: Bool, rotation: Int = 0,
            width: Int? = nil, height: Int? = nil, followsLoss: Bool = false
        ) {
            self.data = data
            self.timestamp = timestamp
            self.isKeyframe = isKeyframe
            self.rotation = rotation
            self.width = width
            self.height = height
            self.followsLoss = followsLoss
        }
    }

    private struct Part {
        let file: String
        let format: TrackFormat
        /// The RTP timestamp of media time 0.
        let origin: Int64
        var cluster: LiveMatroska.Cluster?
        var clusterBegan = Instant.zero
        /// Of the latest frame.
        var media: Int64 = 0
        var capture: Instant
        /// Of the latest frame, as far as is known.
        var length: Int64
        var nextNote: Int64 = 0
        var noteInterval: Int64 = LiveMatroska.timescale
        var gaps = 0
    }

    /// A cluster is written after this, in ticks and on the clock: what `kill -9` costs.
    static let clusterTicks = LiveMatroska.timescale
    public static let clusterTime: Duration = .seconds(1)
    private static let clusterBytes = 1 << 20
    /// The longest time between two notes about the clock, in ticks.
    private static let noteIntervalMaximum = 10 * LiveMatroska.timescale
    /// Media time and capture time never part by more; a sender that does so has begun anew.
    private static let jumpMaximum: Duration = .seconds(1)
    /// A shorter pause of a sender is not worth a line, in ticks.
    private static let silenceMinimum = LiveMatroska.timescale
    /// Later gaps of a file are not listed.
    static let gapsMaximum = 10_000
    /// A sender that changes its picture's size at every key frame fills a directory.
    static let partsMaximum = 1_000
    /// A key frame is requested again after this.
    private static let keyframePatience: Duration = .seconds(1)

    private let track: RecordedTrack
    private let codec: TrackCodec
    private let number: Int
    private var parts = 0
    private var part: Part?
    /// Why the time before the next frame is missing.
    private var missing: TrackGap?
    /// Whether frames are left out until the next key frame.
    private var awaitsKeyframe = false
    private var isPaused = false
    private var keyframeAsked: Instant?

    /// - Parameter number: unique in the stream; part of the files' names.
    public init(_ track: RecordedTrack, codec: TrackCodec, number: Int, isPaused: Bool = false) {
        self.track = track
        self.codec = codec
        self.number = number
        self.isPaused = isPaused
    }

    /// - Parameters:
    ///   - capture: on the machine's clock, as well as it is known by now.
    ///   - now: the present.
    public mutating func take(
        _ frame: Frame, captured capture: Instant, at now: Instant
    ) -> [Order] {
        guard !isPaused else { return [] }
        if awaitsKeyframe, !frame.isKeyframe { return askForKeyframe(at: now) }
        guard
            let sample = TrackSample(frame.data, of: codec, isKeyframe: frame.isKeyframe)
        else { return [] }
        var orders: [Order] = []
        if let part, hasJumped(frame, captured: capture, in: part) { orders += end(at: now) }
        if let format = format(of: frame, sample), part?.format != format {
            orders += end(at: now)
            guard parts < Self.partsMaximum else { return orders }
            orders += begin(format, frame, captured: capture)
        }
        guard var part else {
            return parts < Self.partsMaximum ? orders + askForKeyframe(at: now) : orders
        }
        // The only copy, so that the cluster grows in place.
        self.part = nil
        awaitsKeyframe = false
        keyframeAsked = nil
        let media = ticks(frame.timestamp - part.origin)
        let length = self.length(of: sample, media: media, in: part)
        orders += noteGap(before: media, frame, in: &part)
        if let cluster = part.cluster,
            !cluster.takes(media) || abs(media - cluster.timestamp) >= Self.clusterTicks
                || cluster.byteCount >= Self.clusterBytes
        {
            orders += Self.close(&part)
        }
        if part.cluster == nil {
            part.cluster = LiveMatroska.Cluster(timestamp: media)
            part.clusterBegan = now
        }
        part.cluster?.add(sample.bytes, at: media, isKeyframe: frame.isKeyframe || !codec.isVideo)
        if media >= part.media {
            part.media = media
            part.capture = capture
            part.length = length
        }
        self.part = part
        return orders
    }

    /// Packets of sound before the next one are lost.
    public mutating func lost() { missing = missing ?? .loss }

    /// Frames before the next one did not fit into the queue.
    public mutating func overflowed() {
        missing = .overflow
        awaitsKeyframe = codec.isVideo
    }

    /// Nothing of what comes meanwhile is recorded.
    public mutating func setPaused(_ isPaused: Bool, at now: Instant) -> [Order] {
        guard isPaused != self.isPaused else { return [] }
        self.isPaused = isPaused
        missing = .pause
        awaitsKeyframe = codec.isVideo
        return isPaused ? flush(at: now, isForced: true) : askForKeyframe(at: now)
    }

    /// Writes what has waited long enough.
    public mutating func flush(at now: Instant, isForced: Bool = false) -> [Order] {
        guard var part, part.cluster != nil,
            isForced || now - part.clusterBegan >= Self.clusterTime
        else { return [] }
        let orders = Self.close(&part)
        self.part = part
        return orders
    }

    /// Ends the file, if there is one. The last picture is shown until now.
    public mutating func end(at now: Instant) -> [Order] {
        guard var part else { return [] }
        var orders = Self.close(&part, isLast: true)
        let held = codec.isVideo ? Self.ticks(now - part.capture) : 0
        orders.append(
            .note(.end(file: part.file, media: part.media + max(part.length, held))))
        self.part = nil
        return orders
    }

    // MARK: Inside

    private mutating func askForKeyframe(at now: Instant) -> [Order] {
        guard codec.isVideo else { return [] }
        if let keyframeAsked, now - keyframeAsked < Self.keyframePatience { return [] }
        keyframeAsked = now
        return [.keyframeNeeded]
    }

    /// Nil for a frame that does not state its format. A packet of sound does not begin a file if
    /// the present one can have it.
    private func format(of frame: Frame, _ sample: TrackSample) -> TrackFormat? {
        guard let configuration = sample.configuration else { return nil }
        guard codec.isVideo else {
            let channels = OpusPacket.isStereo(frame.data) ? 2 : 1
            if let part, part.format.channels >= channels { return part.format }
            return TrackFormat(.opus, channels: channels, configuration: configuration)
        }
        guard frame.isKeyframe, let width = frame.width ?? part?.format.width,
            let height = frame.height ?? part?.format.height, width > 0, height > 0
        else { return nil }
        return TrackFormat(
            codec, width: width, height: height, rotation: frame.rotation,
            configuration: configuration)
    }

    private mutating func begin(
        _ format: TrackFormat, _ frame: Frame, captured capture: Instant
    ) -> [Order] {
        let file = TrackFolder.fileName(track: number, part: parts)
        parts += 1
        part = Part(
            file: file, format: format, origin: frame.timestamp, capture: capture, length: 0)
        missing = nil
        return [
            .begin(file: file, header: LiveMatroska.header(of: format.matroska)),
            .note(.part(file: file, track: track, format: format)),
            .note(.clock(file: file, media: 0, capture: capture.nanoseconds)),
        ]
    }

    private func hasJumped(_ frame: Frame, captured capture: Instant, in part: Part) -> Bool {
        let media = ticks(frame.timestamp - part.origin) - part.media
        let step = capture - part.capture
        return (step - Self.duration(media)).magnitude > Self.jumpMaximum
    }

    private func length(of sample: TrackSample, media: Int64, in part: Part) -> Int64 {
        guard codec.isVideo else {
            return ticks(OpusPacket.samples(sample.bytes) ?? 0)
        }
        let step = media - part.media
        return (1...Self.silenceMinimum).contains(step) ? step : part.length
    }

    private mutating func noteGap(
        before media: Int64, _ frame: Frame, in part: inout Part
    ) -> [Order] {
        defer { missing = nil }
        let from = codec.isVideo ? part.media : part.media + part.length
        guard media > from else { return [] }
        let reason = missing ?? (frame.followsLoss ? .loss : .silence)
        guard reason != .silence || media - from >= Self.silenceMinimum,
            part.gaps < Self.gapsMaximum
        else { return [] }
        part.gaps += 1
        return [.note(.gap(file: part.file, from: from, to: media, reason: reason))]
    }

    private static func close(_ part: inout Part, isLast: Bool = false) -> [Order] {
        var orders: [Order] = []
        if let cluster = part.cluster { orders.append(.append(cluster.bytes)) }
        part.cluster = nil
        if part.media >= part.nextNote || isLast {
            orders.append(
                .note(
                    .clock(
                        file: part.file, media: part.media, capture: part.capture.nanoseconds)))
            part.nextNote = part.media + part.noteInterval
            part.noteInterval = min(2 * part.noteInterval, noteIntervalMaximum)
        }
        return orders
    }

    /// Converts ticks of RTP.
    private func ticks(_ timestamp: Int64) -> Int64 {
        let (scale, rate) = (LiveMatroska.timescale, codec.clockRate)
        return (timestamp * scale + (timestamp < 0 ? -rate : rate) / 2) / rate
    }

    private static func ticks(_ duration: Duration) -> Int64 {
        duration.nanoseconds / (1_000_000_000 / LiveMatroska.timescale)
    }

    private static func duration(_ ticks: Int64) -> Duration {
        .nanoseconds(ticks * (1_000_000_000 / LiveMatroska.timescale))
    }
}
