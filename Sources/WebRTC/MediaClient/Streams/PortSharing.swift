import MediaKernel

/// Which sockets a client's connections use, and whose a datagram is.
///
/// Connections share a socket as long as the server has an address of its own for each of them, as
/// media servers have that open a port per connection. Those to one and the same address need
/// sockets of their own: nothing in a DTLS or SRTP packet tells them apart.
struct PortSharing {
    /// The most addresses of one connection.
    static let addressesMaximum = 64

    private enum State { case opening, open, failed }

    /// The addresses that each socket's connections send to.
    private var owners: [[TransportAddress: StreamConnectionID]] = []
    private var states: [State] = []

    /// - Returns: the index of a socket that is about to be opened: a new one, or that of one which
    ///   could not be.
    mutating func addPort() -> Int {
        if let port = states.firstIndex(of: .failed) {
            states[port] = .opening
            return port
        }
        owners.append([:])
        states.append(.opening)
        return owners.count - 1
    }

    mutating func opened(_ port: Int) { states[port] = .open }

    /// It could not be opened, so nobody has an address there.
    mutating func failed(_ port: Int) {
        states[port] = .failed
        owners[port] = [:]
    }

    /// The first open socket on which these addresses are nobody else's; nil if another one is
    /// needed.
    func port(for addresses: [TransportAddress], of connection: StreamConnectionID) -> Int? {
        owners.indices.first { port in
            let owners = owners[port]
            return states[port] == .open
                && addresses.allSatisfy { owners[$0] == nil || owners[$0] == connection }
        }
    }

    /// - Returns: false if the address is another connection's on this socket, or one too many.
    @discardableResult
    mutating func claim(
        _ address: TransportAddress, on port: Int, for connection: StreamConnectionID
    ) -> Bool {
        guard owners.indices.contains(port), states[port] != .failed else { return false }
        if let owner = owners[port][address] { return owner == connection }
        guard owners[port].count(where: { $0.value == connection }) < Self.addressesMaximum else {
            return false
        }
        owners[port][address] = connection
        return true
    }

    func owner(of address: TransportAddress, on port: Int) -> StreamConnectionID? {
        owners.indices.contains(port) ? owners[port][address] : nil
    }

    mutating func release(_ connection: StreamConnectionID) {
        for port in owners.indices {
            owners[port] = owners[port].filter { $0.value != connection }
        }
    }
}
