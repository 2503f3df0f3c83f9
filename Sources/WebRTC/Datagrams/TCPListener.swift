public import MediaKernel
public import NIOCore
import NIOPosix

/// One bound TCP port on one event loop, whose connections carry datagrams: the passive side of ICE
/// over TCP (RFC 6544 sect. 5.1). Every method and callback runs on that loop.
///
/// The listener knows only this of ICE: nothing is sent to an unproven peer. So a connection counts
/// as owned once something was sent on it, and as long as something is.
public final class TCPListener {
    /// The most connections from one IPv4 address or one IPv6 /64 network, owned or not.
    public static let linksOfOneMaximum = 1024
    /// The most of these without an owner.
    public static let strangersMaximum = 64
    /// How long a connection may have no owner, from the first `tick` that sees it.
    public static let strangerPatience: Duration = .seconds(5)
    /// How long an owned connection is kept without use: by then RFC 7675's consent has expired.
    public static let silencePatience: Duration = .seconds(30)
    static let tickInterval: Duration = .seconds(1)
    /// A connection's kernel buffer for sending. Its data can no longer be dropped, and a slow
    /// reader gets it late.
    static let kernelBufferBytes: Int32 = 256 << 10
    /// Bytes read per system call.
    static let readBytes = 16 << 10

    let handlers: DatagramSocket.Handlers
    private var channel: (any Channel)?
    private var links: [TransportAddress: TCPLink] = [:]
    private let linksMaximum: Int
    private var linksOfOne: AddressCensus
    /// Connections without an owner.
    private var strangers = AddressCensus(maximum: strangersMaximum)
    private var unflushed: [TCPLink] = []
    private var nextTick = Instant.zero
    /// Datagrams dropped because their readers are too slow.
    public private(set) var droppedDatagrams = 0

    private init(handlers: DatagramSocket.Handlers, links: Int, linksOfOne: Int) {
        self.handlers = handlers
        linksMaximum = links
        self.linksOfOne = AddressCensus(maximum: linksOfOne)
    }

    /// Binds and starts to accept. Port 0 takes a free one. `makeHandlers` runs on the loop.
    ///
    /// - Parameters:
    ///   - links: the most connections.
    ///   - linksOfOne: the most connections from one address.
    public static func bind(
        host: String, port: Int, on eventLoop: any EventLoop, links: Int,
        linksOfOne: Int = linksOfOneMaximum,
        makeHandlers: @escaping @Sendable () -> DatagramSocket.Handlers
    ) -> EventLoopFuture<NIOLoopBound<TCPListener>> {
        eventLoop.submit {
            NIOLoopBound(
                TCPListener(handlers: makeHandlers(), links: links, linksOfOne: linksOfOne),
                eventLoop: eventLoop)
        }.flatMap { listener in
            ServerBootstrap(group: eventLoop)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .serverChannelOption(.backlog, value: 256)
                .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
                .childChannelOption(.socketOption(.so_sndbuf), value: .init(kernelBufferBytes))
                .childChannelOption(
                    .writeBufferWaterMark,
                    value: .init(
                        low: TCPLink.waitingBytesMaximum / 2, high: TCPLink.waitingBytesMaximum)
                )
                .childChannelOption(
                    .recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: readBytes)
                )
                // A heavy sender must let others have their turn.
                .childChannelOption(.maxMessagesPerRead, value: 1)
                .childChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture { try listener.value.accept(channel) }
                }
                .bind(host: host, port: port)
                .map { channel in
                    listener.value.channel = channel
                    return listener
                }
        }
    }

    /// Nil once closed.
    public var localAddress: TransportAddress? {
        channel?.localAddress.flatMap(TransportAddress.init)?.over(.tcp)
    }

    public var linkCount: Int { links.count }

    /// Queues one datagram until `flush`. Dropped, as on UDP, if too much is waiting.
    public func send(_ bytes: [UInt8], to address: TransportAddress) {
        guard let link = links[address] else { return }
        let (wasKnown, hadUnflushed) = (link.isKnown, link.hasUnflushed)
        guard link.send(bytes) else {
            droppedDatagrams += 1
            return
        }
        if !hadUnflushed { unflushed.append(link) }
        if !wasKnown { strangers.leave(address) }
    }

    public func flush() {
        guard !unflushed.isEmpty else { return }
        // A flush that fails reads what has come, and may so have others send: they are next.
        let links = unflushed
        unflushed = []
        for link in links { link.flush() }
    }

    /// Closes a connection whose owner is gone, after the data sent on it.
    public func close(_ address: TransportAddress) {
        guard let link = links[address] else { return }
        link.flush()
        link.close()
    }

    /// Closes unused connections. Call often; it checks once a second.
    public func tick(at now: Instant) {
        guard nextTick <= now else { return }
        nextTick = now + Self.tickInterval
        for link in Array(links.values) {
            if link.takeUse() {
                link.deadline = now + Self.silencePatience
            } else if let deadline = link.deadline {
                if deadline <= now { link.close() }
            } else {
                link.deadline = now + Self.strangerPatience
            }
        }
    }

    public func close() {
        channel?.close(promise: nil)
        channel = nil
        for link in Array(links.values) { link.close() }
    }

    // MARK: Links

    enum Refusal: Error, Hashable {
        case unknownAddress
        case takenAddress
        case tooManyLinks
        case tooManyStrangers
    }

    /// Throws to refuse the connection.
    private func accept(_ accepted: any Channel) throws {
        guard let remote = accepted.remoteAddress.flatMap(TransportAddress.init)?.over(.tcp) else {
            throw Refusal.unknownAddress
        }
        // Two local addresses may each have a connection from there; answers would be ambiguous.
        guard links[remote] == nil else { throw Refusal.takenAddress }
        guard links.count < linksMaximum else { throw Refusal.tooManyLinks }
        guard linksOfOne.enter(remote) else { throw Refusal.tooManyLinks }
        guard strangers.enter(remote) else {
            linksOfOne.leave(remote)
            throw Refusal.tooManyStrangers
        }
        let link = TCPLink(remote: remote, channel: accepted, listener: self)
        do {
            try accepted.pipeline.syncOperations.addHandler(link)
        } catch {
            linksOfOne.leave(remote)
            strangers.leave(remote)
            throw error
        }
        links[remote] = link
    }

    func ended(_ link: TCPLink) {
        guard links[link.remote] === link else { return }
        links[link.remote] = nil
        linksOfOne.leave(link.remote)
        if !link.isKnown { strangers.leave(link.remote) }
    }
}
