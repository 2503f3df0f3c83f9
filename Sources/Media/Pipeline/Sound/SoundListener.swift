public import MediaKernel

/// Hears each peer's voice by itself, in its place on the stream's clock. Called on the director's
/// thread, so it must not block.
public protocol SoundListener: Sendable {
    /// The clock starts.
    ///
    /// - Parameter epoch: of sample 0, in nanoseconds since 1970.
    func began(epoch: Int64)

    /// - Parameters:
    ///   - samples: 48 kHz, interleaved stereo; nil for silence.
    ///   - place: the samples, without channels, on the stream's clock.
    func hear(_ samples: [Float]?, at place: Range<Int64>, of track: TrackID)
}
