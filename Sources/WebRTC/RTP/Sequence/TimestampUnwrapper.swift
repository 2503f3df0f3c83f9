/// Turns wrapping 32-bit RTP timestamps into ones that never wrap.
///
/// Each timestamp becomes the candidate nearest to the newest one seen: half the range is 6.6 h at
/// 90 kHz and 12.4 h at 48 kHz.
public struct TimestampUnwrapper: Sendable {
    private var newest: Int64?

    public init() {}

    public mutating func unwrap(_ timestamp: UInt32) -> Int64 {
        guard let newest else {
            newest = Int64(timestamp)
            return Int64(timestamp)
        }
        let steps = Int32(bitPattern: timestamp &- UInt32(truncatingIfNeeded: newest))
        let extended = newest + Int64(steps)
        self.newest = max(newest, extended)
        return extended
    }

    /// Returns the same as `unwrap`, without updating the state: for timestamps in sender reports.
    public func peek(_ timestamp: UInt32) -> Int64 {
        var copy = self
        return copy.unwrap(timestamp)
    }
}
