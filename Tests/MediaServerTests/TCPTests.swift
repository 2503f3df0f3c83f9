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
@Suite(.timeLimit(.minutes(1))) struct TCPTests {
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
        let client = try await StreamClient.connect(to: address, on: group.next())
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
        // A mapped UDP port says nothing of the TCP port.
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

/// A publisher whose datagrams all go over one TCP connection, whatever address they are meant for.
private final class StreamClient: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let core: PeerConnection
    private let server: TransportAddress
    let channel: any Channel
    private var framing = StreamFraming(
        packetBytesMaximum: DatagramSocket.datagramBytesMaximum)
    private var ticking: RepeatedTask?
    private var mid: String?
    private var sent = 0

    private init(_ server: TransportAddress, _ channel: any Channel) throws {
        self.server = server
        self.channel = channel
        var random = SecureRandom()
        core = PeerConnection(
            configuration: .init(
                identity: try DTLSIdentity.generate(), mode: .full(controlling: true),
                localCandidates: [.host(TransportAddress(ipv4: 127, 0, 0, 1, port: 9))],
                canonicalName: "client", dataChannel: nil, seed: random.next()),
            at: MonotonicClock.now)
    }

    static func connect(
        to server: TransportAddress, on loop: any EventLoop
    ) async throws -> NIOLoopBound<StreamClient> {
        try await ClientBootstrap(group: loop)
            .connect(host: server.host, port: Int(server.port)).flatMapThrowing { channel in
                let client = try StreamClient(server, channel)
                try channel.pipeline.syncOperations.addHandler(client)
                return NIOLoopBound(client, eventLoop: loop)
            }.get()
    }

    func offer(_ track: String) throws -> String {
        mid = try core.add(.audio(track))
        return try core.createOffer(at: MonotonicClock.now).rendered()
    }

    func accept(_ answer: String) throws {
        try core.accept(answer: try SessionDescription.parse(answer), at: MonotonicClock.now)
        let bound = NIOLoopBound(self, eventLoop: channel.eventLoop)
        ticking = channel.eventLoop.scheduleRepeatedTask(
            initialDelay: .zero, delay: .milliseconds(10)
        ) { _ in bound.value.tick() }
    }

    func stop() {
        ticking?.cancel()
        channel.close(promise: nil)
    }

    private func tick() {
        let now = MonotonicClock.now
        core.handleTimeout(at: now)
        if core.canSendMedia, let mid {
            sent += 1
            let packet = RTPPacket(
                payloadType: PayloadType(0), sequenceNumber: SequenceNumber(extended: Int64(sent)),
                timestamp: UInt32(sent * 960), ssrc: SSRC(0), payload: [0xF8, 0xFF, 0xFE][...])
            core.send(packet, mid: mid, at: now)
        }
        drain()
    }

    private func drain() {
        while let output = core.poll() {
            guard case .transmit(let bytes, _) = output else { continue }
            var buffer = channel.allocator.buffer(capacity: bytes.count + 2)
            buffer.writeInteger(UInt16(bytes.count))
            buffer.writeBytes(bytes)
            channel.writeAndFlush(buffer, promise: nil)
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        framing.append(unwrapInboundIn(data).readableBytesView)
        while let packet = try? framing.next() {
            core.handle(packet, from: server, at: MonotonicClock.now)
        }
        drain()
    }
}

extension NIOLoopBound<StreamClient> {
    fileprivate func publish(_ track: String, in room: MediaRoom, as peer: PeerID) async throws {
        let offer = try await eventLoop.submit { try value.offer(track) }.get()
        let answer = try await room.publishOffer(offer, from: peer)
        #expect(answer.contains(" typ host tcptype passive"))
        try await eventLoop.submit { try value.accept(answer) }.get()
    }

    /// Returns when the server has closed the connection.
    fileprivate func ended() async throws {
        try await eventLoop.flatSubmit { value.channel.closeFuture }.get()
    }

    fileprivate func stop() async throws { try await eventLoop.submit { value.stop() }.get() }
}
