import Clocks
import Datagrams
import ICE
import MediaKernel
import MediaServer
import NIOCore
import NIOPosix
import PeerConnection
import RTP
import SDP
import SecureTransport

/// A publisher with a real socket that sends all datagrams to the same address, regardless of their
/// destination.
final class MediaClient: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let core: PeerConnection
    private let server: TransportAddress
    private let source: TransportAddress
    let channel: any Channel
    private var framing = StreamFraming(
        packetBytesMaximum: DatagramSocket.datagramBytesMaximum)
    private var ticking: RepeatedTask?
    private var mid: String?
    private var sent = 0

    private init(_ server: TransportAddress, _ channel: any Channel) throws {
        self.server = server
        // It does not support TCP: datagrams come from the address to which it sent.
        source = server.over(.udp)
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
    ) async throws -> NIOLoopBound<MediaClient> {
        let (host, port) = (server.host, Int(server.port))
        let channel =
            switch server.transport {
            case .tcp: ClientBootstrap(group: loop).connect(host: host, port: port)
            case .udp: DatagramBootstrap(group: loop).connect(host: host, port: port)
            }
        return try await channel.flatMapThrowing { channel in
            let client = try MediaClient(server, channel)
            if server.transport == .udp {
                try channel.pipeline.syncOperations.addHandler(EnvelopeOpener())
            }
            try channel.pipeline.syncOperations.addHandler(client)
            return NIOLoopBound(client, eventLoop: loop)
        }.get()
    }

    func offer(_ track: String) throws -> SessionDescription {
        mid = try core.add(.audio(track))
        return try core.createOffer(at: MonotonicClock.now)
    }

    func accept(_ answer: SessionDescription) throws {
        try core.accept(answer: answer, at: MonotonicClock.now)
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
            if server.transport == .tcp { buffer.writeInteger(UInt16(bytes.count)) }
            buffer.writeBytes(bytes)
            channel.writeAndFlush(buffer, promise: nil)
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let now = MonotonicClock.now
        let bytes = unwrapInboundIn(data).readableBytesView
        switch server.transport {
        case .udp:
            core.handle(Array(bytes), from: source, at: now)
        case .tcp:
            framing.append(bytes)
            while let packet = try? framing.next() { core.handle(packet, from: source, at: now) }
        }
        drain()
    }
}

/// Datagrams without their senders.
private final class EnvelopeOpener: ChannelInboundHandler {
    typealias InboundIn = AddressedEnvelope<ByteBuffer>
    typealias InboundOut = ByteBuffer

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        context.fireChannelRead(wrapInboundOut(unwrapInboundIn(data).data))
    }
}

extension NIOLoopBound<MediaClient> {
    func publish(_ track: String, in room: MediaRoom, as peer: PeerID) async throws {
        let offer = try await eventLoop.submit { try value.offer(track) }.get()
        let answer = try await room.offer(offer, on: .publish, from: peer)
        try await eventLoop.submit { try value.accept(answer) }.get()
    }

    /// Returns once the server has closed the connection.
    func ended() async throws {
        try await eventLoop.flatSubmit { value.channel.closeFuture }.get()
    }

    func stop() async throws { try await eventLoop.submit { value.stop() }.get() }
}
