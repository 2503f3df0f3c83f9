/// Turns a track's position error into a resampling ratio: a proportional-integral loop.
///
/// The integral learns the source's drift, so that the average error is zero; the proportional part
/// removes the rest, gently near zero, where the error is mostly noise. A deliberate move of the
/// presentation is known beforehand and is not an error: the ratio follows it from the start, or
/// else the sound would lag behind the picture for as long as the move lasts. The ratio stays
/// within half a percent, an inaudible pitch change, and changes slowly.
struct DriftController: Sendable {
    /// Output samples per input sample.
    private(set) var ratio = 1.0
    /// Seconds, smoothed.
    private var error = 0.0
    private var integral = 0.0
    /// Seconds per second by which the presentation is moved deliberately, smoothed.
    private var smoothedSlide = 0.0

    /// The largest deviation of the ratio from 1 (docs/design/timeline.md, rule 3).
    static let deviationMaximum = 0.005
    /// Errors below this many seconds are corrected by less than their share.
    private static let deadBand = 0.005
    /// Both poles of the loop lie at -0.1 per second.
    private static let proportionalGain = 0.2
    private static let integralGain = 0.01
    /// Clocks are rarely 300 parts in a million off; a deviation above a thousand is not drift.
    private static let integralMaximum = 0.001
    private static let smoothingSeconds = 1.0
    /// Arrivals come in bursts, and with them the moves of the presentation.
    private static let slideSmoothingSeconds = 0.25
    /// Change of the ratio per second.
    private static let slopeMaximum = 0.01

    /// - Parameters:
    ///   - measured: seconds by which the next sample is too early.
    ///   - slide: seconds per second by which the presentation is being moved deliberately.
    ///   - seconds: the block's duration.
    mutating func update(error measured: Double, slide: Double, seconds: Double) -> Double {
        error += (measured - error) * min(1, seconds / Self.smoothingSeconds)
        let proportional =
            Self.proportionalGain * error * min(1, abs(error) / Self.deadBand + 0.25)
        smoothedSlide +=
            (slide - smoothedSlide) * min(1, seconds / Self.slideSmoothingSeconds)
        let wanted = proportional + integral + smoothedSlide
        // The integral rests while the ratio is at its limit, or else it would wind up.
        if abs(wanted) < Self.deviationMaximum {
            integral += Self.integralGain * error * seconds
            integral = max(-Self.integralMaximum, min(Self.integralMaximum, integral))
        }
        let deviation = max(-Self.deviationMaximum, min(Self.deviationMaximum, wanted))
        let step = Self.slopeMaximum * seconds
        ratio += max(-step, min(step, 1 + deviation - ratio))
        return ratio
    }

    /// The error was removed by other means; the learnt drift stays.
    mutating func positionCorrected() { error = 0 }
}
