import CSockets
import Glibc
public import MediaKernel
public import NIOCore
import NIOPosix

/// One bound UDP socket on one event loop. Every method and callback runs on that loop.
///
/// Connects NIO to the sans-IO cores: byte arrays and `TransportAddress` inside, NIO's types
/// outside.
public final class DatagramSocket {
    public struct Handlers {
        public var received: (consuming [UInt8], TransportAddress) -> Void
        /// The kernel's queue is empty for now: time to flush answers.
        public var batchEnded: () -> Void

        public init(
            received: @escaping (consuming [UInt8], TransportAddress) -> Void,
            batchEnded: @escaping () -> Void
        ) {
            self.received = received
            self.batchEnded = batchEnded
        }
    }

    /// The most bytes of one datagram. The kernel truncates larger ones, which then fail to
    /// authenticate.
    public static let datagramBytesMaximum = 2048
    /// Kernel buffer in each direction. A key frame to many subscribers is a burst, and dropped
    /// packets of a burst cause NACKs.
    static let kernelBufferBytes = 4 << 20
    /// Datagrams read per system call.
    static let readBatch = 32
    /// The most such calls in a row by `read`, so that others get their turn.
    static let readCallsMaximum = 64
    /// The most datagrams waiting for the kernel: some megabytes.
    static let waitingMaximum = 4096
    /// How soon to retry after the kernel had no room.
    static let retryDelay: TimeAmount = .milliseconds(1)

    /// Whether other sockets may use the same port.
    private static let sharesPort = ChannelOptions.Types.SocketOption(
        level: .socket, name: NIOBSDSocket.Option(rawValue: CInt(SO_REUSEPORT)))

    private let channel: any Channel
    /// The file descriptor, which the kernel may reuse once the channel is closed.
    private let descriptor: NIOBSDSocket.Handle
    public let localAddress: TransportAddress
    private let handlers: Handlers
    private let batch = DatagramBatch()
    /// For a socket with explicit reading.
    private lazy var inbox = DatagramInbox(
        datagramsMaximum: DatagramSocket.readBatch, bytesMaximum: Self.datagramBytesMaximum)
    /// Datagrams that the kernel had no room for. Later ones queue behind them.
    private var waiting = BoundedQueue<Datagram>(maximum: waitingMaximum)
    private var isRetrying = false
    private let receiver: Receiver

    private struct Datagram {
        let bytes: [UInt8]
        let address: TransportAddress
        let source: LocalAddress?
    }

    private init(
        channel: any Channel, descriptor: NIOBSDSocket.Handle, localAddress: TransportAddress,
        receiver: Receiver
    ) {
        self.channel = channel
        self.descriptor = descriptor
        self.localAddress = localAddress
        self.receiver = receiver
        handlers = receiver.handlers
    }

    /// Binds and starts to receive. Port 0 takes a free one. `makeHandlers` runs on the loop.
    ///
    /// - Parameters:
    ///   - readsByItself: false if datagrams wait until `read` is called.
    ///   - joinsOthers: whether to share the port of another socket.
    public static func bind(
        host: String, port: Int, on eventLoop: any EventLoop, readsByItself: Bool = true,
        joinsOthers: Bool = false,
        makeHandlers: @escaping @Sendable () -> Handlers
    ) -> EventLoopFuture<NIOLoopBound<DatagramSocket>> {
        DatagramBootstrap(group: eventLoop)
            .channelOption(
                .recvAllocator,
                value: FixedSizeRecvByteBufferAllocator(
                    capacity: datagramBytesMaximum * readBatch)
            )
            .channelOption(.datagramVectorReadMessageCount, value: readBatch)
            .channelOption(.socketOption(.so_rcvbuf), value: kernelBufferBytes)
            .channelOption(.socketOption(.so_sndbuf), value: kernelBufferBytes)
            .channelOption(sharesPort, value: joinsOthers ? 1 : 0)
            // The selector also reports an empty queue, without another call.
            .channelOption(.maxMessagesPerRead, value: 1)
            .channelOption(.autoRead, value: readsByItself)
            .channelOption(.writeBufferWaterMark, value: .init(low: 1 << 20, high: 4 << 20))
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        Receiver(handlers: makeHandlers()))
                }
            }
            .bind(host: host, port: port)
            .flatMapThrowing { channel in
                guard let address = channel.localAddress.flatMap(TransportAddress.init) else {
                    throw ChannelError.unknownLocalAddress
                }
                let descriptor = try channel.pipeline.syncOperations
                    .withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) { $0 }
                guard let descriptor else { throw ChannelError.operationUnsupported }
                let receiver = try channel.pipeline.syncOperations.handler(type: Receiver.self)
                return NIOLoopBound(
                    DatagramSocket(
                        channel: channel, descriptor: descriptor, localAddress: address,
                        receiver: receiver),
                    eventLoop: eventLoop)
            }
            .flatMap { socket in
                // A socket bound to one address receives everything there.
                guard socket.value.localAddress.isWildcard else {
                    return eventLoop.makeSucceededFuture(socket)
                }
                return socket.value.channel.setOption(.receivePacketInfo, value: true)
                    .map { socket }
            }
    }

    /// The address of this machine at which the current datagram arrived; nil if the socket has
    /// only one, or if answers cannot be sent from it.
    public var arrivedAt: LocalAddress? { receiver.arrivedAt ?? inbox.arrivedAt }

    /// The kernel's buffer for unread datagrams, in bytes. The kernel silently allows no more than
    /// `net.core.rmem_max`, 208 KiB in Debian, and reports twice the usable size, since it counts
    /// its own bookkeeping.
    var receiveBufferBytes: Int {
        var value: CInt = 0
        var length = socklen_t(MemoryLayout<CInt>.size)
        getsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &value, &length)
        return Int(value) / 2
    }

    /// A warning about a receive buffer that may lose bursts; nil if it is large enough.
    public var receiveBufferShortage: String? {
        let bytes = receiveBufferBytes
        guard bytes < Self.kernelBufferBytes else { return nil }
        return "\(bytes) of \(Self.kernelBufferBytes) bytes: net.core.rmem_max allows "
            + "no more"
    }

    /// Lets later sockets join this port. Each then receives the datagrams of a fixed part of the
    /// source addresses. The port was bound exclusively at first, so that another server's port is
    /// refused.
    public func share() -> EventLoopFuture<Void> {
        channel.setOption(Self.sharesPort, value: 1)
    }

    /// Directs all incoming datagrams to one of the sockets that share the port, or distributes
    /// them.
    ///
    /// - Parameter place: the socket's index in order of binding; nil to distribute.
    /// - Returns: the reason if the kernel refuses.
    public func steer(to place: Int?) -> String? {
        guard channel.isActive else { return nil }
        let place = place.map { UInt32(clamping: $0) } ?? .max
        return roomcast_steer(descriptor, place) == 0 ? nil : String(cString: strerror(errno))
    }

    /// Takes the waiting datagrams. For a socket that does not read by itself.
    public func read() {
        var total = 0
        for _ in 0..<Self.readCallsMaximum where channel.isActive {
            let count = inbox.receive(from: descriptor, each: handlers.received)
            total += count
            if count < inbox.datagramsMaximum { break }
        }
        if total > 0 { handlers.batchEnded() }
    }

    /// Queues one datagram until `flush`. If the kernel takes no more for long, media is dropped
    /// rather than kept: late media is worthless, and retransmission exists.
    ///
    /// - Parameter source: the address of this machine to send from, which the other side knows;
    ///   nil if the kernel chooses.
    public func send(
        _ bytes: [UInt8], to address: TransportAddress, from source: LocalAddress? = nil
    ) {
        guard waiting.isEmpty else { return wait(bytes, to: address, from: source) }
        guard !batch.append(bytes, to: address, from: source) else { return }
        sendBatch()
        if !waiting.isEmpty || !batch.append(bytes, to: address, from: source) {
            wait(bytes, to: address, from: source)
        }
    }

    public func flush() {
        // After a refusal the retry asks the kernel again.
        if !isRetrying { sendWaiting() }
        sendBatch()
        retryIfWaiting()
    }

    public func close() {
        flush()
        channel.close(promise: nil)
    }

    private func sendBatch() {
        guard !batch.isEmpty else { return }
        guard channel.isActive else { return batch.removeAll() }
        batch.send(over: descriptor) { wait($0, to: $1, from: $2) }
    }

    private func sendWaiting() {
        while !waiting.isEmpty {
            var again = BoundedQueue<Datagram>(maximum: Self.waitingMaximum)
            swap(&again, &waiting)
            while let next = again.first,
                batch.append(next.bytes, to: next.address, from: next.source)
            {
                _ = again.popFirst()
            }
            sendBatch()
            let isFull = !waiting.isEmpty
            while let next = again.popFirst() { waiting.append(next) }
            if isFull { return }
        }
    }

    private func wait(_ bytes: [UInt8], to address: TransportAddress, from source: LocalAddress?) {
        waiting.append(Datagram(bytes: bytes, address: address, source: source))
    }

    private func retryIfWaiting() {
        guard !waiting.isEmpty, !isRetrying, channel.isActive else { return }
        isRetrying = true
        channel.eventLoop.assumeIsolated().scheduleTask(in: Self.retryDelay) {
            self.isRetrying = false
            self.flush()
        }
    }
}

private final class Receiver: ChannelInboundHandler {
    typealias InboundIn = AddressedEnvelope<ByteBuffer>

    let handlers: DatagramSocket.Handlers
    /// A cache of the latest datagram's sender in both forms. The next one is mostly the same.
    private var latest: (remote: SocketAddress, source: TransportAddress)?
    private(set) var arrivedAt: LocalAddress?
    /// The socket address behind `arrivedAt`.
    private var destination: SocketAddress?

    init(handlers: DatagramSocket.Handlers) { self.handlers = handlers }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let envelope = unwrapInboundIn(data)
        guard let source = source(envelope.remoteAddress) else { return }
        if let destination = envelope.metadata?.packetInfo?.destinationAddress,
            destination != self.destination
        {
            self.destination = destination
            arrivedAt = TransportAddress(destination).flatMap(LocalAddress.init)
        }
        handlers.received(Array(envelope.data.readableBytesView), source)
    }

    private func source(_ remote: SocketAddress) -> TransportAddress? {
        if let latest, latest.remote == remote { return latest.source }
        guard let source = TransportAddress(remote) else { return nil }
        latest = (remote, source)
        return source
    }

    func channelReadComplete(context: ChannelHandlerContext) { handlers.batchEnded() }

    /// An ICMP error for one remote address says nothing about the others: keep the socket.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {}
}
