/// Run-length coded values, as in `stts` and `ctts`.
struct RunLengths: Hashable, Sendable {
    struct Run: Hashable, Sendable {
        var count: UInt32
        var value: UInt32
    }

    private(set) var runs: [Run] = []

    mutating func append(_ value: UInt32) {
        if runs.last?.value == value {
            runs[runs.count - 1].count += 1
        } else {
            runs.append(Run(count: 1, value: value))
        }
    }

    /// Increases the last value.
    mutating func extendLast(by amount: UInt32) {
        guard amount > 0, let last = runs.popLast() else { return }
        if last.count > 1 { runs.append(Run(count: last.count - 1, value: last.value)) }
        append(UInt32(clamping: UInt64(last.value) + UInt64(amount)))
    }
}
