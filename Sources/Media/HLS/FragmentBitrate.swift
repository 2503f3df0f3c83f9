public import MediaKernel

/// A layer's bitrate on the wire as fragmented MP4, computed from the ladder alone, like
/// ``TransportStreamBitrate``.
public struct FragmentBitrate: WireBitrate, Hashable {
    /// Bits per second of the largest segment that the encoder's leaky bucket allows.
    public let peak: Int
    /// Bits per second over a long time.
    public let average: Int

    /// Size, composition offset, and at the most duration and flags of each picture.
    private static let pictureBytes = (usual: 8.0, most: 16.0)
    /// The size of each block.
    private static let blockBytes = 4.0
    /// `moof` without samples, and the head of `mdat`.
    private static let segmentBytes = 200.0
    private static let blocksPerSecond = 48_000.0 / 1024

    public init(layer: Layer, segmentDuration: MediaTime) {
        let control = VideoRateControl.standard
        let seconds = max(segmentDuration.seconds, 1 / Double(layer.frameRate))
        let maximum = Double(control.bitrateMaximum(average: layer.videoBitrate))
        let buffer = Double(control.bufferBits(average: layer.videoBitrate))
        let rest =
            Double(layer.audioBitrate)
            + 8 * (Self.blockBytes * Self.blocksPerSecond + Self.segmentBytes / seconds)
        let pictures = 8 * Double(layer.frameRate)
        peak = Int(
            (maximum + buffer / seconds + rest + pictures * Self.pictureBytes.most).rounded(.up))
        average = Int(
            (Double(layer.videoBitrate) + rest + pictures * Self.pictureBytes.usual).rounded(.up))
    }

    /// A stream of audio alone.
    ///
    /// - Parameter soundBitrate: of the AAC, in bits per second.
    public init(soundBitrate: Int, segmentDuration: MediaTime) {
        let seconds = max(segmentDuration.seconds, 0.1)
        let rest = 8 * (Self.blockBytes * Self.blocksPerSecond + Self.segmentBytes / seconds)
        average = soundBitrate + Int(rest.rounded(.up))
        // Blocks may borrow from each other's bits (ISO/IEC 14496-3 sect. 4.5.3.2).
        peak = average * 11 / 10
    }

    /// The BANDWIDTH: the peak less the tenth by which a segment may exceed it. Whole kbit/s.
    public var bandwidth: Int {
        max(TransportStreamBitrate.wholeKilobits(peak * 10 / 11), averageBandwidth)
    }

    /// The AVERAGE-BANDWIDTH. Whole kbit/s.
    public var averageBandwidth: Int { TransportStreamBitrate.wholeKilobits(average) }
}
