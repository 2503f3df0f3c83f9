/// The encoder's leaky bucket (VBV), as far as a playlist depends on it.
///
/// The bucket fills at the maximum bitrate and holds the buffer's bits; an encoder that obeys it
/// never sends more than `maximum × time + buffer` in any stretch of time (H.264 Annex C).
public struct VideoRateControl: Hashable, Sendable {
    /// The bucket's fill rate in percent of the average bitrate, at least 100.
    public let percentMaximum: Int
    /// The bucket's size in milliseconds at the maximum bitrate.
    public let bufferMilliseconds: Int

    /// The encoders' setting. Half a second is ample for the one IDR picture of a segment and keeps
    /// the worst segment of two seconds within 1.4 times the average.
    ///
    /// Measured where a still slate turns into noise, 500 kbit/s, segments of 2 s: the largest
    /// segment has 1.63 times the bitrate with a bucket of 2 s, 1.36 with 1 s, and 1.23 with half a
    /// second, which costs 0.03 dB in ordinary pictures.
    public static let standard = VideoRateControl(percentMaximum: 110, bufferMilliseconds: 500)

    /// Bits per second.
    public func bitrateMaximum(average: Int) -> Int { average * percentMaximum / 100 }

    /// Bits.
    public func bufferBits(average: Int) -> Int {
        bitrateMaximum(average: average) * bufferMilliseconds / 1000
    }
}
