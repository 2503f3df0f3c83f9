import Datagrams
public import Logging
public import MediaKernel
public import NIOCore
public import PeerConnection
import SecureTransport

/// The media plane: one UDP port, the same port over TCP, and the forwarding of every room. Each
/// room belongs to one loop. It never decodes.
public final class MediaServer: Sendable {
    private let loops: [NIOLoopBound<MediaLoop>]
    private let directory: LoopDirectory
    /// The addresses that clients are told, in order of preference.
    public let advertised: [TransportAddress]

    private init(
        loops: [NIOLoopBound<MediaLoop>], directory: LoopDirectory, advertised: [TransportAddress]
    ) {
        self.loops = loops
        self.directory = directory
        self.advertised = advertised
    }

    /// Binds the sockets. Throws if an address cannot be bound or no certificate can be made.
    ///
    /// - Parameter group: rooms are distributed to all of its loops.
    public static func start(
        configuration: MediaServerConfiguration, group: any EventLoopGroup, logger: Logger
    ) async throws -> MediaServer {
        let eventLoops = Array(group.makeIterator())
        let identity = try DTLSIdentity.generate()
        let directory = LoopDirectory(eventLoops: eventLoops)
        var loops: [NIOLoopBound<MediaLoop>] = []
        for (index, eventLoop) in eventLoops.enumerated() {
            let loop = try await eventLoop.submit {
                NIOLoopBound(
                    MediaLoop(
                        eventLoop: eventLoop, index: index, directory: directory,
                        identity: identity, logger: logger),
                    eventLoop: eventLoop)
            }.get()
            loops.append(loop)
        }
        let (sockets, listeners) = try await bind(configuration, loops)
        let localAddresses = reaching(sockets.map(\.address))
        if let shortage = sockets.first?.shortage {
            logger.warning("receive buffer is small", metadata: ["reason": "\(shortage)"])
        }
        let advertised =
            advertisedAddresses(configuration.advertised, bound: sockets.map(\.address))
            + advertisedAddresses(
                configuration.tcpAdvertised.isEmpty
                    ? configuration.advertised.map { $0.with(port: 0) }
                    : configuration.tcpAdvertised,
                bound: listeners.map(\.address))
        for (index, loop) in loops.enumerated() {
            try await loop.eventLoop.submit {
                let own = index == 0 ? listeners.map(\.listener.value) : []
                let links: [any LinkSink] =
                    index == 0
                    ? own
                    : listeners.indices.map { listener in
                        DistantListener(inbox: directory.inboxes[0], index: listener)
                    }
                loop.value.start(
                    sockets: sockets.map { $0.sockets[index].value }, listeners: own,
                    links: links, advertised: advertised,
                    localAddresses: localAddresses)
            }.get()
        }
        return MediaServer(loops: loops, directory: directory, advertised: advertised)
    }

    /// One address, with a socket for each loop.
    private struct BoundSockets: Sendable {
        let sockets: [NIOLoopBound<DatagramSocket>]
        let address: TransportAddress
        /// See `DatagramSocket`.
        let shortage: String?
    }

    private struct BoundListener: Sendable {
        let listener: NIOLoopBound<TCPListener>
        let address: TransportAddress
    }

    /// A port that the kernel chose for UDP may be taken for TCP, if only by a connection in
    /// TIME-WAIT (RFC 9293 sect. 3.3.2), or at another address. So several ports are tried.
    private static let chosenPortsMaximum = 8

    private static func bind(
        _ configuration: MediaServerConfiguration, _ loops: [NIOLoopBound<MediaLoop>]
    ) async throws -> ([BoundSockets], [BoundListener]) {
        var tries = configuration.port == 0 ? chosenPortsMaximum : 1
        while true {
            var sockets: [BoundSockets] = []
            do {
                try await bindSockets(configuration, loops, into: &sockets)
                let udpPort = sockets.first?.address.port ?? 0
                return (sockets, try await bindListeners(configuration, udpPort: udpPort, loops[0]))
            } catch {
                for socket in sockets.flatMap(\.sockets) {
                    socket.eventLoop.execute { socket.value.close() }
                }
                tries -= 1
                guard tries > 0 else { throw error }
            }
        }
    }

    private static func bindSockets(
        _ configuration: MediaServerConfiguration, _ loops: [NIOLoopBound<MediaLoop>],
        into bound: inout [BoundSockets]
    ) async throws {
        var port = configuration.port
        for (index, host) in configuration.bindHosts.enumerated() {
            do {
                let sockets = try await bindSockets(host: host, port: port, index: index, loops)
                bound.append(sockets)
                // One port for all addresses, even if the kernel chose it for the first one.
                port = Int(sockets.address.port)
            } catch {
                throw MediaServerError.cannotBind(
                    .udp, host: host, port: port, code: (error as? IOError)?.errnoCode ?? 0)
            }
        }
    }

    private static func bindSockets(
        host: String, port: Int, index: Int, _ loops: [NIOLoopBound<MediaLoop>]
    ) async throws -> BoundSockets {
        func bind(
            _ loop: NIOLoopBound<MediaLoop>, port: Int, joinsOthers: Bool
        ) async throws -> NIOLoopBound<DatagramSocket> {
            try await DatagramSocket.bind(
                host: host, port: port, on: loop.eventLoop, joinsOthers: joinsOthers
            ) {
                handlers(of: loop, port: index)
            }.get()
        }
        let first = try await bind(loops[0], port: port, joinsOthers: false)
        let (address, shortage) = try await first.eventLoop.submit {
            (first.value.localAddress, first.value.receiveBufferShortage)
        }.get()
        var sockets = [first]
        if loops.count > 1 { try await first.eventLoop.flatSubmit { first.value.share() }.get() }
        for loop in loops.dropFirst() {
            sockets.append(try await bind(loop, port: Int(address.port), joinsOthers: true))
        }
        return BoundSockets(sockets: sockets, address: address, shortage: shortage)
    }

    private static func bindListeners(
        _ configuration: MediaServerConfiguration, udpPort: UInt16,
        _ loop: NIOLoopBound<MediaLoop>
    ) async throws -> [BoundListener] {
        let eventLoop = loop.eventLoop
        var port: Int
        switch configuration.tcpPort {
        case .none: return []
        case .sameAsUDP: port = Int(udpPort)
        case .number(let number): port = number
        }
        var listeners: [BoundListener] = []
        for (index, host) in configuration.bindHosts.enumerated() {
            do {
                let listener = try await TCPListener.bind(
                    host: host, port: port, on: eventLoop,
                    links: configuration.tcpLinksMaximum / configuration.bindHosts.count
                ) {
                    handlers(of: loop, port: index)
                }.get()
                guard
                    let address = try await eventLoop.submit({ listener.value.localAddress }).get()
                else { throw ChannelError.unknownLocalAddress }
                listeners.append(BoundListener(listener: listener, address: address))
                port = Int(address.port)
            } catch {
                for bound in listeners {
                    bound.listener.eventLoop.execute { bound.listener.value.close() }
                }
                throw MediaServerError.cannotBind(
                    .tcp, host: host, port: port, code: (error as? IOError)?.errnoCode ?? 0)
            }
        }
        return listeners
    }

    private static func handlers(
        of loop: NIOLoopBound<MediaLoop>, port: Int
    ) -> DatagramSocket.Handlers {
        DatagramSocket.Handlers(
            received: { loop.value.received($0, from: $1, port: port) },
            batchEnded: { loop.value.flush() })
    }

    /// The advertised addresses, with the bound port if they have none, and the bound transport.
    private static func advertisedAddresses(
        _ configured: [TransportAddress], bound: [TransportAddress]
    ) -> [TransportAddress] {
        guard let first = bound.first else { return [] }
        if !configured.isEmpty {
            return configured.map { address in
                let isWhole = address.port != 0
                return (isWhole ? address : address.with(port: first.port)).over(first.transport)
            }
        }
        return reaching(bound)
    }

    /// The addresses of this machine that reach the bound ones.
    private static func reaching(_ bound: [TransportAddress]) -> [TransportAddress] {
        var addresses: [TransportAddress] = []
        for address in bound {
            let found = HostAddresses.reaching(address)
            addresses += found.filter { !addresses.contains($0) }
        }
        return addresses
    }

    /// Creates the media side of a room.
    /// - Parameter acceptsOrientation: whether publishers may send rotated pictures with an
    ///   orientation header extension, which not every receiver understands.
    public func makeRoom(
        _ id: RoomID, acceptsOrientation: Bool = false,
        channel: ChannelFormat = ChannelFormat(label: "texts")
    ) async throws -> MediaRoom {
        let (events, continuation) = AsyncStream.makeStream(
            of: MediaEvent.self, bufferingPolicy: .bufferingOldest(MediaRoom.eventsMaximum))
        let loop = loops[directory.placeRoom()]
        let forwarder = try await loop.eventLoop.submit {
            let forwarder = RoomForwarder(
                id: id, loop: loop.value, events: continuation,
                acceptsOrientation: acceptsOrientation, channel: channel)
            loop.value.adopt(forwarder)
            return NIOLoopBound(forwarder, eventLoop: loop.eventLoop)
        }.get()
        return MediaRoom(loop: loop, forwarder: forwarder, events: events)
    }

    /// The figures of all loops together.
    public func figures() async -> MediaFigures {
        var figures = MediaFigures()
        for loop in loops {
            if let own = try? await loop.eventLoop.submit({ loop.value.figures }).get() {
                figures += own
            }
        }
        return figures
    }

    public func shutdown() async {
        // Stop the first loop last: the others' last datagrams over TCP go through it.
        for loop in loops.reversed() {
            try? await loop.eventLoop.submit { loop.value.stop() }.get()
        }
    }
}

extension TransportAddress {
    fileprivate func with(port: UInt16) -> TransportAddress {
        TransportAddress(ip: ip, port: port, transport: transport) ?? self
    }
}
