import MediaKernel
import Testing

@testable import ICE

/// The addresses to which a lite agent sends, and for how long.
@Suite struct ConsentTests {
    /// A lite agent that knows its client's description, and its sent checks.
    private struct Server {
        var agent = Network.agent(.lite, Network.serverCredentials)
        var now = Instant.zero
        private let authenticator = TestAuthenticator()
        private var checks: [(message: STUNMessage, to: TransportAddress, at: Instant)] = []
        var checksSent: Int { checks.count }
        private(set) var bytesSent: [TransportAddress: Int] = [:]
        private(set) var bytesReceived: [TransportAddress: Int] = [:]

        init() { agent.setRemote(Network.clientCredentials, at: now) }

        mutating func checked(from source: TransportAddress, nominates: Bool = true) throws {
            let transaction = try #require(STUNTransactionID([UInt8](repeating: 1, count: 12)))
            var attributes: [STUNAttribute] = [
                .username("serv:clie"), .priority(1), .iceControlling(1),
            ]
            if nominates { attributes.append(.useCandidate) }
            try give(
                STUNMessage(.request, transaction: transaction, attributes: attributes),
                password: Network.serverCredentials.password, from: source)
        }

        /// Answers the latest check sent to that address.
        mutating func answered(
            from source: TransportAddress, elsewhere: TransportAddress? = nil,
            password: String = Network.clientCredentials.password
        ) throws {
            let check = try #require(checks.last { $0.to == source })
            try give(
                STUNMessage(.success, transaction: check.message.transaction),
                password: password, from: elsewhere ?? source)
        }

        private mutating func give(
            _ message: STUNMessage, password: String, from source: TransportAddress
        ) throws {
            let datagram = message.serialized(password: password, by: authenticator)
            bytesReceived[source, default: 0] += datagram.count
            defer { drain() }
            try agent.handle(datagram, from: source, at: now)
        }

        mutating func heard(from source: TransportAddress) {
            agent.heard(from: source, at: now)
            drain()
        }

        mutating func pass(_ duration: Duration) { pass(duration) { _ in } }

        /// - Parameter interval: the interval of the action.
        mutating func pass(
            _ duration: Duration, every interval: Duration = .milliseconds(100),
            _ body: (inout Server) throws -> Void
        ) rethrows {
            let end = now + duration
            while now < end {
                now += interval
                agent.handleTimeout(at: now)
                if let deadline = agent.nextDeadline { precondition(deadline > now) }
                drain()
                try body(&self)
            }
        }

        private mutating func drain() {
            while let output = agent.poll() {
                guard case .transmit(let bytes, let address) = output else { continue }
                bytesSent[address, default: 0] += bytes.count
                guard let message = try? STUNMessage(parsing: bytes), message.class == .request
                else { continue }
                checks.append((message, address, now))
            }
        }

        func checkTimes(to address: TransportAddress) -> [Instant] {
            checks.filter { $0.to == address }.map(\.at)
        }

        func lastCheck(to address: TransportAddress) -> STUNMessage? {
            checks.last { $0.to == address }?.message
        }
    }

    private let home = TransportAddress(ipv4: 192, 0, 2, 10, port: 40_000)
    private let away = TransportAddress(ipv4: 198, 51, 100, 7, port: 41_000)

    /// A client that has answered from home.
    private func connected() throws -> Server {
        var server = Server()
        try server.checked(from: home)
        try server.answered(from: home)
        #expect(server.agent.hasConsent)
        return server
    }

    @Test func mediaAloneKeepsAPathAlive() throws {
        var server = Server()
        try server.checked(from: home)
        // libnice sends no checks once it is connected, and here it answers none.
        server.pass(.seconds(300)) { $0.heard(from: home) }
        #expect(server.agent.state == .connected)
        #expect(server.agent.selected == home)
        server.pass(.seconds(31))
        #expect(server.agent.state == .failed)
        // A client that was silent for that long does not know that it was given up.
        server.heard(from: home)
        #expect(server.agent.state == .connected)
        #expect(server.agent.selected == home)
    }

    @Test func answersToOurChecksKeepASilentPathAlive() throws {
        var server = try connected()
        try server.pass(.seconds(300)) { server in
            if server.checkTimes(to: home).last == server.now { try server.answered(from: home) }
        }
        #expect(server.agent.state == .connected)
        #expect(server.agent.hasConsent)
        let times = server.checkTimes(to: home)
        #expect((50...80).contains(times.count))
    }

    @Test func anIndicationKeepsAPathAliveAndProvesNothing() throws {
        var server = Server()
        try server.checked(from: home)
        let transaction = try #require(STUNTransactionID(Array(1...12)))
        let indication = STUNMessage(.indication, transaction: transaction)
            .serialized(password: nil, by: TestAuthenticator())
        try server.pass(.seconds(60), every: .seconds(5)) { server in
            let isAuthentic = try server.agent.handle(indication, from: home, at: server.now)
            #expect(!isAuthentic)
        }
        #expect(server.agent.state == .connected)
        #expect(!server.agent.hasConsent)
    }

    @Test func consentLastsThirtySecondsWhateverComes() throws {
        var server = try connected()
        try server.pass(.seconds(29)) { server in
            server.heard(from: home)
            try server.checked(from: home)
        }
        #expect(server.agent.hasConsent)
        try server.pass(.seconds(2)) { server in
            server.heard(from: home)
            try server.checked(from: home)
        }
        #expect(!server.agent.hasConsent)
        #expect(server.agent.state == .connected)
        // The check is repeated, but rarely.
        let before = server.checkTimes(to: home).count
        server.pass(.seconds(60)) { $0.heard(from: home) }
        #expect((10...20).contains(server.checkTimes(to: home).count - before))
        try server.answered(from: home)
        #expect(server.agent.hasConsent)
    }

    @Test func anAddressIsSentToOnceItIsProven() throws {
        var server = try connected()
        try server.checked(from: away)
        #expect(server.agent.selected == home)
        #expect(!server.agent.isProven(away))
        let check = try #require(server.lastCheck(to: away))
        #expect(check.username == "clie:serv")
        #expect(check.controlledTieBreaker != nil)
        #expect(
            check.isAuthentic(
                password: Network.clientCredentials.password, by: TestAuthenticator()))
        // Neither an answer from another client nor one from another address counts.
        #expect(throws: ICEError.wrongPassword) {
            try server.answered(from: away, password: "the-password-of-another")
        }
        #expect(throws: ICEError.unexpectedResponse) {
            try server.answered(from: away, elsewhere: home)
        }
        #expect(server.agent.selected == home)
        try server.answered(from: away)
        #expect(server.agent.selected == away)
        #expect(server.agent.hasConsent)
    }

    @Test func ofOneWhoMovesMediaIsTakenForASignOnceTheOldPathIsSilent() throws {
        var server = try connected()
        try server.checked(from: away)
        server.heard(from: away)
        #expect(server.agent.selected == home)
        server.pass(.seconds(1))
        server.heard(from: away)
        #expect(server.agent.selected == away)
        #expect(!server.agent.hasConsent)
        #expect(server.agent.state == .connected)
    }

    @Test func theUnprovenAddressIsForgotten() throws {
        var server = try connected()
        try server.checked(from: away)
        #expect(server.agent.isKnown(away))
        server.pass(.seconds(31)) { $0.heard(from: home) }
        #expect(!server.agent.isKnown(away))
        #expect(server.agent.selected == home)
    }

    @Test(arguments: [0, 1, 10])
    func aStrangerGetsNoMoreThanThreeTimesWhatCameInItsName(more: Int) throws {
        for isFirst in [true, false] {
            var server = isFirst ? Server() : try connected()
            try server.checked(from: away)
            for _ in 0..<more { try server.checked(from: away) }
            server.pass(.seconds(120)) { $0.heard(from: home) }
            let sent = try #require(server.bytesSent[away])
            let received = try #require(server.bytesReceived[away])
            #expect(sent <= 3 * received)
        }
    }

    @Test func mediaToAnUnprovenAddressIsBounded() throws {
        var server = Server()
        try server.checked(from: home)
        let before = try #require(server.bytesSent[home])
        let received = try #require(server.bytesReceived[home])
        var spent = 0
        func spend(_ bytes: Int) -> Bool { server.agent.spend(bytes: bytes) }
        while spend(50), spent < 1_000_000 { spent += 50 }
        #expect(before + spent <= 3 * received)
        server.agent.received(bytes: 1000, from: home)
        #expect(spend(2950))
        #expect(!spend(3000))
        try server.answered(from: home)
        for _ in 0..<1000 { #expect(spend(1200)) }
    }

    /// Reports and data are sent to an address as soon as that is allowed, and the first check was
    /// lost.
    @Test func whatElseGoesThereTakesNoChecksPlace() throws {
        var server = Server()
        try server.checked(from: home)
        let before = server.checksSent
        try server.pass(.seconds(12), every: .milliseconds(500)) { server in
            try server.checked(from: home)
            while server.agent.spend(bytes: 50) {}
        }
        #expect(server.checksSent >= before + 3)
        try server.answered(from: home)
        #expect(server.agent.hasConsent)
    }

    @Test func aConnectionOverTCPIsProofAtFirst() throws {
        var server = Server()
        try server.checked(from: home.over(.tcp))
        #expect(server.agent.hasConsent)
        server.pass(.seconds(31)) { $0.heard(from: home.over(.tcp)) }
        #expect(!server.agent.hasConsent)
    }

    @Test func aCheckAheadOfTheDescriptionIsReturnedWithIt() throws {
        var server = Server()
        server.agent = Network.agent(.lite, Network.serverCredentials)
        try server.checked(from: home)
        #expect(server.lastCheck(to: home) == nil)
        server.agent.setRemote(Network.clientCredentials, at: server.now)
        server.pass(.milliseconds(100))
        #expect(server.lastCheck(to: home)?.username == "clie:serv")
    }
}
