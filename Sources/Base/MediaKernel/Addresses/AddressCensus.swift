/// How many of something each address has at a time, so that no one takes what is for all. IPv6
/// addresses of one network are one (`TransportAddress.network`).
public struct AddressCensus: Hashable, Sendable {
    /// The largest count of one address.
    public let maximum: Int
    private var counts: [[UInt8]: Int] = [:]

    public init(maximum: Int) { self.maximum = maximum }

    /// Counts one more, unless there are as many as may be. Returns whether it was counted.
    public mutating func enter(_ address: TransportAddress) -> Bool {
        let count = counts[address.network, default: 0]
        guard count < maximum else { return false }
        counts[address.network] = count + 1
        return true
    }

    /// One that was counted is gone.
    public mutating func leave(_ address: TransportAddress) {
        let count = counts[address.network, default: 0] - 1
        counts[address.network] = count > 0 ? count : nil
    }
}
