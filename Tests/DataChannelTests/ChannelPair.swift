import DataChannel
import MediaKernel
import Synchronization
import Testing

/// All tests of data channels: usrsctp has one clock per process, so they take turns.
@Suite("Data channels", .serialized)
enum DataChannelTests {}

/// The clock shared by all tests here, as all transports share one.
enum TestTime {
    private static let now = Mutex(Instant.zero)

    static func advance(milliseconds: Int64) {
        let instant = now.withLock { now in
            now += .milliseconds(milliseconds)
            return now
        }
        DataChannelTransport.tick(at: instant)
    }
}

/// Two transports connected in memory. All outputs except packets are kept in order.
final class ChannelPair {
    enum Side: Hashable { case client, server }

    let client: DataChannelTransport
    let server: DataChannelTransport
    var clientOutputs: [DataChannelTransport.Output] = []
    var serverOutputs: [DataChannelTransport.Output] = []
    private(set) var packets: [(from: Side, bytes: [UInt8])] = []
    /// Whether to keep all packets in `packets`.
    var recordsPackets = false

    init(
        clientAccepts: Int = 262_144, serverAccepts: Int = 262_144, bothAreClients: Bool = false
    ) throws {
        client = try DataChannelTransport(
            isDTLSClient: true, remotePort: 5000, remoteMaximumMessageBytes: serverAccepts)
        server = try DataChannelTransport(
            isDTLSClient: bothAreClients, remotePort: 5000,
            remoteMaximumMessageBytes: clientAccepts)
    }

    static func connected() throws -> ChannelPair {
        let pair = try ChannelPair()
        pair.connect()
        try #require(pair.clientOutputs == [.connected])
        try #require(pair.serverOutputs == [.connected])
        pair.clearOutputs()
        return pair
    }

    /// A pair with one open channel of the client.
    static func withChannel(
        isOrdered: Bool = true, reliability: ChannelReliability = .reliable
    ) throws -> (ChannelPair, ChannelID) {
        let pair = try connected()
        let id = try pair.client.open(
            label: "ion-sfu", protocol: "", isOrdered: isOrdered, reliability: reliability)
        pair.exchange()
        pair.clearOutputs()
        return (pair, id)
    }

    func connect() {
        client.connect()
        server.connect()
        exchange()
    }

    func clearOutputs() {
        clientOutputs = []
        serverOutputs = []
    }

    /// Carries packets in both directions until neither side has one. `network` may change,
    /// multiply or drop them.
    func exchange(_ network: (Side, [UInt8]) -> [[UInt8]] = { _, packet in [packet] }) {
        var isMoving = true
        while isMoving {
            isMoving = false
            while let output = client.poll() {
                isMoving = true
                guard case .transmit(let bytes) = output else {
                    clientOutputs.append(output)
                    continue
                }
                if recordsPackets { packets.append((.client, bytes)) }
                for packet in network(.client, bytes) { server.handle(packet) }
            }
            while let output = server.poll() {
                isMoving = true
                guard case .transmit(let bytes) = output else {
                    serverOutputs.append(output)
                    continue
                }
                if recordsPackets { packets.append((.server, bytes)) }
                for packet in network(.server, bytes) { client.handle(packet) }
            }
        }
    }

    /// Lets time pass in steps of 10 ms, carrying packets after each step.
    func pass(
        milliseconds: Int64,
        _ network: (Side, [UInt8]) -> [[UInt8]] = { _, packet in [packet] }
    ) {
        for _ in 0..<(milliseconds / 10) {
            TestTime.advance(milliseconds: 10)
            exchange(network)
        }
    }
}
