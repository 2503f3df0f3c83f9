/// Turns wrapping sequence numbers into ones that never wrap.
///
/// Each number becomes the candidate nearest to the newest one seen, so the order is right as long
/// as packets are less than 32768 places late. Numbers before the first may be negative.
public struct SequenceUnwrapper: Sendable {
    private var newest: Int64?

    public init() {}

    public mutating func unwrap(_ number: SequenceNumber) -> Int64 {
        guard let newest else {
            newest = Int64(number.rawValue)
            return Int64(number.rawValue)
        }
        let steps = SequenceNumber(extended: newest).distance(to: number)
        let extended = newest + Int64(steps)
        self.newest = max(newest, extended)
        return extended
    }

    /// Returns the same as `unwrap`, without updating the state.
    public func peek(_ number: SequenceNumber) -> Int64 {
        var copy = self
        return copy.unwrap(number)
    }
}
