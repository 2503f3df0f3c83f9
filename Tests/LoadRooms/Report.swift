/// What was measured; the numbers are those of all peers together.
struct Report: Encodable, Sendable {
    var peers: Int
    var speaking: Int
    var cameras: Int
    var seconds: Double
    var joinMsMedian: Double
    var joinMsP95: Double
    /// From the beginning of a join to the first packet of somebody else.
    var firstPacketMsP95: Double
    var packets: Int
    var packetsPerSecond: Double
    var lostShare: Double
    /// At a peer that has a thread of its own.
    var latencyMsMedian: Double
    var latencyMsP99: Double
    var latencyMsMax: Double
    /// Cores that the server used, and that this process did.
    var serverCores: Double
    var loadCores: Double
    /// Of those that were sent, whether the peers had room for them or not.
    var serverMicrosecondsPerPacket: Double
    /// Packets that the peers had no room for.
    var droppedByLoad: Int
    var serverMb: Double
}
