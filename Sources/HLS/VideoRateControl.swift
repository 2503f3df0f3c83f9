/// The encoder's leaky bucket (VBV), as far as a playlist must know it.
///
/// The bucket fills at the maximum bitrate and holds the buffer's bits; an encoder that obeys it
/// never sends more than `maximum × time + buffer` in any stretch of time (H.264 Annex C).
public struct VideoRateControl: Hashable, Sendable {
    /// The bucket's fill rate in percent of the average bitrate, at least 100.
    public let percentMaximum: Int
    /// The bucket's size in milliseconds at the maximum bitrate.
    public let bufferMilliseconds: Int

    public init(percentMaximum: Int, bufferMilliseconds: Int) {
        precondition(percentMaximum >= 100, "a bucket that fills below the average runs dry")
        precondition(bufferMilliseconds > 0, "a bucket holds something")
        self.percentMaximum = percentMaximum
        self.bufferMilliseconds = bufferMilliseconds
    }

    /// What the encoders are set to. Half a second is ample for the one IDR picture of a segment
    /// and keeps the worst segment of two seconds within 1.4 times the average.
    public static let standard = VideoRateControl(percentMaximum: 110, bufferMilliseconds: 500)

    /// Bits per second.
    public func bitrateMaximum(average: Int) -> Int { average * percentMaximum / 100 }

    /// Bits.
    public func bufferBits(average: Int) -> Int {
        bitrateMaximum(average: average) * bufferMilliseconds / 1000
    }
}
