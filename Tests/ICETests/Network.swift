import ICE
import MediaKernel

/// Two agents on a simulated wire with fake time: a fixed delay, seeded loss, addresses that can
/// go dark or change.
struct Network {
    struct Host {
        var agent: ICEAgent
        /// Its addresses; the first of the destination's family is the source.
        var addresses: [TransportAddress]
        /// Its outputs, in order, with the time.
        var events: [(at: Instant, output: ICEAgent.Output)] = []
        var errors: [ICEError] = []
        var sentCount = 0
        /// Our address that a peer last reached: answers leave from there.
        var reachedAt: [TransportAddress: TransportAddress] = [:]

        func source(towards destination: TransportAddress) -> TransportAddress? {
            if let address = reachedAt[destination], addresses.contains(address) { return address }
            return addresses.first { $0.isIPv6 == destination.isIPv6 }
        }
    }

    private struct Datagram {
        let arrival: Instant
        let bytes: [UInt8]
        let source: TransportAddress
        let destination: TransportAddress
    }

    private(set) var now = Instant.zero
    var hosts: [Host]
    var delay: Duration = .milliseconds(10)
    /// 0…1.
    var loss = 0.0
    /// No datagrams are delivered to these.
    var darkAddresses: Set<TransportAddress> = []
    private(set) var destinations: Set<TransportAddress> = []
    private var random: SeededRandom
    private var inFlight: [Datagram] = []

    init(_ hosts: [Host], seed: UInt64 = 1) {
        self.hosts = hosts
        random = SeededRandom(seed: seed)
    }

    /// Lets time pass, processing all due events.
    mutating func run(for duration: Duration, until isDone: (Network) -> Bool = { _ in false }) {
        let end = now + duration
        var steps = 0
        drain()
        while !isDone(self) {
            steps += 1
            precondition(steps < 100_000, "the simulation does not come to rest")
            let deadlines =
                inFlight.map { $0.arrival } + hosts.compactMap { $0.agent.nextDeadline }
            guard let next = deadlines.min(), next <= end else { break }
            now = max(now, next)
            for index in hosts.indices {
                hosts[index].agent.handleTimeout(at: now)
                if let deadline = hosts[index].agent.nextDeadline {
                    precondition(deadline > now, "a deadline stays due")
                }
            }
            deliver()
            drain()
        }
        if !isDone(self) { now = end }
    }

    private mutating func deliver() {
        let due = inFlight.filter { $0.arrival <= now }
        inFlight.removeAll { $0.arrival <= now }
        for datagram in due {
            guard !darkAddresses.contains(datagram.destination),
                let index = hosts.firstIndex(where: {
                    $0.addresses.contains(datagram.destination)
                })
            else { continue }
            hosts[index].reachedAt[datagram.source] = datagram.destination
            inject(datagram.bytes, from: datagram.source, into: index)
        }
    }

    /// Passes a datagram to an agent as if it came from `source`.
    mutating func inject(_ bytes: [UInt8], from source: TransportAddress, into index: Int) {
        do {
            try hosts[index].agent.handle(bytes, from: source, at: now)
        } catch {
            hosts[index].errors.append(error)
        }
    }

    mutating func drain() {
        for index in hosts.indices {
            while let output = hosts[index].agent.poll() {
                switch output {
                case .transmit(let bytes, let destination): send(bytes, to: destination, index)
                case .selected, .state: hosts[index].events.append((now, output))
                }
            }
        }
    }

    private mutating func send(_ bytes: [UInt8], to destination: TransportAddress, _ index: Int) {
        hosts[index].sentCount += 1
        destinations.insert(destination)
        guard let source = hosts[index].source(towards: destination),
            Double.random(in: 0..<1, using: &random) >= loss
        else { return }
        inFlight.append(
            Datagram(
                arrival: now + delay, bytes: bytes, source: source, destination: destination))
    }
}

extension Network {
    static let clientAddress = TransportAddress(ipv4: 192, 0, 2, 10, port: 40_000)
    static let serverAddress = TransportAddress(ipv4: 192, 0, 2, 1, port: 50_000)
    static let clientCredentials = ICECredentials(
        usernameFragment: "clie", password: "client-password-22-chars")
    static let serverCredentials = ICECredentials(
        usernameFragment: "serv", password: "server-password-22-chars")

    static func agent(
        _ mode: ICEAgent.Mode, _ credentials: ICECredentials, tieBreaker: UInt64 = 7,
        seed: UInt64 = 42
    ) -> ICEAgent {
        ICEAgent(
            mode: mode, local: credentials, authenticator: TestAuthenticator(),
            tieBreaker: tieBreaker, seed: seed)
    }

    /// A controlling client (0) and a lite server (1) that know each other's descriptions.
    static func clientAndServer(
        seed: UInt64 = 1, passwordTheClientKnows: String = serverCredentials.password
    ) -> Network {
        var client = agent(.full(controlling: true), clientCredentials, seed: seed)
        client.addLocalCandidate(.host(clientAddress))
        var server = agent(.lite, serverCredentials)
        server.addLocalCandidate(.host(serverAddress))
        var network = Network(
            [
                Host(agent: client, addresses: [clientAddress]),
                Host(agent: server, addresses: [serverAddress]),
            ], seed: seed)
        let known = ICECredentials(
            usernameFragment: serverCredentials.usernameFragment,
            password: passwordTheClientKnows)
        network.hosts[0].agent.setRemote(known, at: network.now)
        network.hosts[1].agent.setRemote(clientCredentials, at: network.now)
        network.hosts[0].agent.addRemoteCandidate(.host(serverAddress), at: network.now)
        return network
    }

    var elapsed: Duration { now - Instant.zero }
    var bothConnected: Bool { hosts.allSatisfy { $0.agent.state == .connected } }

    func states(_ index: Int) -> [ICEState] {
        hosts[index].events.compactMap {
            if case .state(let state) = $0.output { state } else { nil }
        }
    }

    func selections(_ index: Int) -> [TransportAddress] {
        hosts[index].events.compactMap {
            if case .selected(let address) = $0.output { address } else { nil }
        }
    }
}
