import Datagrams
import MediaKernel

/// The ports of one media loop, and where they can be reached.
struct LoopPorts {
    /// What clients are told.
    var advertised: [TransportAddress] = []
    /// The addresses of this machine at which the UDP sockets can be reached, with ports: what a
    /// recorder is told besides.
    var localAddresses: [TransportAddress] = []
    /// Of each bound address one.
    var sockets: [any SocketSink] = []
    /// Of the first loop only: connections are few, and theirs is the slow way.
    var listeners: [TCPListener] = []
    /// Those of the server, be they here or on another loop.
    var links: [any LinkSink] = []
    /// Addresses of this machine, without ports.
    private let ownAddresses = Set(HostAddresses.all().map(\.ip))
    /// The kernel does not, as was told.
    private var cannotSteer = false

    init() {}

    /// What a client is told of where it can reach the server.
    func addresses(forRecorder isRecorder: Bool) -> [TransportAddress] {
        guard isRecorder else { return advertised }
        return localAddresses + advertised.filter { !localAddresses.contains($0) }
    }

    /// Whether an address is of this machine, as a recorder's mostly is: what goes there passes no
    /// link that could be full.
    func isHere(_ address: TransportAddress?) -> Bool {
        address.map { $0.isLoopback || ownAddresses.contains($0.ip) } ?? false
    }

    /// What answers go through.
    func sink(_ transport: TransportAddress.Transport, _ port: Int) -> (any DatagramSink)? {
        switch transport {
        case .udp: port < sockets.count ? sockets[port] : nil
        case .tcp: port < links.count ? links[port] : nil
        }
    }

    /// Which of this machine's addresses the datagram came to that is being handled.
    func arrival(_ transport: TransportAddress.Transport, _ port: Int) -> LocalAddress? {
        transport == .udp && port < sockets.count ? sockets[port].arrivedAt : nil
    }

    /// Has datagrams come to one loop, by its place; nil for all of them.
    ///
    /// - Returns: why the kernel does not, the first time.
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
