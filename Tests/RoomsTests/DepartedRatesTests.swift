import MediaKernel
import Testing

@testable import Rooms

@Suite struct DepartedRatesTests {
    /// What those who left may still ask for is remembered until they may ask for all again, of no
    /// more than so many: anybody can make up names.
    @Test func ratesAreKeptOfSoManyAndForSoLong() throws {
        var fixture = RoomFixture()
        try fixture.join("a")
        for index in 0..<RoomLimits.departedPeers + 5 {
            let peer = PeerID("p\(index)")
            try fixture.join(peer)
            fixture.room.left(peer)
        }
        #expect(fixture.room.departedRates.count == RoomLimits.departedPeers)
        fixture.now += .seconds(60)
        fixture.room.handleTimeout(at: fixture.now)
        #expect(fixture.room.departedRates.isEmpty)
    }
}
