#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Keeps a stereo signal below a ceiling by lowering its gain before each peak arrives.
///
/// The gain that a sample needs is known `lookahead` samples before it leaves. The lowest need
/// of that span, averaged over the same span, is a gain that has come down in time, moves without
/// a corner and never lets a sample above the ceiling: each of the averaged values is at most
/// what the leaving sample needs. Afterwards the gain recovers slowly. Both channels get the same
/// gain, so the stereo picture stays.
struct LookaheadLimiter {
    /// 5 ms at 48 kHz: shorter is heard as distortion, longer delays for nothing.
    static let lookahead = 240
    /// The time constant of the recovery, 150 ms in samples at 48 kHz.
    private static let recovery = 7_200.0
    /// A gain this near to one is one: the last 0.009 dB cannot be heard, and nearer to one the
    /// recovery's steps get lost in a Float's last bit.
    private static let unity: Float = 0.999

    let ceiling: Float
    private let recoveryStep = Float(1 - exp(-1 / recovery))
    /// The last `lookahead` pairs.
    private var delayed = [Float](repeating: 0, count: lookahead * 2)
    /// The held and recovering needs of the last `lookahead` samples, and their sum.
    private var held = [Float](repeating: 1, count: lookahead)
    private var sum = Double(lookahead)
    private var slot = 0
    private var current: Float = 1
    /// Needs below one, each lower than all that came later: a sliding minimum.
    private var minima = MinimumWindow(length: lookahead + 1)
    /// Samples since the gain was last below one.
    private var idleSamples = lookahead

    init(ceiling: Float) { self.ceiling = ceiling }

    /// Replaces each pair of `samples` by the limited pair of `lookahead` samples before.
    mutating func process(_ samples: UnsafeMutableBufferPointer<Float>) {
        var peak: Float = 0
        for sample in samples { peak = max(peak, abs(sample)) }
        if peak <= ceiling, idleSamples >= Self.lookahead {
            for n in 0..<samples.count / 2 { exchange(n, samples, gain: 1) }
            minima.skip(samples.count / 2)
        } else {
            for n in 0..<samples.count / 2 { limit(n, samples) }
        }
    }

    private mutating func limit(_ n: Int, _ samples: UnsafeMutableBufferPointer<Float>) {
        let peak = max(abs(samples[2 * n]), abs(samples[2 * n + 1]))
        let need = peak > ceiling ? ceiling / peak : 1
        let lowest = minima.push(need)
        let recovered = current + (1 - current) * recoveryStep
        current = min(lowest, recovered > Self.unity ? 1 : recovered)
        idleSamples = current < 1 ? 0 : idleSamples + 1
        sum += Double(current) - Double(held[slot])
        held[slot] = current
        let gain = idleSamples >= Self.lookahead ? 1 : Float(sum / Double(Self.lookahead))
        if idleSamples == Self.lookahead { sum = Double(Self.lookahead) }
        exchange(n, samples, gain: gain)
    }

    private mutating func exchange(
        _ n: Int, _ samples: UnsafeMutableBufferPointer<Float>, gain: Float
    ) {
        let (left, right) = (delayed[2 * slot], delayed[2 * slot + 1])
        delayed[2 * slot] = samples[2 * n]
        delayed[2 * slot + 1] = samples[2 * n + 1]
        samples[2 * n] = left * gain
        samples[2 * n + 1] = right * gain
        slot = slot + 1 == Self.lookahead ? 0 : slot + 1
    }
}

/// The lowest of the last `length` values; those of one and more are not kept.
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

    /// Moves on by samples whose value is one.
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
