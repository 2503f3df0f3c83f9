import Testing
import XMPP

@testable import Jibri
@testable import Service

/// What a lost connection does to what a slot has said.
@Suite struct BreweryStayTests {
    private static let jicofo = JibriDoubles.start("a").from!

    private func tell(_ state: JibriStatus.State) -> BreweryMessage {
        .tell(JibriStatus(state), to: Self.jicofo)
    }

    /// Connected for the first time, and inside.
    private func inside() -> BreweryStay {
        var stay = BreweryStay()
        #expect(stay.online(isResumed: false) == .enter)
        stay.entered()
        return stay
    }

    private func taken(_ stay: inout BreweryStay) -> [BreweryMessage] {
        var messages: [BreweryMessage] = []
        while let message = stay.next() { messages.append(message) }
        return messages
    }

    @Test func whatIsSaidInALossIsSentWhenTheStreamIsResumed() {
        var stay = inside()
        let absence = stay.disconnected()
        #expect(absence == 1)
        for state in [JibriStatus.State.on, .off] { stay.add(tell(state)) }
        #expect(stay.next() == nil)
        #expect(stay.online(isResumed: true) == .goOn)
        #expect(taken(&stay) == [tell(.on), tell(.off)])
    }

    @Test func whatWasRefusedBeforeTheLossWasNoticedIsSentFirst() {
        var stay = inside()
        let connection = stay.connections
        stay.add(tell(.on))
        stay.add(tell(.off))
        guard let first = stay.next() else {
            Issue.record("nothing is to be sent")
            return
        }
        #expect(stay.refused(first, by: connection) == false, "not before the next connection")
        _ = stay.disconnected()
        _ = stay.online(isResumed: true)
        #expect(taken(&stay) == [tell(.on), tell(.off)])
        // A refusal that comes late does not wait for one more connection.
        #expect(stay.refused(first, by: connection) == true)
        #expect(taken(&stay) == [tell(.on)])
        let show = BreweryMessage.show(SlotStatus(isBusy: true, isHealthy: true))
        #expect(stay.refused(show, by: connection) == false)
        #expect(taken(&stay) == [])
    }

    @Test func aFreshStreamHasNothingOfTheOldOne() {
        var stay = inside()
        let connection = stay.connections
        _ = stay.disconnected()
        stay.add(tell(.on))
        stay.ended()
        #expect(stay.online(isResumed: false) == .enter)
        #expect(stay.refused(tell(.off), by: connection) == false)
        #expect(taken(&stay) == [])
    }

    @Test func aResumedStreamThatWasNotInsideEnters() {
        var stay = BreweryStay()
        _ = stay.online(isResumed: false)
        _ = stay.disconnected()
        #expect(stay.online(isResumed: true) == .enter)
    }

    @Test func aPlaceThatWasGivenUpIsEnteredAnew() {
        var stay = inside()
        let absence = stay.disconnected() ?? 0
        stay.add(tell(.on))
        let isGivenUp = stay.missed(absence)
        #expect(isGivenUp)
        for _ in 0..<2 {
            // Lost again before it was outside.
            #expect(stay.online(isResumed: true) == .enterAnew)
            #expect(taken(&stay) == [])
            _ = stay.disconnected()
        }
        _ = stay.online(isResumed: true)
        stay.ended()
        stay.entered()
        _ = stay.disconnected()
        #expect(stay.online(isResumed: true) == .goOn)
        let isLate = stay.missed(absence)
        #expect(!isLate)
    }

    @Test func whatWaitsIsBounded() {
        var stay = inside()
        _ = stay.disconnected()
        for _ in 0..<BreweryStay.waitingMaximum { stay.add(tell(.on)) }
        stay.add(tell(.off))
        _ = stay.online(isResumed: true)
        let messages = taken(&stay)
        #expect(messages.count == BreweryStay.waitingMaximum && messages.last == tell(.off))
    }
}
