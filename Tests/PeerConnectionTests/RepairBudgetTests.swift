import MediaKernel
import Testing

@testable import PeerConnection

@Suite("The budget of repairs") struct RepairBudgetTests {
    private func at(_ milliseconds: Int) -> Instant { .zero + .milliseconds(milliseconds) }

    /// The number of packets of a thousand bytes that are sent.
    private func spent(_ budget: inout RepairBudget) -> Int {
        var count = 0
        while count < 1000, budget.hasRoom {
            budget.spend(bytes: 1000)
            count += 1
        }
        return count
    }

    @Test func aWayWithoutAKnownLimitGetsWhatWasSentInHalfASecond() {
        var budget = RepairBudget()
        budget.refill(limit: nil, sent: 3_200_000, at: at(0))
        #expect(spent(&budget) == 200)
        var total = 0
        for tenth in 1...10 {
            budget.refill(limit: nil, sent: 3_200_000, at: at(tenth * 100))
            total += spent(&budget)
        }
        #expect((795...805).contains(total))
    }

    @Test func whereLittleWasSentSomeMayBeSentAgain() {
        var budget = RepairBudget()
        budget.refill(limit: nil, sent: 0, at: at(0))
        #expect(spent(&budget) == 63)  // 62.5
    }

    @Test func halfOfWhatAWayCarriesAndAQuarterOfASecondAtOnce() {
        var budget = RepairBudget()
        budget.refill(limit: 800_000, sent: 0, at: at(0))
        #expect(spent(&budget) == 13)  // 12.5
        var total = 0
        for tenth in 1...100 {
            budget.refill(limit: 800_000, sent: 0, at: at(tenth * 100))
            total += spent(&budget)
        }
        #expect((495...505).contains(total))
        budget.refill(limit: 800_000, sent: 0, at: at(60_000))
        #expect(spent(&budget) == 13, "no more is saved up")
    }

    @Test func aPoorWayGetsOneAtATime() {
        var budget = RepairBudget()
        budget.refill(limit: 30_000, sent: 0, at: at(0))
        #expect(spent(&budget) == 1)
        budget.refill(limit: 30_000, sent: 0, at: at(100))
        #expect(spent(&budget) == 0)
        budget.refill(limit: 30_000, sent: 0, at: at(600))
        #expect(spent(&budget) == 1)
    }
}
