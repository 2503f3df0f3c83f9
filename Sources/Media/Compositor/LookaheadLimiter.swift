#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Keeps a stereo signal below a ceiling by lowering its gain before each peak arrives.
///
/// The gain that a sample needs is known before it leaves; peaks include those of the curve between
/// samples. The lowest gain needed within the lookahead, averaged over it, has come down in time,
/// moves smoothly and never lets a sample above the ceiling: each averaged value is at most the
/// gain that the leaving sample needs. Both channels get the same gain, so the stereo picture
/// stays.
///
/// Afterwards the gain recovers at two speeds, so that it does not pump audibly: quickly to its
/// average level, and slowly from there. A single peak is soon forgotten; while it stays loud, the
/// gain hardly moves between one word and the next.
struct LookaheadLimiter {
    /// 5 ms at 48 kHz: shorter is heard as distortion, longer delays for nothing.
    static let lookahead = 240
    /// The rest of the lookahead once a peak with all its neighbours is known.
    private static let span = lookahead - TruePeak.reach
    /// Time constants in samples at 48 kHz: 150 ms for the recovery to the level, 150 ms for the
    /// level's fall, and 2 s for its rise.
    private static let recovery = 7_200.0
    private static let levelFall = 7_200.0
    private static let levelRise = 96_000.0
    /// A gain this near to one is one: the last 0.009 dB cannot be heard.
    private static let unity = 0.999

    let ceiling: Float
    private let recoveryStep = 1 - exp(-1 / recovery)
    private let fallStep = 1 - exp(-1 / levelFall)
    private let riseStep = 1 - exp(-1 / levelRise)
    private var truePeak = TruePeak()
    private var delay = DelayLine(pairs: lookahead)
    /// The held and recovering needs of the last `span` samples, and their sum.
    private var held = [Double](repeating: 1, count: span)
    private var sum = Double(span)
    private var heldSlot = 0
    private var current = 1.0
    /// The level that the gain recovers to quickly.
    private var level = 1.0
    /// Needed gains below one, each lower than all later ones: a sliding minimum.
    private var minima = MinimumWindow(length: lookahead + 1)
    /// Samples since the gain was last below one.
    private var idleSamples = lookahead

    init(ceiling: Float) { self.ceiling = ceiling }

    /// Replaces each pair of `samples` by the limited pair of `lookahead` samples before.
    mutating func process(_ samples: UnsafeMutableBufferPointer<Float>) {
        let peaks = truePeak.peaks(of: samples, above: ceiling)
        delay.exchange(samples)
        if idleSamples >= Self.lookahead, peaks.allSatisfy({ $0 <= ceiling }) {
            minima.skip(peaks.count)
            return
        }
        for n in peaks.indices {
            let gain = gain(peak: peaks[n])
            samples[2 * n] *= gain
            samples[2 * n + 1] *= gain
        }
    }

    /// The gain of the leaving pair, as a pair with this peak comes in.
    private mutating func gain(peak: Float) -> Float {
        let lowest = Double(minima.push(peak > ceiling ? ceiling / peak : 1))
        level += lowest < level ? (lowest - level) * fallStep : (1 - level) * riseStep
        if level > Self.unity, lowest == 1 { level = 1 }
        let recovered = current + max(0, level - current) * recoveryStep
        current = min(lowest, recovered > Self.unity ? 1 : recovered)
        idleSamples = current < 1 ? 0 : idleSamples + 1
        sum += current - held[heldSlot]
        held[heldSlot] = current
        heldSlot = heldSlot + 1 == Self.span ? 0 : heldSlot + 1
        let gain = idleSamples >= Self.lookahead ? 1 : Float(sum / Double(Self.span))
        if idleSamples == Self.lookahead { sum = Double(Self.span) }
        return gain
    }
}

/// Delays samples by its length; the first output is silence.
private struct DelayLine {
    private var held: [Float]

    init(pairs: Int) { held = [Float](repeating: 0, count: pairs * 2) }

    mutating func exchange(_ samples: UnsafeMutableBufferPointer<Float>) {
        held.append(contentsOf: samples)
        held.withUnsafeBufferPointer { held in
            guard let first = held.baseAddress else { return }
            samples.baseAddress?.update(from: first, count: samples.count)
        }
        held.removeFirst(samples.count)
    }
}

/// The lowest of the last `length` values; values of one and more are not kept.
private struct MinimumWindow {
    private let length: Int
    private var values: [Float]
    private var indices: [Int]
    private var first = 0
    private var count = 0
    private var index = 0

    init(length: Int) {
        self.length = length
        values = [Float](repeating: 1, count: length + 1)
        indices = [Int](repeating: 0, count: length + 1)
    }

    /// Skips samples whose value is one.
    mutating func skip(_ samples: Int) {
        index += samples
        count = 0
    }

    mutating func push(_ value: Float) -> Float {
        let capacity = values.count
        if count > 0, indices[first] <= index - length {
            first = (first + 1) % capacity
            count -= 1
        }
        if value < 1 {
            while count > 0, values[(first + count - 1) % capacity] >= value { count -= 1 }
            values[(first + count) % capacity] = value
            indices[(first + count) % capacity] = index
            count += 1
        }
        index += 1
        return count > 0 ? values[first] : 1
    }
}
