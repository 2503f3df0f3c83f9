import MediaKernel
import Testing

@testable import PeerConnection

@Suite("The budget of repairs") struct RepairBudgetTests {
    private func at(_ milliseconds: Int) -> Instant { .zero + .milliseconds(milliseconds) }

    /// How many packets of a thousand bytes go.
    private func spent(_ budget: inout RepairBudget) -> Int {
        var count = 0
        while count < 1000, budget.hasRoom {
            budget.spend(bytes: 1000)
            count += 1
        }
        return count
    }

    @Test func aWayWithoutAKnownLimitGetsAll() {
        var budget = RepairBudget()
        #expect(spent(&budget) == 1000)
        budget.refill(bitsPerSecond: nil, at: at(0))
        #expect(spent(&budget) == 1000)
    }

    @Test func halfOfWhatAWayCarriesAndAQuarterOfASecondAtOnce() {
        var budget = RepairBudget()
        budget.refill(bitsPerSecond: 800_000, at: at(0))
        #expect(spent(&budget) == 13)  // 12.5
        var total = 0
        for tenth in 1...100 {
            budget.refill(bitsPerSecond: 800_000, at: at(tenth * 100))
            total += spent(&budget)
        }
        #expect((495...505).contains(total))
        budget.refill(bitsPerSecond: 800_000, at: at(60_000))
        #expect(spent(&budget) == 13, "no more is saved up")
    }

    @Test func aPoorWayGetsOneAtATime() {
        var budget = RepairBudget()
        budget.refill(bitsPerSecond: 30_000, at: at(0))
        #expect(spent(&budget) == 1)
        budget.refill(bitsPerSecond: 30_000, at: at(100))
        #expect(spent(&budget) == 0)
        budget.refill(bitsPerSecond: 30_000, at: at(600))
        #expect(spent(&budget) == 1)
    }

    @Test func whatALimitLeftOverEndsWithTheLimit() {
        var budget = RepairBudget()
        budget.refill(bitsPerSecond: 30_000, at: at(0))
        _ = spent(&budget)
        budget.refill(bitsPerSecond: nil, at: at(1))
        #expect(budget.hasRoom)
    }
}
