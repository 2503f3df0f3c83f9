public import MediaKernel

/// A layer's bitrate on the wire, computed from the ladder alone.
///
/// The master playlist is published with the first segment, before any measurement, so its
/// BANDWIDTH and AVERAGE-BANDWIDTH are computed: elementary streams plus the MPEG transport stream
/// around them (ISO/IEC 13818-1).
///
/// The values hold for whole segments. A stream's last segment may be shorter, and the bucket's
/// half second weighs more in it: half a segment may have 1.2 times the peak of a whole one.
/// Announcing that would keep players off a layer that their line carries, for the whole stream,
/// because of one segment after which no other can be late.
public struct TransportStreamBitrate: WireBitrate, Hashable {
    /// Bits per second of the largest segment that the encoder's leaky bucket allows.
    public let peak: Int
    /// Bits per second over a long time.
    public let average: Int

    private static let packetBytes = 188
    private static let payloadBytes = 184
    /// PES header with PTS and DTS (19), access unit delimiter (6), adaptation field with PCR (8).
    private static let videoFrameHeaderBytes = 19 + 6 + 8
    /// PES header with PTS (14); without a picture adaptation field with PCR (8).
    private static let audioPESHeaderBytes = 14
    private static let audioPESHeaderBytesAlone = 14 + 8
    private static let adtsHeaderBytes = 7
    private static let aacFrameSamples = 1024
    private static let audioSampleRate = 48_000
    /// AAC frames that the muxer gathers in one PES packet, at the least and as a rule.
    private static let aacFramesPerPES = (fewest: 4, usual: 8)
    /// Without a picture the PES packets are short, since they carry the clock.
    private static let aacFramesPerPESAlone = (fewest: 2, usual: 3)
    /// PAT, PMT and SDT, at the start of a segment.
    private static let tablePacketsPerSegment = 3
    /// Below this many pictures per second, each picture has an extra packet with only a clock
    /// reference.
    private static let frameRateOfOwnClock = 10

    public init(layer: Layer, segmentDuration: MediaTime) {
        let rateControl = VideoRateControl.standard
        let seconds = max(segmentDuration.seconds, 1 / Double(layer.frameRate))
        let maximum = Double(rateControl.bitrateMaximum(average: layer.videoBitrate))
        let buffer = Double(rateControl.bufferBits(average: layer.videoBitrate))
        peak = Self.bitrate(
            of: layer, seconds: seconds, videoBits: maximum * seconds + buffer,
            stuffedShare: 1, aacFramesPerPES: Self.aacFramesPerPES.fewest)
        average = Self.bitrate(
            of: layer, seconds: seconds, videoBits: Double(layer.videoBitrate) * seconds,
            stuffedShare: 0.5, aacFramesPerPES: Self.aacFramesPerPES.usual)
    }

    /// A stream of audio alone.
    ///
    /// - Parameter soundBitrate: of the AAC, in bits per second.
    public init(soundBitrate: Int, segmentDuration: MediaTime) {
        let seconds = max(segmentDuration.seconds, 0.1)
        let frames = Self.aacFramesPerPESAlone
        peak = Self.wireBitrate(
            seconds: seconds,
            packets: Self.soundPackets(
                seconds: seconds, bitrate: soundBitrate, stuffedShare: 1,
                aacFramesPerPES: frames.fewest, headerBytes: Self.audioPESHeaderBytesAlone))
        average = Self.wireBitrate(
            seconds: seconds,
            packets: Self.soundPackets(
                seconds: seconds, bitrate: soundBitrate, stuffedShare: 0.5,
                aacFramesPerPES: frames.usual, headerBytes: Self.audioPESHeaderBytesAlone))
    }

    /// The last packet of a PES packet is stuffed: completely in the worst case, by half on
    /// average.
    private static func bitrate(
        of layer: Layer, seconds: Double, videoBits: Double, stuffedShare: Double,
        aacFramesPerPES: Int
    ) -> Int {
        let videoFrames = seconds * Double(layer.frameRate)
        let videoBytes = videoBits / 8 + videoFrames * Double(videoFrameHeaderBytes)
        let clockPackets = layer.frameRate < frameRateOfOwnClock ? videoFrames : 0
        let videoPackets =
            videoBytes / Double(payloadBytes) + videoFrames * stuffedShare + clockPackets
        let soundPackets = soundPackets(
            seconds: seconds, bitrate: layer.audioBitrate, stuffedShare: stuffedShare,
            aacFramesPerPES: aacFramesPerPES, headerBytes: audioPESHeaderBytes)
        return wireBitrate(seconds: seconds, packets: videoPackets + soundPackets)
    }

    private static func soundPackets(
        seconds: Double, bitrate: Int, stuffedShare: Double, aacFramesPerPES: Int,
        headerBytes: Int
    ) -> Double {
        let aacFrames = seconds * Double(audioSampleRate) / Double(aacFrameSamples)
        let audioPES = aacFrames / Double(aacFramesPerPES)
        let audioBytes =
            Double(bitrate) * seconds / 8 + aacFrames * Double(adtsHeaderBytes)
            + audioPES * Double(headerBytes)
        return audioBytes / Double(payloadBytes) + audioPES * stuffedShare
    }

    private static func wireBitrate(seconds: Double, packets: Double) -> Int {
        let bits = (packets + Double(tablePacketsPerSegment)) * Double(packetBytes) * 8
        return Int((bits / seconds).rounded(.up))
    }

    /// The BANDWIDTH: the peak less the tenth by which a segment may exceed it, so that players on
    /// a line that only just carries the layer do not avoid it. Whole kbit/s.
    public var bandwidth: Int { max(Self.wholeKilobits(peak * 10 / 11), averageBandwidth) }

    /// The AVERAGE-BANDWIDTH. Whole kbit/s.
    public var averageBandwidth: Int { Self.wholeKilobits(average) }

    static func wholeKilobits(_ bitrate: Int) -> Int { (bitrate + 999) / 1000 * 1000 }
}
