import MediaKernel
import Testing

@testable import ICE

/// The server's agent, driven by hand-made checks.
@Suite struct LiteAgentTests {
    private let authenticator = TestAuthenticator()
    private let first = TransportAddress(ipv4: 192, 0, 2, 10, port: 40_000)
    private let second = TransportAddress("2001:db8::7", port: 40_001)

    private func agent() -> ICEAgent { Network.agent(.lite, Network.serverCredentials) }

    private func check(
        _ number: UInt8 = 1, nominates: Bool = false, username: String = "serv:clie",
        password: String = Network.serverCredentials.password,
        role: STUNAttribute = .iceControlling(1), adding extra: [STUNAttribute] = []
    ) throws -> [UInt8] {
        let transaction = try #require(STUNTransactionID([UInt8](repeating: number, count: 12)))
        var attributes: [STUNAttribute] = [.username(username), .priority(1), role] + extra
        if nominates { attributes.append(.useCandidate) }
        return STUNMessage(.request, transaction: transaction, attributes: attributes)
            .serialized(password: password, by: authenticator)
    }

    private func outputs(_ agent: inout ICEAgent) -> [ICEAgent.Output] {
        var outputs: [ICEAgent.Output] = []
        while let output = agent.poll() { outputs.append(output) }
        return outputs
    }

    private func responses(_ outputs: [ICEAgent.Output]) throws -> [STUNMessage] {
        try outputs.compactMap {
            guard case .transmit(let bytes, _) = $0 else { return nil }
            return try STUNMessage(parsing: bytes)
        }
    }

    @Test func aCheckIsAnsweredBeforeAnyRemoteDescription() throws {
        var agent = agent()
        #expect(agent.state == .new)
        try agent.handle(check(9), from: first, at: .zero)
        let outputs = outputs(&agent)
        #expect(outputs.prefix(2) == [.selected(first), .state(.connected)])
        let response = try #require(try responses(outputs).first)
        #expect(response.class == .success)
        #expect(response.transaction.bytes == [UInt8](repeating: 9, count: 12))
        #expect(response.mappedAddress == first)
        #expect(
            response.isAuthentic(
                password: Network.serverCredentials.password, by: authenticator))
    }

    @Test func theRemoteHalfOfTheUsernameDoesNotMatter() throws {
        var agent = agent()
        try agent.handle(check(username: "serv:"), from: first, at: .zero)
        #expect(agent.state == .connected)
    }

    @Test func nothingIsSentToWhoeverProvesNothing() throws {
        var agent = agent()
        let integrityMissing = STUNMessage(
            .request, transaction: try #require(STUNTransactionID(Array(1...12))),
            attributes: [.username("serv:clie")]
        ).serialized(password: nil, by: authenticator)
        let cases: [([UInt8], ICEError)] = [
            (try check(password: "wrong"), .wrongPassword),
            (try check(username: "other:clie"), .unknownUsername),
            (try check(username: "serv"), .unknownUsername),
            (integrityMissing, .missingCredentials),
        ]
        for (datagram, error) in cases {
            #expect(throws: error) { try agent.handle(datagram, from: first, at: .zero) }
        }
        #expect(outputs(&agent).isEmpty)
        #expect(agent.selected == nil)
    }

    @Test func theFirstValidCheckCarriesMediaUntilAnotherIsNominated() throws {
        let second = try #require(second)
        var agent = agent()
        try agent.handle(check(), from: first, at: .zero)
        try agent.handle(check(), from: second, at: .zero)
        #expect(agent.selected == first)
        try agent.handle(check(nominates: true), from: second, at: .zero)
        #expect(agent.selected == second)
        // A check on the old path does not restore it, but a nomination does.
        try agent.handle(check(), from: first, at: .zero)
        #expect(agent.selected == second)
        try agent.handle(check(nominates: true), from: first, at: .zero)
        #expect(agent.selected == first)
        let told = outputs(&agent).filter { if case .selected = $0 { true } else { false } }
        #expect(told == [.selected(first)])
    }

    @Test func thePathOverTCPIsAnotherThanTheOneOfTheSameNumbersOverUDP() throws {
        let stream = first.over(.tcp)
        var agent = agent()
        try agent.handle(check(), from: first, at: .zero)
        _ = outputs(&agent)
        try agent.handle(check(nominates: true), from: stream, at: .zero)
        #expect(agent.selected == stream)
        let outputs = outputs(&agent)
        #expect(outputs.first == .selected(stream))
        // The answer goes where the check came from.
        guard case .transmit(let bytes, stream)? = outputs.last else {
            Issue.record("no answer over TCP: \(outputs)")
            return
        }
        #expect(try STUNMessage(parsing: bytes).mappedAddress == first)
        // Traffic that keeps one path alive does not affect the other.
        try agent.handle(check(), from: first, at: .zero + .seconds(7))
        agent.handleTimeout(at: .zero + .seconds(8))
        #expect(agent.state == .disconnected)
    }

    @Test func aLivePathReplacesASilentOneWithoutNomination() throws {
        let second = try #require(second)
        var agent = agent()
        try agent.handle(check(nominates: true), from: first, at: .zero)
        agent.handleTimeout(at: .zero + ICETiming.disconnectedAfter)
        #expect(agent.state == .disconnected)
        #expect(agent.selected == first)
        try agent.handle(check(), from: second, at: .zero + .seconds(9))
        #expect(agent.state == .connected)
        #expect(agent.selected == second)
    }

    @Test func silenceIsCountedFromTheLastCheckOfThePath() throws {
        var agent = agent()
        try agent.handle(check(), from: first, at: .zero)
        #expect(agent.nextDeadline == .zero + .seconds(8))
        try agent.handle(check(), from: first, at: .zero + .seconds(5))
        #expect(agent.nextDeadline == .zero + .seconds(13))
        agent.handleTimeout(at: .zero + .seconds(12))
        #expect(agent.state == .connected)
        agent.handleTimeout(at: .zero + .seconds(13))
        #expect(agent.state == .disconnected)
        #expect(agent.nextDeadline == .zero + .seconds(35))
        agent.handleTimeout(at: .zero + .seconds(35))
        #expect(agent.state == .failed)
        #expect(agent.nextDeadline == nil)
        // A client that still knows the password may return.
        try agent.handle(check(), from: first, at: .zero + .seconds(50))
        #expect(agent.state == .connected)
    }

    @Test func oneLongJumpOfTimeEndsAsFailed() throws {
        var agent = agent()
        try agent.handle(check(), from: first, at: .zero)
        agent.handleTimeout(at: .zero + .seconds(31))
        #expect(agent.state == .failed)
        #expect(agent.selected == nil)
    }

    @Test func aDescribedPeerThatNeverChecksFails() {
        var agent = agent()
        #expect(agent.nextDeadline == nil)
        agent.setRemote(Network.clientCredentials, at: .zero)
        #expect(agent.state == .checking)
        agent.handleTimeout(at: .zero + ICETiming.failedAfter)
        #expect(agent.state == .failed)
    }

    @Test func aPeerThatCallsItselfControlledIsToldOfTheConflict() throws {
        var agent = agent()
        #expect(throws: ICEError.roleConflict) {
            try agent.handle(check(role: .iceControlled(0)), from: first, at: .zero)
        }
        let response = try #require(try responses(outputs(&agent)).first)
        #expect(response.class == .error)
        #expect(response.errorCode == 487)
        #expect(
            response.isAuthentic(
                password: Network.serverCredentials.password, by: authenticator))
        #expect(agent.selected == nil)
    }

    @Test func anUnknownRequiredAttributeIsNamedInTheAnswer() throws {
        var agent = agent()
        let extra: [STUNAttribute] = [
            .other(type: 0x7001, value: []), .other(type: 0xC057, value: [0, 0, 0, 1]),
        ]
        #expect(throws: ICEError.unknownAttributes([0x7001])) {
            try agent.handle(check(adding: extra), from: first, at: .zero)
        }
        let response = try #require(try responses(outputs(&agent)).first)
        #expect(response.errorCode == 420)
        #expect(response.attributes.contains(.unknownAttributes([0x7001])))
        // Chromium's optional network information does no harm.
        try agent.handle(
            check(adding: [.other(type: 0xC057, value: [0, 0, 0, 1])]), from: first, at: .zero)
        #expect(agent.state == .connected)
    }

    @Test func afterARestartOldChecksAreAnsweredForAWhileButChooseNothing() throws {
        let second = try #require(second)
        var agent = agent()
        try agent.handle(check(nominates: true), from: first, at: .zero)
        let new = ICECredentials(usernameFragment: "next", password: "the-next-password-is-22")
        agent.restart(local: new, at: .zero)
        #expect(agent.localCredentials == new)
        #expect(agent.selected == first)
        _ = outputs(&agent)
        try agent.handle(check(nominates: true), from: second, at: .zero + .seconds(1))
        #expect(try responses(outputs(&agent)).first?.class == .success)
        #expect(agent.selected == first)
        #expect(agent.state == .checking)
        try agent.handle(
            check(username: "next:clie", password: new.password), from: second,
            at: .zero + .seconds(2))
        #expect(agent.selected == second)
        #expect(agent.state == .connected)
        let late = Instant.zero + ICETiming.previousCredentialsLife
        #expect(throws: ICEError.unknownUsername) {
            try agent.handle(check(), from: first, at: late)
        }
    }

    @Test func responsesAndOtherMethodsAreRefusedAndIndicationsIgnored() throws {
        var agent = agent()
        let transaction = try #require(STUNTransactionID(Array(1...12)))
        let password = Network.serverCredentials.password
        let response = STUNMessage(.success, transaction: transaction)
        let allocate = STUNMessage(.request, method: 3, transaction: transaction)
        let indication = STUNMessage(.indication, transaction: transaction)
        #expect(throws: ICEError.unexpectedResponse) {
            try agent.handle(
                response.serialized(password: password, by: authenticator), from: first, at: .zero)
        }
        #expect(throws: ICEError.unexpectedMessage) {
            try agent.handle(
                allocate.serialized(password: password, by: authenticator), from: first, at: .zero)
        }
        try agent.handle(
            indication.serialized(password: nil, by: authenticator), from: first, at: .zero)
        #expect(outputs(&agent).isEmpty)
    }

    @Test func anUnpolledAgentKeepsABoundedNumberOfAnswers() throws {
        var agent = agent()
        let datagram = try check()
        for _ in 0..<1000 { try agent.handle(datagram, from: first, at: .zero) }
        #expect(outputs(&agent).count == 256 + 2)
    }
}
