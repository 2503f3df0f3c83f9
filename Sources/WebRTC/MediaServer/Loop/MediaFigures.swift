/// Totals of the media plane since its start, and its current load.
public struct MediaFigures: Hashable, Sendable {
    public var connections = 0
    /// Datagrams of clients over UDP and TCP, and their bytes without lower-layer headers.
    public var receivedDatagrams = 0
    public var receivedBytes = 0
    public var sentDatagrams = 0
    public var sentBytes = 0
    /// Received datagrams that belong to no connection: scans, late packets, strangers.
    public var strayDatagrams = 0
    /// Checks refused because another connection holds the address.
    public var refusedAddresses = 0
    /// Packets dropped because their publishers exceeded their budgets.
    public var excessPackets = 0
    /// Packets dropped because they could not be encrypted.
    public var unsentPackets = 0

    static func += (sum: inout MediaFigures, other: MediaFigures) {
        sum.connections += other.connections
        sum.receivedDatagrams += other.receivedDatagrams
        sum.receivedBytes += other.receivedBytes
        sum.sentDatagrams += other.sentDatagrams
        sum.sentBytes += other.sentBytes
        sum.strayDatagrams += other.strayDatagrams
        sum.refusedAddresses += other.refusedAddresses
        sum.excessPackets += other.excessPackets
        sum.unsentPackets += other.unsentPackets
    }
}
