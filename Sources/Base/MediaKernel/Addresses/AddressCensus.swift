/// Counts the items of each address, so that no address takes everything. IPv6 addresses of one
/// network count as one (`TransportAddress.network`).
public struct AddressCensus: Hashable, Sendable {
    /// The largest count of one address.
    public let maximum: Int
    private var counts: [[UInt8]: Int] = [:]

    public init(maximum: Int) { self.maximum = maximum }

    /// Counts one more unless the maximum is reached. Returns whether it was counted.
    public mutating func enter(_ address: TransportAddress) -> Bool {
        let count = counts[address.network, default: 0]
        guard count < maximum else { return false }
        counts[address.network] = count + 1
        return true
    }

    /// A counted item is gone.
    public mutating func leave(_ address: TransportAddress) {
        let count = counts[address.network, default: 0] - 1
        counts[address.network] = count > 0 ? count : nil
    }
}
