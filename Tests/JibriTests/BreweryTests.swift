import Testing

@testable import Jibri

@Suite struct BreweryTests {
    private func words(_ orders: [Brewery.Order]) -> [String] {
        orders.map { "\($0.slot): \(Script.words($0.order))" }
    }

    private func fact(_ text: String) throws -> BrewerySlot.Fact {
        try #require(Script.fact(text), "\(text)")
    }

    @Test func eachSlotRecordsASessionOfItsOwn() throws {
        var brewery = Brewery(slots: 2, breweries: [Script.brewery])
        _ = brewery.handle(try fact("joined"))
        #expect(try words(brewery.handle(fact("start a"), slot: 0)) == ["0: admit a"])
        #expect(try words(brewery.handle(fact("start b"), slot: 1)) == ["1: admit b"])
        #expect(
            try words(brewery.handle(fact("yes a"), slot: 0))
                == ["0: answer pending", "0: begin a", "0: show busy"])
        #expect(brewery.business == .idle && brewery.status(ofSlot: 0).isBusy)
        _ = brewery.handle(try fact("yes b"), slot: 1)
        #expect(brewery.business == .busy)
    }

    @Test func aSessionThatAnotherSlotIsGivenEndsWhereItWas() throws {
        var brewery = Brewery(slots: 2, breweries: [Script.brewery])
        for text in ["joined", "start a", "yes a"] { _ = brewery.handle(try fact(text), slot: 0) }
        #expect(
            try words(brewery.handle(fact("start a"), slot: 1))
                == ["0: end a superseded", "1: admit a"])
    }

    /// Everybody in a room sees the name of its session.
    @Test func nobodyOutsideOfTheBreweryEndsASession() throws {
        var brewery = Brewery(slots: 2, breweries: [Script.brewery])
        for text in ["joined", "start a", "yes a"] { _ = brewery.handle(try fact(text), slot: 0) }
        let request = Script.request(
            [
                "action": "start", "recording_mode": "file", "room": "r@muc.example",
                "session_id": "a",
            ], from: "r@muc.example/guest")
        let orders = brewery.handle(.asked(request, server: 0), slot: 1)
        #expect(orders.map(\.slot) == [1] && words(orders) == ["1: answer to another"])
    }

    @Test func whatConcernsTheMachineConcernsEachSlot() throws {
        var brewery = Brewery(slots: 2, breweries: [Script.brewery])
        _ = brewery.handle(try fact("joined"))
        #expect(try words(brewery.handle(fact("full"))) == ["0: show busy", "1: show busy"])
        #expect(brewery.business == .busy)
        #expect(try words(brewery.handle(fact("free"))) == ["0: show idle", "1: show idle"])
    }

    @Test func itIsExpiredWhenEachSlotHasRecordedOnce() throws {
        var brewery = Brewery(slots: 2, breweries: [Script.brewery], isSingleUse: true)
        for slot in 0..<2 {
            #expect(brewery.business == .idle)
            for text in [
                "joined", "start a\(slot)", "yes a\(slot)", "ends a\(slot)", "closed a\(slot)",
            ] {
                _ = brewery.handle(try fact(text), slot: slot)
            }
        }
        #expect(brewery.business == .expired)
    }
}
