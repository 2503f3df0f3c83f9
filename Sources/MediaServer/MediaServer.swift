import Datagrams
public import Logging
public import MediaKernel
public import NIOCore
import SecureTransport

/// The media plane: one UDP port, one loop, and the forwarding of every room. It never decodes.
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
        var sockets: [NIOLoopBound<DatagramSocket>] = []
        var port = configuration.port
        for (index, host) in configuration.bindHosts.enumerated() {
            let socket: NIOLoopBound<DatagramSocket>
            do {
                socket = try await DatagramSocket.bind(host: host, port: port, on: eventLoop) {
                    DatagramSocket.Handlers(
                        received: { loop.value.received($0, from: $1, socket: index) },
                        batchEnded: { loop.value.flush() })
                }.get()
            } catch {
                throw MediaServerError.cannotBind(host: host, port: port, reason: "\(error)")
            }
            sockets.append(socket)
            // One port for all addresses, also when the first one was chosen by the kernel.
            port = try await eventLoop.submit { Int(socket.value.localAddress.port) }.get()
        }
        let bound = sockets
        let advertised = try await eventLoop.submit {
            let sockets = bound.map(\.value)
            let addresses = Self.advertisedAddresses(
                configuration, bound: sockets.map(\.localAddress))
            loop.value.start(sockets: sockets, advertised: addresses)
            return addresses
        }.get()
        return MediaServer(eventLoop: eventLoop, loop: loop, advertised: advertised)
    }

    private static func advertisedAddresses(
        _ configuration: MediaServerConfiguration, bound: [TransportAddress]
    ) -> [TransportAddress] {
        let port = bound.first?.port ?? 0
        if !configuration.advertised.isEmpty {
            return configuration.advertised.map { address in
                address.port == 0 ? address.with(port: port) : address
            }
        }
        var addresses: [TransportAddress] = []
        for address in bound {
            let isWildcard = address.ip.allSatisfy { $0 == 0 }
            let found =
                isWildcard
                ? HostAddresses.all().filter { $0.isIPv6 == address.isIPv6 }
                    .map { $0.with(port: address.port) }
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
        TransportAddress(ip: ip, port: port) ?? self
    }
}
