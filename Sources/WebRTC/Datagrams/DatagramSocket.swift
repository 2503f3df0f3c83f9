import CSockets
import Glibc
public import MediaKernel
public import NIOCore
import NIOPosix

/// One bound UDP socket on one event loop. Every method and callback runs on that loop.
///
/// The shell between NIO and the sans-IO cores: arrays of bytes and `TransportAddress` inside,
/// NIO's types outside.
public final class DatagramSocket {
    public struct Handlers {
        public var received: (consuming [UInt8], TransportAddress) -> Void
        /// The kernel's queue was emptied for now: the time to flush answers.
        public var batchEnded: () -> Void

        public init(
            received: @escaping (consuming [UInt8], TransportAddress) -> Void,
            batchEnded: @escaping () -> Void
        ) {
            self.received = received
            self.batchEnded = batchEnded
        }
    }

    /// Bytes of one datagram; larger ones are cut by the kernel and then fail to authenticate.
    public static let datagramBytesMaximum = 2048
    /// Kernel buffer in each direction. A key frame to many subscribers is a burst, and a burst
    /// that the kernel drops comes back as NACKs.
    static let kernelBufferBytes = 4 << 20
    /// Datagrams that one system call reads.
    static let readBatch = 32
    /// Such calls in a row that `read` makes, before others have their turn.
    static let readCallsMaximum = 64
    /// Datagrams that wait for the kernel: some megabytes.
    static let waitingMaximum = 4096
    /// When it is tried again whether the kernel has room.
    static let retryDelay: TimeAmount = .milliseconds(1)

    /// Whether other sockets may have the same port.
    private static let sharesPort = ChannelOptions.Types.SocketOption(
        level: .socket, name: NIOBSDSocket.Option(rawValue: CInt(SO_REUSEPORT)))

    private let channel: any Channel
    /// The kernel's name for the socket, which it may give to another once the channel is closed.
    private let descriptor: NIOBSDSocket.Handle
    public let localAddress: TransportAddress
    private let handlers: Handlers
    private let batch = DatagramBatch()
    /// Of a socket that does not read by itself.
    private lazy var inbox = DatagramInbox(
        datagramsMaximum: DatagramSocket.readBatch, bytesMaximum: Self.datagramBytesMaximum)
    /// Datagrams that the kernel had no room for. Others go behind them.
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
    ///   - readsByItself: false when datagrams are to wait until `read` is called.
    ///   - joinsOthers: the port is another socket's, which shares it.
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
            // That nothing more waits is what the selector says too, without another call.
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
                // Of a socket that has one address it is known where everything comes to.
                guard socket.value.localAddress.isWildcard else {
                    return eventLoop.makeSucceededFuture(socket)
                }
                return socket.value.channel.setOption(.receivePacketInfo, value: true)
                    .map { socket }
            }
    }

    /// Which of this machine's addresses the datagram came to that is being handled; nil where the
    /// socket has only one, and where answers cannot leave from it.
    public var arrivedAt: LocalAddress? { receiver.arrivedAt ?? inbox.arrivedAt }

    /// Bytes of datagrams that the kernel keeps until they are read. It silently allows no more than
    /// `net.core.rmem_max`, 208 KiB in Debian, and reports twice the usable size, since it counts its
    /// own bookkeeping.
    var receiveBufferBytes: Int {
        var value: CInt = 0
        var length = socklen_t(MemoryLayout<CInt>.size)
        getsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &value, &length)
        return Int(value) / 2
    }

    /// What to say of a receive buffer in which a burst may be lost; nil of one that is large enough.
    public var receiveBufferShortage: String? {
        let bytes = receiveBufferBytes
        guard bytes < Self.kernelBufferBytes else { return nil }
        return "\(bytes) of \(Self.kernelBufferBytes) bytes: net.core.rmem_max allows "
            + "no more"
    }

    /// Lets others that join this one have a part of what comes, always the same part of the addresses
    /// it comes from. The port was bound for this one alone: another server's would be refused.
    public func share() -> EventLoopFuture<Void> {
        channel.setOption(Self.sharesPort, value: 1)
    }

    /// Has the kernel give all that comes to one of the sockets that share the port, this one or
    /// another, or a part to each.
    ///
    /// - Parameter place: in the order in which they were bound; nil for all of them.
    /// - Returns: why the kernel does not, if so.
    public func steer(to place: Int?) -> String? {
        guard channel.isActive else { return nil }
        let place = place.map { UInt32(clamping: $0) } ?? .max
        return roomcast_steer(descriptor, place) == 0 ? nil : String(cString: strerror(errno))
    }

    /// Takes the datagrams that wait. For a socket that does not read by itself.
    public func read() {
        var total = 0
        for _ in 0..<Self.readCallsMaximum where channel.isActive {
            let count = inbox.receive(from: descriptor, each: handlers.received)
            total += count
            if count < inbox.datagramsMaximum { break }
        }
        if total > 0 { handlers.batchEnded() }
    }

    /// Queues one datagram until `flush`. When the kernel takes no more for long, media is lost
    /// rather than kept: what is late is worthless, and retransmission exists.
    ///
    /// - Parameter source: which of this machine's addresses it is to leave from, which is the one
    ///   that the other side knows; nil for whichever the kernel chooses.
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
        // The kernel had no room just now; the retry asks again.
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
    /// The latest datagram's sender in both forms. The next one's is mostly the same.
    private var latest: (remote: SocketAddress, source: TransportAddress)?
    private(set) var arrivedAt: LocalAddress?
    /// Where `arrivedAt` is from.
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
