import Datagrams
public import Logging
public import MediaKernel
public import NIOCore
import SecureTransport

/// The media plane: one UDP port, the same over TCP, one loop, and the forwarding of every room. It
/// never decodes.
public final class MediaServer: Sendable {
    private let eventLoop: any EventLoop
    private let loop: NIOLoopBound<MediaLoop>
    /// What clients are told, in order of preference.
    public let advertised: [TransportAddress]

    private init(
        eventLoop: any EventLoop, loop: NIOLoopBound<MediaLoop>, advertised: [TransportAddress]
    ) {
        self.eventLoop = eventLoop
        self.loop = loop
        self.advertised = advertised
    }

    /// Binds the sockets. Fails when an address cannot be bound or no certificate can be made.
    public static func start(
        configuration: MediaServerConfiguration, group: any EventLoopGroup, logger: Logger
    ) async throws -> MediaServer {
        let eventLoop = group.next()
        let identity = try DTLSIdentity.generate()
        let loop = try await eventLoop.submit {
            NIOLoopBound(
                MediaLoop(eventLoop: eventLoop, identity: identity, logger: logger),
                eventLoop: eventLoop)
        }.get()
        let sockets = try await bindSockets(configuration, loop)
        let listeners = try await bindListeners(
            configuration, udpPort: sockets.first?.address.port ?? 0, loop)
        let advertised =
            advertisedAddresses(configuration.advertised, bound: sockets.map(\.address))
            + advertisedAddresses(
                configuration.tcpAdvertised.isEmpty
                    ? configuration.advertised.map { $0.with(port: 0) }
                    : configuration.tcpAdvertised,
                bound: listeners.map(\.address))
        try await eventLoop.submit {
            loop.value.start(
                sockets: sockets.map(\.port.value), listeners: listeners.map(\.port.value),
                advertised: advertised)
        }.get()
        return MediaServer(eventLoop: eventLoop, loop: loop, advertised: advertised)
    }

    private struct Bound<Port>: Sendable {
        let port: NIOLoopBound<Port>
        let address: TransportAddress
    }

    private static func bindSockets(
        _ configuration: MediaServerConfiguration, _ loop: NIOLoopBound<MediaLoop>
    ) async throws -> [Bound<DatagramSocket>] {
        let eventLoop = loop.eventLoop
        var sockets: [Bound<DatagramSocket>] = []
        var port = configuration.port
        for (index, host) in configuration.bindHosts.enumerated() {
            do {
                let socket = try await DatagramSocket.bind(host: host, port: port, on: eventLoop) {
                    handlers(of: loop, port: index)
                }.get()
                let address = try await eventLoop.submit { socket.value.localAddress }.get()
                sockets.append(Bound(port: socket, address: address))
                // One port for all addresses, also when the first one was chosen by the kernel.
                port = Int(address.port)
            } catch {
                throw MediaServerError.cannotBind(.udp, host: host, port: port, reason: "\(error)")
            }
        }
        return sockets
    }

    private static func bindListeners(
        _ configuration: MediaServerConfiguration, udpPort: UInt16,
        _ loop: NIOLoopBound<MediaLoop>
    ) async throws -> [Bound<TCPListener>] {
        let eventLoop = loop.eventLoop
        var port: Int
        switch configuration.tcpPort {
        case .none: return []
        case .sameAsUDP: port = Int(udpPort)
        case .number(let number): port = number
        }
        var listeners: [Bound<TCPListener>] = []
        for (index, host) in configuration.bindHosts.enumerated() {
            do {
                let listener = try await TCPListener.bind(host: host, port: port, on: eventLoop) {
                    handlers(of: loop, port: index)
                }.get()
                guard
                    let address = try await eventLoop.submit({ listener.value.localAddress }).get()
                else { throw ChannelError.unknownLocalAddress }
                listeners.append(Bound(port: listener, address: address))
                port = Int(address.port)
            } catch {
                throw MediaServerError.cannotBind(.tcp, host: host, port: port, reason: "\(error)")
            }
        }
        return listeners
    }

    private static func handlers(
        of loop: NIOLoopBound<MediaLoop>, port index: Int
    ) -> DatagramSocket.Handlers {
        DatagramSocket.Handlers(
            received: { loop.value.received($0, from: $1, port: index) },
            batchEnded: { loop.value.flush() })
    }

    /// With the bound port where they have none, and over what is bound.
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
        var addresses: [TransportAddress] = []
        for address in bound {
            let isWildcard = address.ip.allSatisfy { $0 == 0 }
            let found =
                isWildcard
                ? HostAddresses.all().filter { $0.isIPv6 == address.isIPv6 }
                    .map { $0.with(port: address.port).over(address.transport) }
                : [address]
            addresses += found.filter { !addresses.contains($0) }
        }
        return addresses
    }

    /// Makes the media side of a room.
    public func makeRoom(_ id: RoomID) async throws -> MediaRoom {
        let (events, continuation) = AsyncStream.makeStream(
            of: MediaEvent.self, bufferingPolicy: .bufferingOldest(MediaRoom.eventsMaximum))
        let forwarder = try await eventLoop.submit { [loop, eventLoop] in
            let forwarder = RoomForwarder(id: id, loop: loop.value, events: continuation)
            loop.value.adopt(forwarder)
            return NIOLoopBound(forwarder, eventLoop: eventLoop)
        }.get()
        return MediaRoom(eventLoop: eventLoop, forwarder: forwarder, events: events)
    }

    public func shutdown() async {
        try? await eventLoop.submit { [loop] in loop.value.stop() }.get()
    }
}

extension TransportAddress {
    fileprivate func with(port: UInt16) -> TransportAddress {
        TransportAddress(ip: ip, port: port, transport: transport) ?? self
    }
}
