import MediaKernel
import Testing

@testable import ICE

/// Two full agents, as between browsers, and a full agent with unusual input.
@Suite struct FullAgentTests {
    private static func pair(
        controlling: (Bool, Bool) = (true, false), tieBreakers: (UInt64, UInt64) = (1, 2)
    ) -> Network {
        var one = Network.agent(
            .full(controlling: controlling.0), Network.clientCredentials,
            tieBreaker: tieBreakers.0, seed: 1)
        var two = Network.agent(
            .full(controlling: controlling.1), Network.serverCredentials,
            tieBreaker: tieBreakers.1, seed: 2)
        one.addLocalCandidate(.host(Network.clientAddress))
        two.addLocalCandidate(.host(Network.serverAddress))
        return Network([
            Network.Host(agent: one, addresses: [Network.clientAddress]),
            Network.Host(agent: two, addresses: [Network.serverAddress]),
        ])
    }

    private static func describe(
        _ network: inout Network, candidates: (Bool, Bool) = (true, true)
    ) {
        let now = network.now
        network.hosts[0].agent.setRemote(Network.serverCredentials, at: now)
        network.hosts[1].agent.setRemote(Network.clientCredentials, at: now)
        if candidates.0 {
            network.hosts[0].agent.addRemoteCandidate(.host(Network.serverAddress), at: now)
        }
        if candidates.1 {
            network.hosts[1].agent.addRemoteCandidate(.host(Network.clientAddress), at: now)
        }
    }

    @Test func theyAgreeOnOnePath() {
        var network = Self.pair()
        Self.describe(&network)
        network.run(for: .seconds(1)) { $0.bothConnected }
        #expect(network.bothConnected)
        #expect(network.elapsed <= .milliseconds(200))
        #expect(network.hosts[0].agent.isControlling)
        #expect(!network.hosts[1].agent.isControlling)
    }

    @Test(arguments: [true, false], [(1, 2), (2, 1)] as [(UInt64, UInt64)])
    func aRoleConflictIsSettledByTheTieBreaker(bothLead: Bool, tieBreakers: (UInt64, UInt64)) {
        var network = Self.pair(
            controlling: (bothLead, bothLead), tieBreakers: tieBreakers)
        Self.describe(&network)
        network.run(for: .seconds(3)) { $0.bothConnected }
        #expect(network.bothConnected)
        let leads = network.hosts.map { $0.agent.isControlling }
        let firstLeads = tieBreakers.0 > tieBreakers.1
        #expect(leads == [firstLeads, !firstLeads])
    }

    @Test func anUnannouncedPeerIsLearnedFromItsChecks() {
        var network = Self.pair()
        // The controlling side knows none of the other's candidates.
        Self.describe(&network, candidates: (false, true))
        network.run(for: .seconds(1)) { $0.bothConnected }
        #expect(network.bothConnected)
        #expect(network.hosts[0].agent.selected == Network.serverAddress)
    }

    @Test func checksBeforeTheDescriptionAreAnsweredAndUsedLater() {
        var network = Self.pair()
        network.hosts[0].agent.setRemote(Network.serverCredentials, at: network.now)
        network.hosts[0].agent.addRemoteCandidate(.host(Network.serverAddress), at: network.now)
        network.run(for: .seconds(2))
        #expect(network.hosts[0].agent.state == .connected)
        #expect(network.hosts[1].agent.state == .new)
        network.hosts[1].agent.setRemote(Network.clientCredentials, at: network.now)
        network.run(for: .seconds(1)) { $0.bothConnected }
        #expect(network.bothConnected)
        #expect(network.hosts[1].agent.selected == Network.clientAddress)
    }

    @Test func theBetterOfTwoWorkingPathsIsNominated() {
        let loopback = TransportAddress(ipv4: 127, 0, 0, 1, port: 50_000)
        var network = Self.pair()
        network.hosts[1].addresses.append(loopback)
        let now = network.now
        network.hosts[0].agent.setRemote(Network.serverCredentials, at: now)
        network.hosts[1].agent.setRemote(Network.clientCredentials, at: now)
        network.hosts[0].agent.addRemoteCandidate(.host(loopback), at: now)
        network.hosts[0].agent.addRemoteCandidate(.host(Network.serverAddress), at: now)
        network.run(for: .seconds(1)) { $0.bothConnected }
        #expect(network.hosts[0].agent.selected == Network.serverAddress)
    }

    @Test func deadCandidatesAboveTheLiveOneCostNoSeconds() {
        var network = Network.clientAndServer()
        var client = Network.agent(.full(controlling: true), Network.clientCredentials)
        client.addLocalCandidate(.host(Network.clientAddress))
        client.setRemote(Network.serverCredentials, at: .zero)
        for last in 1...5 as ClosedRange<UInt8> {
            client.addRemoteCandidate(
                .host(TransportAddress(ipv4: 198, 51, 100, last, port: 9)), at: .zero)
        }
        client.addRemoteCandidate(
            .host(Network.serverAddress, preference: 5), at: .zero)
        network.hosts[0].agent = client
        network.run(for: .seconds(2)) { $0.bothConnected }
        #expect(network.bothConnected)
        // Five dead ones are paced ahead of it, then two round trips and the patience.
        #expect(network.elapsed <= .milliseconds(400))
    }

    @Test func candidatesThatCannotWorkAreNeverSentTo() throws {
        var network = Network.clientAndServer()
        let ipv6 = try #require(TransportAddress("2001:db8::1", port: 9))
        let tcp = try ICECandidate(
            parsing: "candidate:1 1 tcp 99 198.51.100.1 9 typ host tcptype passive")
        let secondComponent = try ICECandidate(
            parsing: "candidate:1 2 udp 99 198.51.100.2 9 typ host")
        let portless = try ICECandidate(parsing: "candidate:1 1 udp 99 198.51.100.3 0 typ host")
        let foreign = try ICECandidate(
            parsing: "candidate:1 1 udp 99 198.51.100.4 9 typ host ufrag gone")
        for candidate in [.host(ipv6), tcp, secondComponent, portless, foreign] {
            network.hosts[0].agent.addRemoteCandidate(candidate, at: network.now)
        }
        network.run(for: .seconds(60))
        #expect(network.destinations == [Network.clientAddress, Network.serverAddress])
    }

    @Test func remoteCandidatesBeyondTheMaximumAreIgnored() {
        var agent = Network.agent(.full(controlling: true), Network.clientCredentials)
        agent.addLocalCandidate(.host(Network.clientAddress))
        agent.setRemote(Network.serverCredentials, at: .zero)
        for port in 1...500 as ClosedRange<UInt16> {
            agent.addRemoteCandidate(
                .host(TransportAddress(ipv4: 198, 51, 100, 1, port: port)), at: .zero)
        }
        var destinations: Set<TransportAddress> = []
        var now = Instant.zero
        while let deadline = agent.nextDeadline, deadline < .zero + .seconds(20) {
            now = deadline
            agent.handleTimeout(at: now)
            while let output = agent.poll() {
                if case .transmit(_, let address) = output { destinations.insert(address) }
            }
        }
        #expect(destinations.count == ICELimits.remoteCandidatesMaximum)
    }

    @Test func checksKeepThePace() {
        var agent = Network.agent(.full(controlling: true), Network.clientCredentials)
        agent.addLocalCandidate(.host(Network.clientAddress))
        agent.setRemote(Network.serverCredentials, at: .zero)
        for port in 1...10 as ClosedRange<UInt16> {
            agent.addRemoteCandidate(
                .host(TransportAddress(ipv4: 198, 51, 100, 1, port: port)), at: .zero)
        }
        var firstSent: [TransportAddress: Instant] = [:]
        var now = Instant.zero
        while now < .zero + .seconds(1) {
            while let output = agent.poll() {
                if case .transmit(_, let address) = output, firstSent[address] == nil {
                    firstSent[address] = now
                }
            }
            guard let deadline = agent.nextDeadline else { break }
            now = deadline
            agent.handleTimeout(at: now)
        }
        let times = firstSent.values.sorted()
        #expect(times.count == 10)
        let distances = zip(times, times.dropFirst()).map { pair in pair.1 - pair.0 }
        #expect(distances.allSatisfy { $0 >= ICETiming.pacing })
    }

    @Test func aResponseFromElsewhereOrWithAForgedPasswordDoesNotCount() throws {
        for forged in [true, false] {
            var agent = Network.agent(.full(controlling: true), Network.clientCredentials)
            agent.addLocalCandidate(.host(Network.clientAddress))
            agent.setRemote(Network.serverCredentials, at: .zero)
            agent.addRemoteCandidate(.host(Network.serverAddress), at: .zero)
            var request: STUNMessage?
            while let output = agent.poll() {
                if case .transmit(let bytes, _) = output {
                    request = try STUNMessage(parsing: bytes)
                }
            }
            let transaction = try #require(request).transaction
            let password = forged ? "forged" : Network.serverCredentials.password
            let response = STUNMessage(.success, transaction: transaction)
                .serialized(password: password, by: TestAuthenticator())
            let source =
                forged
                ? Network.serverAddress : TransportAddress(ipv4: 203, 0, 113, 9, port: 9)
            let expected: ICEError = forged ? .wrongPassword : .unexpectedResponse
            #expect(throws: expected) {
                try agent.handle(response, from: source, at: .zero + .milliseconds(1))
            }
            #expect(agent.selected == nil)
            // Once more, whether the transaction has ended or is still pending.
            #expect(throws: expected) {
                try agent.handle(response, from: source, at: .zero + .milliseconds(2))
            }
        }
    }

    @Test func aControlledAgentWaitsForTheNomination() throws {
        var agent = Network.agent(.full(controlling: false), Network.clientCredentials)
        agent.addLocalCandidate(.host(Network.clientAddress))
        agent.setRemote(Network.serverCredentials, at: .zero)
        agent.addRemoteCandidate(.host(Network.serverAddress), at: .zero)
        let authenticator = TestAuthenticator()
        var now = Instant.zero
        // The other side answers every check but nominates none.
        while let deadline = agent.nextDeadline, deadline < .zero + .seconds(5) {
            while let output = agent.poll() {
                guard case .transmit(let bytes, let address) = output else { continue }
                let request = try STUNMessage(parsing: bytes)
                #expect(!request.usesCandidate)
                let response = STUNMessage(.success, transaction: request.transaction)
                try agent.handle(
                    response.serialized(
                        password: Network.serverCredentials.password, by: authenticator),
                    from: address, at: now)
            }
            guard let deadline = agent.nextDeadline, deadline < .zero + .seconds(5) else { break }
            now = deadline
            agent.handleTimeout(at: now)
        }
        #expect(agent.state == .checking)
        let nomination = STUNMessage(
            .request, transaction: try #require(STUNTransactionID(Array(1...12))),
            attributes: [.username("clie:serv"), .iceControlling(1), .useCandidate])
        try agent.handle(
            nomination.serialized(
                password: Network.clientCredentials.password, by: authenticator),
            from: Network.serverAddress, at: now)
        #expect(agent.state == .connected)
        #expect(agent.selected == Network.serverAddress)
    }

    @Test func garbageDuringALiveConnectionChangesNothing() {
        var network = Network.clientAndServer()
        network.run(for: .seconds(1))
        var random = SeededRandom(seed: 3)
        let stranger = TransportAddress(ipv4: 203, 0, 113, 66, port: 6)
        for round in 0..<2000 {
            var bytes = (0..<Int.random(in: 0...120, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            if bytes.count >= 20, round % 2 == 0 {
                bytes.replaceSubrange(
                    0..<8,
                    with: [
                        UInt8(round % 4 / 2), UInt8.random(in: 0...0x11, using: &random),
                        0, UInt8((bytes.count - 20) & 0xFC), 0x21, 0x12, 0xA4, 0x42,
                    ])
                bytes.removeLast((bytes.count - 20) % 4)
            }
            network.inject(bytes, from: stranger, into: round % 2)
            network.drain()
        }
        #expect(!network.destinations.contains(stranger))
        #expect(network.bothConnected)
        #expect(network.selections(0).count == 1)
    }
}
