import MediaKernel

/// The smallest of the values seen in the last seconds, kept as one minimum a second.
///
/// The fastest packets tell most about a clock: queues only ever add delay. Ten seconds are long
/// enough to contain a fast packet and short enough that a clock which is 300 parts in a million
/// off moves by 3 ms only.
struct DelayWindow: Sendable {
    private struct Bucket {
        let second: Int64
        var minimum: Int64
    }

    /// Oldest first, at most `seconds`.
    private var buckets: [Bucket] = []
    private(set) var minimum: Int64?
    private let seconds: Int64

    init(seconds: Int64 = 10) { self.seconds = seconds }

    mutating func add(_ value: Int64, at now: Instant) {
        let second = now.nanoseconds / nanosecondsPerSecond
        if let last = buckets.indices.last, buckets[last].second >= second {
            buckets[last].minimum = min(buckets[last].minimum, value)
            minimum = min(minimum ?? value, value)
            return
        }
        buckets.append(Bucket(second: second, minimum: value))
        buckets.removeAll { $0.second <= second - seconds }
        minimum = buckets.lazy.map(\.minimum).min()
    }

    /// Forgets the values before the instant and of its second, except the newest second's.
    mutating func forget(before instant: Instant) {
        let second = instant.nanoseconds / nanosecondsPerSecond
        guard let newest = buckets.last else { return }
        buckets.removeAll { $0.second <= second && $0.second != newest.second }
        minimum = buckets.lazy.map(\.minimum).min()
    }
}
