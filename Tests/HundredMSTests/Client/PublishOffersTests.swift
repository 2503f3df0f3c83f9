import Testing

@testable import HundredMS

@Suite("Offers of the publish connection")
struct PublishOffersTests {
    private var offers = PublishOffers()

    @Test mutating func anOfferWaitsForTheAnswerToTheOneBefore() {
        let restarts = [offers.begin(), offers.begin()]
        #expect(restarts == [false, nil])
        let isAnotherDue = offers.answered()
        #expect(isAnotherDue)
        let next = offers.begin()
        let isYetAnotherDue = offers.answered()
        #expect(next == false && !isYetAnotherDue)
    }

    @Test mutating func aLostConnectionIsRestartedOnce() {
        _ = offers.begin()
        offers.lost(connection: true)
        let restarts = offers.begin()
        let isAnotherDue = offers.answered()
        #expect(restarts == true && !isAnotherDue)
        let next = offers.begin()
        #expect(next == false)
    }

    @Test mutating func lostSignallingRestartsNothing() {
        _ = offers.begin()
        _ = offers.begin()
        offers.lost(connection: false)
        let restarts = offers.begin()
        let isAnotherDue = offers.answered()
        #expect(restarts == false && !isAnotherDue, "the offer that was due has been made")
    }
}
