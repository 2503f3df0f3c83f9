import Clocks
import Datagrams
import ICE
import Logging
import MediaKernel
import NIOCore
import NIOPosix
import PeerConnection
import RTP
import SDP
import SecureTransport
import Testing

@testable import MediaServer

/// Media over the one TCP port, with real sockets on loopback.
@Suite(.timeLimit(.minutes(5))) struct TCPTests {
    @Test func aClientWithoutUDPPublishesOverTCP() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let server = try await MediaServer.start(
            configuration: .init(
                bindHosts: ["127.0.0.1"], port: 0, advertised: [], tcpPort: .sameAsUDP),
            group: group, logger: Logger(label: "test"))
        try #require(server.advertised.map(\.transport) == [.udp, .tcp])
        let address = server.advertised[0]
        #expect(server.advertised[1] == address.over(.tcp))
        let room = try await server.makeRoom("room")
        try await room.addPeer("ann")
        let client = try await MediaClient.connect(to: address.over(.tcp), on: group.next())
        try await client.publish("voice", in: room, as: "ann")

        var isConnected = false
        for await event in room.events {
            if case .connection("ann", .publish, .connected) = event { isConnected = true }
            if case .trackMedia("ann", "voice", isFlowing: true) = event { break }
        }
        #expect(isConnected)

        await room.removePeer("ann")
        let closing = try await ContinuousClock().measure { try await client.ended() }
        #expect(closing < TCPListener.silencePatience / 2)
        await room.close()
        try await client.stop()
        await server.shutdown()
        try await group.shutdownGracefully()
    }

    @Test func eachTransportAdvertisesWhatIsItsOwn() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let known = TransportAddress(ipv4: 203, 0, 113, 9, port: 0)
        let other = TransportAddress(ipv4: 203, 0, 113, 10, port: 443)
        func advertised(
            _ advertised: [TransportAddress], _ port: MediaServerConfiguration.TCPPort,
            _ tcpAdvertised: [TransportAddress] = []
        ) async throws -> [TransportAddress] {
            let server = try await MediaServer.start(
                configuration: .init(
                    bindHosts: ["127.0.0.1"], port: 0, advertised: advertised, tcpPort: port,
                    tcpAdvertised: tcpAdvertised),
                group: group, logger: Logger(label: "test"))
            await server.shutdown()
            return server.advertised
        }
        let none = try await advertised([known], .none, [other])
        #expect(none.map(\.transport) == [.udp])
        let own = try await advertised([known], .sameAsUDP, [other])
        #expect(own.map(\.ip) == [known.ip, other.ip])
        #expect(own.last == other.over(.tcp))
        // A mapped UDP port implies nothing about the TCP port.
        let mapped = try await advertised([other.over(.udp)], .number(0))
        #expect(mapped.first == other)
        #expect(mapped.last?.ip == other.ip && mapped.last?.transport == .tcp)
        #expect(mapped.last?.port != 443 && mapped.last?.port != 0)
        try await group.shutdownGracefully()
    }

    @Test func aTakenPortIsNamedWithItsTransport() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let taken = try await ServerBootstrap(group: group).bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(taken.localAddress?.port)
        do {
            let server = try await MediaServer.start(
                configuration: .init(
                    bindHosts: ["127.0.0.1"], port: 0, advertised: [], tcpPort: .number(port)),
                group: group, logger: Logger(label: "test"))
            await server.shutdown()
            Issue.record("the port was not taken")
        } catch {
            #expect("\(error)".hasPrefix("TCP 127.0.0.1:\(port) cannot be bound: "))
        }
        try await taken.close()
        try await group.shutdownGracefully()
    }
}
