/// Run-length coded values, as in `stts` and `ctts`.
public struct RunLengths: Hashable, Sendable {
    public struct Run: Hashable, Sendable {
        public var count: UInt32
        public var value: UInt32

        public init(count: UInt32, value: UInt32) {
            self.count = count
            self.value = value
        }
    }

    public private(set) var runs: [Run] = []

    public init() {}

    public mutating func append(_ value: UInt32) {
        if runs.last?.value == value {
            runs[runs.count - 1].count += 1
        } else {
            runs.append(Run(count: 1, value: value))
        }
    }

    /// Increases the last value.
    public mutating func extendLast(by amount: UInt32) {
        guard amount > 0, let last = runs.popLast() else { return }
        if last.count > 1 { runs.append(Run(count: last.count - 1, value: last.value)) }
        append(UInt32(clamping: UInt64(last.value) + UInt64(amount)))
    }
}
