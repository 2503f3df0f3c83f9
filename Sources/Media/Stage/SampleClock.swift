public import MediaKernel

/// The stream's clock: converts between instants and the numbers of video frames and audio samples.
///
/// Frame *k* is at `origin + k / frameRate`, sample *n* at `origin + n / 48000`, for ever. Every
/// answer is computed from the number itself in whole arithmetic, so no error accumulates and
/// sound and picture cannot drift apart (docs/design/timeline.md, rule 1).
public struct SampleClock: Hashable, Sendable {
    /// Frame 0 and sample 0.
    public let origin: Instant
    /// Frames per second.
    public let frameRate: Int
    /// Samples per second of one channel.
    public let sampleRate: Int

    public init(origin: Instant, frameRate: Int, sampleRate: Int = 48_000) {
        precondition(frameRate > 0 && sampleRate > 0, "a clock runs forward")
        self.origin = origin
        self.frameRate = frameRate
        self.sampleRate = sampleRate
    }

    /// The first nanosecond that is not before the frame.
    public func instant(ofFrame frame: Int64) -> Instant {
        instant(of: frame, rate: frameRate)
    }

    /// The first nanosecond that is not before the sample.
    public func instant(ofSample sample: Int64) -> Instant {
        instant(of: sample, rate: sampleRate)
    }

    /// The last frame that is not after the instant; below 0 before the origin.
    public func frame(at instant: Instant) -> Int64 {
        scaledDown(elapsed(instant), by: Int64(frameRate), over: nanosecondsPerSecond)
    }

    /// The sample nearest to the instant; below 0 before the origin.
    public func sample(at instant: Instant) -> Int64 {
        // The number of half samples gives the nearest whole number.
        let halves = scaledDown(
            elapsed(instant), by: 2 * Int64(sampleRate), over: nanosecondsPerSecond)
        return (halves + 1) >> 1
    }

    /// The first sample that is not before the frame: where a segment's sound begins.
    public func firstSample(ofFrame frame: Int64) -> Int64 {
        -scaledDown(-frame, by: Int64(sampleRate), over: Int64(frameRate))
    }

    private func elapsed(_ instant: Instant) -> Int64 {
        instant.nanoseconds - origin.nanoseconds
    }

    private func instant(of number: Int64, rate: Int) -> Instant {
        let nanoseconds = -scaledDown(-number, by: nanosecondsPerSecond, over: Int64(rate))
        return Instant(nanoseconds: origin.nanoseconds + nanoseconds)
    }
}

let nanosecondsPerSecond: Int64 = 1_000_000_000

/// `value × factor / divisor`, rounded down, without overflow in between.
func scaledDown(_ value: Int64, by factor: Int64, over divisor: Int64) -> Int64 {
    let (quotient, remainder) = divisor.dividingFullWidth(
        value.multipliedFullWidth(by: factor))
    return remainder < 0 ? quotient - 1 : quotient
}
