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
    private static let fragmentBytes = 200.0
    private static let blocksPerSecond = 48_000.0 / 1024

    /// - Parameter parts: of a segment.
    public init(layer: Layer, segmentDuration: MediaTime, parts: Int = 1) {
        let control = VideoRateControl.standard
        let seconds = max(segmentDuration.seconds, 1 / Double(layer.frameRate))
        let maximum = Double(control.bitrateMaximum(average: layer.videoBitrate))
        let buffer = Double(control.bufferBits(average: layer.videoBitrate))
        let rest =
            Double(layer.audioBitrate) + Self.besideSamples(seconds: seconds, parts: parts)
        let pictures = 8 * Double(layer.frameRate)
        peak = Int(
            (maximum + buffer / seconds + rest + pictures * Self.pictureBytes.most).rounded(.up))
        average = Int(
            (Double(layer.videoBitrate) + rest + pictures * Self.pictureBytes.usual).rounded(.up))
    }

    /// Of the fragments and the blocks of sound, in bits per second.
    private static func besideSamples(seconds: Double, parts: Int) -> Double {
        8 * (blockBytes * blocksPerSecond + fragmentBytes * Double(parts) / seconds)
    }

    /// A stream of audio alone.
    ///
    /// - Parameters:
    ///   - soundBitrate: of the AAC, in bits per second.
    ///   - parts: of a segment.
    public init(soundBitrate: Int, segmentDuration: MediaTime, parts: Int = 1) {
        let seconds = max(segmentDuration.seconds, 0.1)
        let rest = Self.besideSamples(seconds: seconds, parts: parts)
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
