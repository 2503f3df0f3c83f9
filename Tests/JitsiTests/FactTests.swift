import PeerConnection
import RemoteRoom
import Testing
import XMPP

@testable import Jitsi

/// What reaches a call from its media, and how its stream's end is told.
@Suite struct FactTests {
    @Test func noFloodOfMessagesCostsAState() {
        let facts = CallFacts()
        let text = String(repeating: "x", count: JitsiLimits.bridgeBytes)
        let fitting = CallFacts.bytesMaximum / JitsiLimits.bridgeBytes
        facts.tell(.channelOpened(1))
        for _ in 0..<fitting + 3 { facts.tell(.heard(1, text)) }
        facts.tell(.channelClosed(1))
        for _ in 0..<10_000 { facts.tell(.state(1, .disconnected)) }
        facts.tell(.state(1, .failed))
        let (taken, left) = facts.take()
        #expect(left == 3 && taken.count == fitting + 10_003)
        #expect(taken.first == .channelOpened(1) && taken.last == .state(1, .failed))
        #expect(taken[fitting + 1] == .channelClosed(1))
        // There is room again.
        facts.tell(.heard(1, text))
        #expect(facts.take().0 == [.heard(1, text)])
        #expect(facts.take() == ([], left: 0))
    }

    @Test func whatIsNoMatterOfAccountsIsNotCalledARefusal() {
        #expect(
            RoomEnd(ConnectionEnd.untrusted("self-signed certificate"))
                == .givenUp("the server cannot be trusted: self-signed certificate"))
        #expect(
            RoomEnd(ConnectionEnd.failed(.unencrypted)) == .givenUp("the server offers no TLS"))
        let refusal = ConnectionEnd.failed(.authentication(.refused("not-authorized")))
        #expect(RoomEnd(refusal) == .refused(code: 401, message: refusal.description))
    }
}
