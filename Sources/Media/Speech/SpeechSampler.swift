import Foundation

/// Turns the mixer's sound, 48 kHz in stereo, into what recognition takes: 16 kHz, mono, 16 bits.
///
/// Every third sample of a low-pass filter with linear phase; what would be above 8 kHz is down by
/// 50 dB. Its delay of half a millisecond is of no matter to words.
public struct SpeechSampler: Sendable {
    private static let factor = 3
    /// Multiple of the factor.
    private static let tapCount = 48
    private static let taps: [Float] = {
        // A sinc that passes 7 kHz, in a Hamming window, of gain 1.
        let cutoff = 7000.0 / 48_000
        let middle = Double(tapCount - 1) / 2
        let taps = (0..<tapCount).map { index -> Double in
            let place = Double(index) - middle
            let sinc = sin(2 * .pi * cutoff * place) / (.pi * place)
            return sinc * (0.54 - 0.46 * cos(2 * .pi * Double(index) / Double(tapCount - 1)))
        }
        let sum = taps.reduce(0, +)
        return taps.map { Float($0 / sum) }
    }()

    /// The last samples, mono, for the filter.
    private var history = [Float](repeating: 0, count: tapCount - 1)
    /// Samples until the next one that is kept.
    private var phase = 0

    public init() {}

    /// - Parameter stereo: interleaved, from -1 to 1.
    /// - Returns: samples as little-endian bytes, and the index of the given sample that the first of
    ///   them belongs to; nil for none.
    public mutating func sample(_ stereo: [Float]) -> (bytes: [UInt8], first: Int)? {
        let count = stereo.count / 2
        var mono = history
        mono.reserveCapacity(history.count + count)
        for index in 0..<count { mono.append((stereo[2 * index] + stereo[2 * index + 1]) / 2) }
        defer {
            history = Array(mono.suffix(Self.tapCount - 1))
            phase = (phase - count) % Self.factor
            if phase < 0 { phase += Self.factor }
        }
        guard phase < count else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(2 * (count / Self.factor + 1))
        for index in stride(from: phase, to: count, by: Self.factor) {
            var sum: Float = 0
            for tap in 0..<Self.tapCount { sum += mono[index + tap] * Self.taps[tap] }
            let value = Int16(max(-32_768, min(32_767, (sum * 32_767).rounded())))
            let bits = UInt16(bitPattern: value)
            bytes.append(UInt8(truncatingIfNeeded: bits))
            bytes.append(UInt8(truncatingIfNeeded: bits >> 8))
        }
        return (bytes, phase)
    }
}
