/// What the media plane has done since it was started, and what it has to do with now.
public struct MediaFigures: Hashable, Sendable {
    public var connections = 0
    /// Datagrams of clients, over UDP and TCP, and their bytes without the headers below.
    public var receivedDatagrams = 0
    public var receivedBytes = 0
    public var sentDatagrams = 0
    public var sentBytes = 0
    /// Received and of no connection: scans, late packets, strangers.
    public var strayDatagrams = 0
    /// Checks whose address was somebody else's.
    public var refusedAddresses = 0
    /// Packets of publishers who sent more than may go on.
    public var excessPackets = 0
    /// Packets that could not be encrypted, and so were not sent.
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
