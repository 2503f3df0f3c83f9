internal import CLibAV
internal import MediaKernel

/// Puts one track's packets on an exact, endless timeline.
struct TrackTimeline {
    struct Times {
        var pts: MediaTime
        var dts: MediaTime
        var duration: MediaTime
    }

    /// The least common multiple of 90 kHz and 48 kHz, so that both are exact.
    static let timescale: Int32 = 720_000
    /// Containers round to milliseconds; a packet this near to its grid belongs on it.
    private static let roundingMaximum: Int64 = 720_000 / 1_000 + 1

    /// The time in the file that becomes zero.
    var origin: Int64 = 0
    private let isVideo: Bool
    private let isOpus: Bool
    private let outputTimescale: Int32
    /// One picture's duration as a fraction of a second, when it is constant.
    private let frameRate: AVRational?
    /// The time of the first sound according to the codec.
    private let runUp: Int64
    private let audioFrameTicks: Int64
    /// The place of the next block of sound if nothing is missing.
    private var nextAudio: Int64?
    /// The time of the first Opus packet in the file.
    private var firstAudio: Int64?
    /// The round of `nextAudio`.
    private var audioRound = 0

    init(track: MediaFileReader.Track, stream: UnsafeMutablePointer<AVStream>) {
        isVideo = track.isVideo
        isOpus = track.codec == "opus"
        outputTimescale = isVideo ? 90_000 : 48_000
        frameRate = isVideo ? Self.frameRate(of: stream) : nil
        var runUp: Int64 = 0
        var frameTicks: Int64 = 0
        if let parameters = stream.pointee.codecpar?.pointee, parameters.sample_rate > 0 {
            let rate = Int64(parameters.sample_rate)
            // Opus counts its pre-skip, like everything, at 48 kHz (RFC 7845 sect. 4.2).
            let paddingRate = isOpus ? 48_000 : rate
            runUp = Int64(parameters.initial_padding) * Int64(Self.timescale) / paddingRate
            frameTicks = Int64(parameters.frame_size) * Int64(Self.timescale) / rate
        }
        self.runUp = runUp
        audioFrameTicks = frameTicks
    }

    /// The constant rate of a stream, if the container is sure of it.
    static func frameRate(of stream: UnsafeMutablePointer<AVStream>) -> AVRational? {
        let rate = stream.pointee.avg_frame_rate
        guard rate.num > 0, rate.den > 0, rate.num / rate.den <= 240,
            av_cmp_q(rate, stream.pointee.r_frame_rate) == 0
        else { return nil }
        return rate
    }

    /// A packet's time span in the file; nil when the container gives no time.
    func span(of packet: Demuxer.Packet) -> ClosedRange<Int64>? {
        guard let pts = packet.pts else { return nil }
        let start = snapped(pts.rescaled(to: Self.timescale).ticks)
        return start...start + max(0, duration(of: packet))
    }

    /// Times of a packet in the given round over a file of `fileDuration`; nil for pictures without
    /// a time, and for Opus packets that the next round's would overlap.
    mutating func place(
        _ packet: Demuxer.Packet, round: Int, of fileDuration: MediaTime
    ) -> Times? {
        let offset = Int64(round) * fileDuration.ticks - origin
        let length = duration(of: packet)
        if round != audioRound, !isOpus { nextAudio = nil }
        audioRound = round
        guard let raw = packet.pts else {
            // Only the first of several blocks in one PES packet has a time of its own.
            return isVideo ? nil : nextAudio.flatMap { placeSound(at: $0, length, nil) }
        }
        let inFile = snapped(raw.rescaled(to: Self.timescale).ticks)
        if isVideo {
            let rawDecoding = packet.dts?.rescaled(to: Self.timescale).ticks ?? inFile
            let decoding = min(snapped(rawDecoding), inFile)
            return times(pts: inFile + offset, dts: decoding + offset, duration: length)
        }
        guard isOpus else { return placeSound(at: inFile + offset, length, nil) }
        let nextRound = (firstAudio ?? inFile + offset) + Int64(round + 1) * fileDuration.ticks
        return placeSound(at: inFile + offset, length, nextRound)
    }

    private mutating func placeSound(
        at nominal: Int64, _ length: Int64, _ nextRound: Int64?
    ) -> Times? {
        var start = nominal
        if let expected = nextAudio {
            // A jump of less than a block comes from rounding, or from a round that is no multiple
            // of it.
            if abs(start - expected) <= max(length, Self.roundingMaximum) { start = expected }
            if start < expected { return nil }
        } else if isOpus {
            firstAudio = start
        }
        if let nextRound, start + length / 2 > nextRound { return nil }
        nextAudio = start + length
        return times(pts: start, dts: start, duration: length)
    }

    private func times(pts: Int64, dts: Int64, duration: Int64) -> Times {
        func time(_ ticks: Int64) -> MediaTime {
            MediaTime(ticks: ticks, timescale: Self.timescale).rescaled(to: outputTimescale)
        }
        return Times(pts: time(pts), dts: time(dts), duration: time(duration))
    }

    private func snapped(_ ticks: Int64) -> Int64 {
        if let frameRate {
            let (num, den) = (Int64(frameRate.num), Int64(frameRate.den))
            let scale = Double(Self.timescale) * Double(den) / Double(num)
            let onGrid = Int64(((Double(ticks) / scale).rounded() * scale).rounded())
            return abs(onGrid - ticks) <= Self.roundingMaximum ? onGrid : ticks
        }
        if !isVideo, abs(ticks + runUp) <= Self.roundingMaximum { return -runUp }
        return ticks
    }

    private func duration(of packet: Demuxer.Packet) -> Int64 {
        if let frameRate {
            return Int64(Self.timescale) * Int64(frameRate.den) / Int64(frameRate.num)
        }
        if isOpus, let samples = OpusDecoder.sampleCount(of: packet.data) {
            return Int64(samples) * Int64(Self.timescale) / 48_000
        }
        if audioFrameTicks > 0 { return audioFrameTicks }
        return packet.duration.rescaled(to: Self.timescale).ticks
    }
}
