import Foundation

/// Measures independently of the code under test: at eight times the rate, with a long windowed
/// sinc.
enum SignalPeaks {
    private static let oversampling = 8
    private static let half = 32
    private static let kernel: [[Double]] = (1..<oversampling).map { phase in
        let fraction = Double(phase) / Double(oversampling)
        return (1 - half...half).map { tap in
            let x = Double(tap) - fraction
            let window = 0.5 + 0.5 * cos(.pi * x / Double(half + 1))
            return sin(.pi * x) / (.pi * x) * window
        }
    }

    /// The highest point of the curve through interleaved stereo samples.
    static func truePeak(of samples: [Float]) -> Double {
        var peak = 0.0
        for channel in 0..<2 {
            let signal = stride(from: channel, to: samples.count, by: 2).map { Double(samples[$0]) }
            peak = max(peak, signal.lazy.map(abs).max() ?? 0)
            guard signal.count > 2 * half else { continue }
            // The curve can be highest only where a neighbour is loud.
            let screen = peak * 0.5
            for n in half..<signal.count - half where abs(signal[n]) > screen {
                for row in kernel {
                    var sum = 0.0
                    for tap in 0..<row.count { sum += row[tap] * signal[n + 1 - half + tap] }
                    peak = max(peak, abs(sum))
                }
            }
        }
        return peak
    }
}
