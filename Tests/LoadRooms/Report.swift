/// The measurements; the numbers cover all peers together.
struct Report: Encodable, Sendable {
    var peers: Int
    var speaking: Int
    var cameras: Int
    var seconds: Double
    var joinMsMedian: Double
    var joinMsP95: Double
    /// From the beginning of a join to the first packet of another peer.
    var firstPacketMsP95: Double
    var packets: Int
    var packetsPerSecond: Double
    var lostShare: Double
    /// At a peer with its own thread.
    var latencyMsMedian: Double
    var latencyMsP99: Double
    var latencyMsMax: Double
    /// Cores used by the server and by this process.
    var serverCores: Double
    var loadCores: Double
    /// Per sent packet, including those that the peers dropped.
    var serverMicrosecondsPerPacket: Double
    /// Packets that did not fit into the peers' buffers.
    var droppedByLoad: Int
    var serverMb: Double
}
