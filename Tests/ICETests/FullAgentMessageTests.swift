import MediaKernel
import Testing

@testable import ICE

/// The full agent, driven by hand-made requests and responses.
@Suite struct FullAgentMessageTests {
    private let authenticator = TestAuthenticator()
    private let stranger = TransportAddress(ipv4: 203, 0, 113, 5, port: 5)

    private func agent(controlling: Bool) -> ICEAgent {
        var agent = Network.agent(.full(controlling: controlling), Network.clientCredentials)
        agent.addLocalCandidate(.host(Network.clientAddress))
        return agent
    }

    /// All messages sent so far.
    private func sent(
        by agent: inout ICEAgent
    ) throws -> [(message: STUNMessage, address: TransportAddress)] {
        var sent: [(STUNMessage, TransportAddress)] = []
        while let output = agent.poll() {
            if case .transmit(let bytes, let address) = output {
                sent.append((try STUNMessage(parsing: bytes), address))
            }
        }
        return sent
    }

    private func serialized(_ message: STUNMessage, password: String) -> [UInt8] {
        message.serialized(password: password, by: authenticator)
    }

    private func nomination(for credentials: ICECredentials) throws -> [UInt8] {
        let request = STUNMessage(
            .request, transaction: try #require(STUNTransactionID(Array(1...12))),
            attributes: [
                .username("\(credentials.usernameFragment):serv"), .priority(1),
                .iceControlling(9), .useCandidate,
            ])
        return serialized(request, password: credentials.password)
    }

    @Test func aCheckCarriesWhatRFC8445AsksFor() throws {
        var agent = agent(controlling: true)
        agent.setRemote(Network.serverCredentials, at: .zero)
        agent.addRemoteCandidate(.host(Network.serverAddress), at: .zero)
        let (check, address) = try #require(try sent(by: &agent).first)
        #expect(address == Network.serverAddress)
        #expect(check.class == .request)
        #expect(check.username == "serv:clie")
        #expect(check.controllingTieBreaker == 7)
        #expect(check.controlledTieBreaker == nil)
        // Peer-reflexive type preference, the local preference of the host candidate.
        let expected: UInt32 = 110 << 24 | 0xFFFF << 8 | 255
        #expect(check.priority == expected)
        #expect(!check.usesCandidate)
        #expect(
            check.isAuthentic(password: Network.serverCredentials.password, by: authenticator))
    }

    @Test func aDeniedRoleIsGivenUpWithAFreshTieBreaker() throws {
        var agent = agent(controlling: true)
        agent.setRemote(Network.serverCredentials, at: .zero)
        agent.addRemoteCandidate(.host(Network.serverAddress), at: .zero)
        let check = try #require(try sent(by: &agent).first).message
        let denial = STUNMessage(
            .error, transaction: check.transaction,
            attributes: [.errorCode(487, reason: "Role Conflict")])
        // Without the password, a sender cannot make the agent change its role.
        #expect(throws: ICEError.missingCredentials) {
            try agent.handle(
                denial.serialized(password: nil, by: authenticator),
                from: Network.serverAddress, at: .zero)
        }
        #expect(agent.isControlling)
        try agent.handle(
            serialized(denial, password: Network.serverCredentials.password),
            from: Network.serverAddress, at: .zero)
        #expect(!agent.isControlling)
        agent.handleTimeout(at: .zero + ICETiming.pacing)
        let again = try #require(try sent(by: &agent).last).message
        let tieBreaker = try #require(again.controlledTieBreaker)
        #expect(tieBreaker != 7)
        #expect(again.controllingTieBreaker == nil)
        #expect(again.transaction != check.transaction)
    }

    @Test func anotherErrorFailsThePairUntilItHasRested() throws {
        var agent = agent(controlling: true)
        agent.setRemote(Network.serverCredentials, at: .zero)
        agent.addRemoteCandidate(.host(Network.serverAddress), at: .zero)
        let check = try #require(try sent(by: &agent).first).message
        let refusal = STUNMessage(
            .error, transaction: check.transaction,
            attributes: [.errorCode(500, reason: "Server Error")])
        try agent.handle(
            serialized(refusal, password: Network.serverCredentials.password),
            from: Network.serverAddress, at: .zero)
        let rested = Instant.zero + ICETiming.failedPairRest
        #expect(agent.nextDeadline == rested)
        agent.handleTimeout(at: rested)
        #expect(try sent(by: &agent).count == 1)
    }

    @Test func candidatesTrickledAheadOfTheDescriptionAreSortedOutByItsFragment() throws {
        var agent = agent(controlling: true)
        let old = try ICECandidate(
            parsing: "candidate:1 1 udp 99 198.51.100.4 9 typ host ufrag gone")
        let current = try ICECandidate(
            parsing: "candidate:1 1 udp 98 198.51.100.5 9 typ host ufrag serv")
        agent.addRemoteCandidate(old, at: .zero)
        agent.addRemoteCandidate(current, at: .zero)
        #expect(try sent(by: &agent).isEmpty)
        agent.setRemote(Network.serverCredentials, at: .zero)
        agent.handleTimeout(at: .zero + ICETiming.pacing)
        let destinations = try sent(by: &agent).map { $0.address }
        #expect(Set(destinations) == [current.address])
    }

    @Test func aRequestWithTheCredentialsOfBeforeARestartTeachesNothing() throws {
        var agent = agent(controlling: false)
        agent.setRemote(Network.serverCredentials, at: .zero)
        let new = ICECredentials(usernameFragment: "next", password: "the-next-password-is-22")
        agent.restart(local: new, at: .zero)
        _ = try sent(by: &agent)
        try agent.handle(
            nomination(for: Network.clientCredentials), from: stranger, at: .zero)
        #expect(try sent(by: &agent).map { $0.message.class } == [.success])
        agent.setRemote(
            ICECredentials(usernameFragment: "serv2", password: "the-other-password-is-22"),
            at: .zero)
        agent.handleTimeout(at: .zero + .seconds(1))
        #expect(try sent(by: &agent).isEmpty)
        // With the new ones the same request turns its source into a candidate.
        try agent.handle(nomination(for: new), from: stranger, at: .zero + .seconds(2))
        #expect(try sent(by: &agent).map { $0.message.class } == [.success, .request])
    }

    @Test func aSecondNominationMovesAControlledAgent() throws {
        var agent = agent(controlling: false)
        agent.setRemote(Network.serverCredentials, at: .zero)
        var now = Instant.zero
        for source in [Network.serverAddress, stranger] {
            now += .seconds(1)
            try agent.handle(nomination(for: Network.clientCredentials), from: source, at: now)
            let check = try #require(
                try sent(by: &agent).last { $0.message.class == .request && $0.address == source }
            ).message
            #expect(agent.selected != source)
            let response = STUNMessage(.success, transaction: check.transaction)
            try agent.handle(
                serialized(response, password: Network.serverCredentials.password),
                from: source, at: now)
            #expect(agent.selected == source)
        }
        #expect(agent.state == .connected)
    }

    @Test func aRequestHurriesOurOwnFirstCheckOnceOnly() throws {
        var agent = agent(controlling: false)
        agent.setRemote(Network.serverCredentials, at: .zero)
        agent.addRemoteCandidate(.host(Network.serverAddress), at: .zero)
        _ = try sent(by: &agent)
        let request = try nomination(for: Network.clientCredentials)
        let soon = Instant.zero + .milliseconds(10)
        for expected in [2, 1, 1] {
            try agent.handle(request, from: Network.serverAddress, at: soon)
            #expect(try sent(by: &agent).count == expected)
        }
    }
}
