#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Stretches or squeezes 48 kHz stereo by up to half a percent, to absorb the difference between
/// two clocks.
///
/// A windowed-sinc interpolator that reads the input at a moving position. The position is
/// continuous through every change of the ratio, so no change can click; the pitch moves by at
/// most 8.7 cents. With a ratio of exactly 1 from the start, samples pass unchanged.
///
/// **Time.** The first output sample corresponds to the first input sample. The interpolator needs
/// `lookahead` samples beyond the one that it makes, so it keeps that many between calls. Not
/// thread-safe: one owner at a time.
public final class AudioResampler {
    /// The largest deviation of the ratio from 1.
    public static let deviationMaximum = 0.005
    /// Input samples per channel that are kept until more come.
    public static let lookahead = taps / 2

    /// Four vectors of eight, see `Weights`.
    private static let taps = 32
    private static let phases = 256
    private static let channels = 2

    /// The input for the next output, interleaved. The window of an output pair at input index `n +
    /// fraction` begins at pair `n`, its centre is `centre` further.
    private var pairs: [Float] = []
    private var position = 0.0
    private static let centre = taps / 2 - 1

    public init() { reset() }

    /// Forgets all input, as after a gap.
    public func reset() {
        pairs.removeAll(keepingCapacity: true)
        pairs.append(contentsOf: repeatElement(0, count: Self.centre * Self.channels))
        position = 0
    }

    /// Takes a block and returns all output that it allows.
    ///
    /// - Parameters:
    ///   - input: interleaved (left, right) pairs.
    ///   - ratio: output samples per input sample, clamped to 1 ± `deviationMaximum`: above 1
    ///     the sound lasts longer.
    public func process(_ input: [Float], ratio: Double) -> [Float] {
        precondition(input.count % Self.channels == 0, "stereo comes in pairs")
        pairs.append(contentsOf: input)
        let step = 1 / Self.clamped(ratio)
        return step == 1 && position == 0 ? passThrough() : interpolate(step)
    }

    /// Returns the samples that `process` kept, as if silence followed, and starts anew.
    public func flush() -> [Float] {
        let rest = process(
            [Float](repeating: 0, count: Self.lookahead * Self.channels), ratio: 1)
        reset()
        return rest
    }

    /// At a whole position the interpolator's kernel is a single one.
    private func passThrough() -> [Float] {
        let count = max(0, pairs.count / Self.channels - Self.taps + 1) * Self.channels
        let first = Self.centre * Self.channels
        let output = Array(pairs[first..<first + count])
        pairs.removeFirst(count)
        return output
    }

    private func interpolate(_ step: Double) -> [Float] {
        let held = pairs.count / Self.channels
        let available = Double(held - Self.taps + 1)
        let count = max(0, Int(((available - position) / step).rounded(.up)))
        let output = [Float](
            unsafeUninitializedCapacity: count * Self.channels
        ) { output, initialized in
            pairs.withUnsafeBytes { pairs in
                Self.kernel.withUnsafeBytes { kernel in
                    var weights = Weights()
                    var at = Place(position)
                    let stride = Place(step)
                    for n in 0..<count {
                        weights.move(to: at.finePhase, kernel)
                        let pair = weights.sum(of: pairs, from: at.pair)
                        output[2 * n] = pair[0]
                        output[2 * n + 1] = pair[1]
                        at.advance(by: stride)
                    }
                }
            }
            initialized = count * Self.channels
        }
        position += Double(count) * step
        let consumed = min(Int(position), held)
        pairs.removeFirst(consumed * Self.channels)
        position -= Double(consumed)
        return output
    }

    /// The position of an output in the input, in units of 2^-40 of a pair: a second of rounded
    /// steps adds an error far below a fine phase.
    private struct Place {
        private static let fractionBits = 40
        private var units: UInt64

        init(_ pairs: Double) { units = UInt64(pairs * Double(1 << Self.fractionBits)) }

        var pair: Int { Int(truncatingIfNeeded: units >> UInt64(Self.fractionBits)) }

        /// A fine phase of `Weights`.
        var finePhase: Int {
            let shift = UInt64(Self.fractionBits - Weights.finePhaseBits)
            return Int(truncatingIfNeeded: units >> shift) & (1 << Weights.finePhaseBits - 1)
        }

        mutating func advance(by step: Place) { units &+= step.units }
    }

    /// The kernel at one fraction of a sample. Two clocks are so nearly equal that the fraction
    /// hardly moves from one sample to the next, so the kernel is computed in fine phases: a
    /// position that is off by half a phase is noise 76 dB below a tone of 10 kHz.
    ///
    /// Each weight is stored twice, for left and right, so that the samples need no rearranging.
    private struct Weights {
        private typealias Row = SIMD8<Float>
        private typealias Lanes = SIMD16<Float>
        private static let bytes = MemoryLayout<Float>.stride
        /// 16 for each of `phases`.
        static let finePhaseBits = 12

        private var finePhase = -1
        private var lanes = (Lanes.zero, Lanes.zero, Lanes.zero, Lanes.zero)

        @inline(__always)
        mutating func move(to finePhase: Int, _ kernel: UnsafeRawBufferPointer) {
            guard finePhase != self.finePhase else { return }
            self.finePhase = finePhase
            let (phase, within) = finePhase.quotientAndRemainder(dividingBy: 16)
            let blend = Row(repeating: (Float(within) + 0.5) / 16)
            lanes = (
                Self.blended(phase, 0, blend, kernel), Self.blended(phase, 1, blend, kernel),
                Self.blended(phase, 2, blend, kernel), Self.blended(phase, 3, blend, kernel)
            )
        }

        /// Eight weights, each twice, between two rows of the kernel.
        @inline(__always)
        private static func blended(
            _ phase: Int, _ index: Int, _ blend: Row, _ kernel: UnsafeRawBufferPointer
        ) -> Lanes {
            let row = (phase * taps + index * Row.scalarCount) * bytes
            let near = kernel.loadUnaligned(fromByteOffset: row, as: Row.self)
            let far = kernel.loadUnaligned(fromByteOffset: row + taps * bytes, as: Row.self)
            let weights = near + blend * (far - near)
            var lanes = Lanes()
            lanes.evenHalf = weights
            lanes.oddHalf = weights
            return lanes
        }

        @inline(__always)
        func sum(of samples: UnsafeRawBufferPointer, from start: Int) -> SIMD2<Float> {
            let at = start * channels * Self.bytes
            let width = Lanes.scalarCount * Self.bytes
            var sum = lanes.0 * samples.loadUnaligned(fromByteOffset: at, as: Lanes.self)
            sum += lanes.1 * samples.loadUnaligned(fromByteOffset: at + width, as: Lanes.self)
            sum += lanes.2 * samples.loadUnaligned(fromByteOffset: at + 2 * width, as: Lanes.self)
            sum += lanes.3 * samples.loadUnaligned(fromByteOffset: at + 3 * width, as: Lanes.self)
            let eight = sum.lowHalf + sum.highHalf
            let four = eight.lowHalf + eight.highHalf
            return four.lowHalf + four.highHalf
        }
    }

    private static func clamped(_ ratio: Double) -> Double {
        guard ratio.isFinite else { return 1 }
        return min(max(ratio, 1 - deviationMaximum), 1 + deviationMaximum)
    }

    // MARK: The kernel

    /// `phases + 1` rows of `taps` weights: a sinc under a Kaiser window, each row's sum one.
    private static let kernel: [Float] = (0...phases).flatMap { phase in
        let fraction = Double(phase) / Double(phases)
        let row = (0..<taps).map { tap in
            windowedSinc(Double(tap - centre) - fraction)
        }
        let sum = row.reduce(0, +)
        return row.map { Float($0 / sum) }
    }

    private static func windowedSinc(_ x: Double) -> Double {
        let half = Double(taps / 2)
        guard abs(x) < half else { return 0 }
        // Stop band below -80 dB.
        let beta = 8.0
        let window = bessel(beta * (1 - x * x / (half * half)).squareRoot()) / bessel(beta)
        // The sinc is exactly zero at whole distances, where `sin` is not.
        if x == x.rounded() { return x == 0 ? 1 : 0 }
        return window * sin(.pi * x) / (.pi * x)
    }

    /// The modified Bessel function of the first kind, order zero, by its power series.
    private static func bessel(_ x: Double) -> Double {
        var sum = 1.0
        var term = 1.0
        for k in 1...40 {
            term *= (x / 2 / Double(k)) * (x / 2 / Double(k))
            sum += term
        }
        return sum
    }
}
