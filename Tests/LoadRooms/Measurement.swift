import MediaKernel

/// Packets that arrive at all peers of one event loop.
final class Measurement {
    /// Latencies in steps of 10 µs; the last step holds all longer ones.
    private static let step: Int64 = 10_000
    private static let steps = 50_000
    private var histogram = [Int](repeating: 0, count: steps)
    private var received = 0
    /// The number of those whose latency is known.
    private var timed = 0
    private var lost = 0
    private var worst: Int64 = 0

    /// Starts over.
    func reset() {
        histogram = [Int](repeating: 0, count: Self.steps)
        (received, timed, lost, worst) = (0, 0, 0, 0)
    }

    /// - Parameter latency: in nanoseconds; nil for a packet without its sending time.
    func arrived(after latency: Int64?) {
        received += 1
        guard let latency else { return }
        timed += 1
        worst = max(worst, latency)
        histogram[Int(min(max(latency, 0) / Self.step, Int64(Self.steps - 1)))] += 1
    }

    /// The results so far.
    var tally: Tally {
        Tally(
            received: received, lost: lost, latencyMsMedian: latency(0.5),
            latencyMsP99: latency(0.99), latencyMsMax: Double(worst) / 1e6)
    }

    /// `count` packets were missing before one that arrived; if negative, it was one of those.
    func missed(_ count: Int) { lost += count }

    /// The latency in milliseconds of this share of the packets.
    private func latency(_ share: Double) -> Double {
        var wanted = Int((Double(timed) * share).rounded(.up))
        for (index, count) in histogram.enumerated() {
            wanted -= count
            if wanted <= 0 { return Double((Int64(index) + 1) * Self.step) / 1e6 }
        }
        return 0
    }
}

struct Tally: Sendable {
    var received: Int
    var lost: Int
    var latencyMsMedian: Double
    var latencyMsP99: Double
    var latencyMsMax: Double
}

extension [Double] {
    /// The value that this share does not exceed; nil if there are no values.
    func percentile(_ share: Double) -> Double? {
        guard !isEmpty else { return nil }
        return sorted()[Swift.min(Int(Double(count) * share), count - 1)]
    }
}
