/// Finds the peaks of a stereo signal after conversion to analogue, where the curve between two
/// samples may be higher than both: the signal at four times the rate. ITU-R BS.1770-4 Annex 2.
///
/// **Time.** The peak that belongs to a pair is known `delay` pairs later.
struct TruePeak {
    /// Pairs that the interpolator needs after the one that it evaluates.
    static let delay = 6
    /// Pairs that contribute to its answer.
    static let reach = taps
    private static let taps = 12
    /// Samples below this share of a level never have a curve that reaches the level: the sum of a
    /// phase's absolute weights is 2.03.
    static let screen: Float = 1 / 2.05

    /// The four phases of each tap. ITU-R BS.1770-4 Annex 2, table of coefficients.
    private static let weights: [SIMD4<Float>] = [
        [0.001_708_984, -0.029_174_805, -0.018_920_898, -0.008_300_781],
        [0.010_986_328, 0.029_296_875, 0.033_081_055, 0.014_892_578],
        [-0.019_653_320, -0.051_757_812, -0.058_227_539, -0.026_611_328],
        [0.033_203_125, 0.089_111_328, 0.101_562_5, 0.047_607_422],
        [-0.059_448_242, -0.166_503_906, -0.200_317_383, -0.102_294_922],
        [0.137_329_102, 0.465_087_891, 0.779_785_156, 0.972_167_969],
        [0.972_167_969, 0.779_785_156, 0.465_087_891, 0.137_329_102],
        [-0.102_294_922, -0.200_317_383, -0.166_503_906, -0.059_448_242],
        [0.047_607_422, 0.101_562_5, 0.089_111_328, 0.033_203_125],
        [-0.026_611_328, -0.058_227_539, -0.051_757_812, -0.019_653_320],
        [0.014_892_578, 0.033_081_055, 0.029_296_875, 0.010_986_328],
        [-0.008_300_781, -0.018_920_898, -0.029_174_805, 0.001_708_984],
    ]

    /// The last `taps - 1` pairs, then the block's.
    private var pairs = [Float](repeating: 0, count: (taps - 1) * 2)

    /// Takes a block of interleaved pairs. Gives for each pair the peak of both channels `delay`
    /// pairs earlier, or some value below `level` where the peak is certainly below it.
    mutating func peaks(
        of samples: UnsafeMutableBufferPointer<Float>, above level: Float
    ) -> [Float] {
        let count = samples.count / 2
        pairs.append(contentsOf: samples)
        let peaks = [Float](unsafeUninitializedCapacity: count) { peaks, initialized in
            pairs.withUnsafeBufferPointer { pairs in
                Self.weights.withUnsafeBufferPointer { weights in
                    Self.find(peaks, pairs, weights, level * Self.screen)
                }
            }
            initialized = count
        }
        pairs.removeFirst(count * 2)
        return peaks
    }

    private static func find(
        _ peaks: UnsafeMutableBufferPointer<Float>, _ pairs: UnsafeBufferPointer<Float>,
        _ weights: UnsafeBufferPointer<SIMD4<Float>>, _ threshold: Float
    ) {
        // A pair above the threshold affects as many answers as there are taps.
        var loud = 0
        for n in 0..<(taps - 1) where max(abs(pairs[2 * n]), abs(pairs[2 * n + 1])) > threshold {
            loud = n + 1
        }
        for n in 0..<peaks.count {
            let newest = n + taps - 1
            if max(abs(pairs[2 * newest]), abs(pairs[2 * newest + 1])) > threshold {
                loud = newest + 1
            }
            // The pair itself counts too: the interpolator passes near it, not through it.
            let own = 2 * (newest - delay)
            var peak = max(abs(pairs[own]), abs(pairs[own + 1]))
            if loud > n {
                var left = SIMD4<Float>.zero
                var right = SIMD4<Float>.zero
                for tap in 0..<taps {
                    left += weights[tap] * pairs[2 * (n + tap)]
                    right += weights[tap] * pairs[2 * (n + tap) + 1]
                }
                peak = max(peak, left.max(), -left.min(), right.max(), -right.min())
            }
            peaks[n] = peak
        }
    }
}
