import MediaKernel
import PeerConnection
import Testing

@Suite final class NegotiationMachineTests {
    private var machine = NegotiationMachine()
    private let start = Instant.zero + .seconds(100)

    /// Offers if allowed and required, or if something has changed.
    private func offer(after delay: Duration = .zero) -> Bool {
        let now = start + delay
        guard machine.mayOffer(at: now) else { return false }
        machine.offered(at: now)
        return true
    }

    private func may(
        at now: Instant, interval: Duration, waits: Bool = true
    ) -> Bool {
        machine.mayOffer(at: now, interval: interval, waits: waits)
    }

    @Test func theFirstOfferIsDue() {
        #expect(machine.mustOffer && !machine.isOutstanding)
        #expect(offer())
        #expect(!machine.mustOffer && machine.isOutstanding)
    }

    @Test func changesWaitForTheAnswer() {
        #expect(offer())
        #expect(!offer(after: .seconds(60)))
        #expect(machine.isDirty)
        machine.answered()
        #expect(machine.isDirty)
        #expect(offer(after: .seconds(60)))
        #expect(!machine.isDirty)
    }

    @Test func offersKeepAnIntervalButForTheFirst() {
        for step in 0..<2 {
            let now = start + .milliseconds(step)
            #expect(may(at: now, interval: .milliseconds(100)))
            machine.offered(at: now)
            machine.answered()
        }
        let interval = Duration.milliseconds(100)
        #expect(!may(at: start + .milliseconds(100), interval: interval))
        #expect(may(at: start + .milliseconds(101), interval: interval))
    }

    @Test func aRestartWaitsForAnAnswerAndNotForGood() {
        #expect(offer())
        machine.restart()
        #expect(!offer(after: NegotiationMachine.answerTimeout - .milliseconds(1)))
        #expect(machine.mustOffer && machine.wantsRestart)
        #expect(offer(after: NegotiationMachine.answerTimeout))
        #expect(!machine.wantsRestart)
    }

    @Test func whereNobodyAnswersItNeedNotWait() {
        #expect(offer())
        #expect(may(at: start, interval: .seconds(1), waits: false))
    }

    @Test func refusedAnswersAreOwedTwoOffersTheLastWithARestart() {
        #expect(offer())
        machine.answerRefused()
        #expect(machine.mustOffer && !machine.wantsRestart)
        #expect(offer())
        machine.answerRefused()
        #expect(machine.mustOffer && machine.wantsRestart)
        #expect(offer())
        machine.answerRefused()
        #expect(!machine.mustOffer && !machine.isOutstanding)
        machine.answered()
        machine.answerRefused()
        #expect(machine.mustOffer, "an answer that was taken begins anew")
    }

    @Test func anAnswerThatNobodyWaitsForIsFollowedByAnOffer() {
        #expect(offer())
        machine.answered()
        machine.answeredUnasked()
        #expect(machine.mustOffer)
    }

    @Test func whoGivesWayOffersAgain() {
        #expect(offer())
        machine.gaveWay()
        #expect(!machine.isOutstanding && machine.isDirty && machine.mustOffer)
        #expect(offer())
        machine.answered()
        machine.gaveWay()
        #expect(!machine.mustOffer, "there was nothing to take back")
    }
}
