import Datagrams
import MediaKernel

/// The ports of one media loop and the addresses that reach them.
struct LoopPorts {
    /// The addresses that clients are told.
    var advertised: [TransportAddress] = []
    /// The addresses of this machine that reach the UDP sockets, with ports. Recorders are told
    /// these as well.
    var localAddresses: [TransportAddress] = []
    /// One for each bound address.
    var sockets: [any SocketSink] = []
    /// Only on the first loop: TCP connections are few and slow anyway.
    var listeners: [TCPListener] = []
    /// The server's TCP listeners, on this loop or another.
    var links: [any LinkSink] = []
    /// Addresses of this machine, without ports.
    private let ownAddresses = Set(HostAddresses.all().map(\.ip))
    /// The kernel cannot steer datagrams; this has been reported.
    private var cannotSteer = false

    init() {}

    /// The addresses at which a client can reach the server.
    func addresses(forRecorder isRecorder: Bool) -> [TransportAddress] {
        guard isRecorder else { return advertised }
        return localAddresses + advertised.filter { !localAddresses.contains($0) }
    }

    /// Whether an address belongs to this machine, as a recorder's mostly does. Packets to it cross
    /// no link that could be congested.
    func isHere(_ address: TransportAddress?) -> Bool {
        address.map { $0.isLoopback || ownAddresses.contains($0.ip) } ?? false
    }

    /// The sink for answers.
    func sink(_ transport: TransportAddress.Transport, _ port: Int) -> (any DatagramSink)? {
        switch transport {
        case .udp: port < sockets.count ? sockets[port] : nil
        case .tcp: port < links.count ? links[port] : nil
        }
    }

    /// The address of this machine at which the current datagram arrived.
    func arrival(_ transport: TransportAddress.Transport, _ port: Int) -> LocalAddress? {
        transport == .udp && port < sockets.count ? sockets[port].arrivedAt : nil
    }

    /// Directs incoming datagrams to one loop, by its index; nil for all loops.
    ///
    /// - Returns: the reason, the first time that the kernel refuses.
    mutating func steer(to loop: Int?) -> String? {
        for socket in sockets where !cannotSteer {
            // Sockets were bound in the order of the loops.
            guard let reason = socket.steer(to: loop) else { continue }
            cannotSteer = true
            return reason
        }
        return nil
    }

    func tick(at now: Instant) {
        for listener in listeners { listener.tick(at: now) }
    }

    func flush() {
        for socket in sockets { socket.flush() }
        for listener in listeners { listener.flush() }
    }

    mutating func close() {
        for socket in sockets { socket.close() }
        sockets = []
        for listener in listeners { listener.close() }
        listeners = []
    }
}
