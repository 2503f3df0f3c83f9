import MediaKernel
import Testing

@testable import Rooms

@Suite struct DepartedRatesTests {
    /// The remaining allowances of departed peers are remembered until they are full again, and
    /// only for a limited number, since anyone can invent names.
    @Test func ratesAreKeptOfSoManyAndForSoLong() throws {
        var fixture = RoomFixture()
        try fixture.join("a")
        for index in 0..<RoomLimits.departedPeers + 5 {
            let peer = PeerID("p\(index)")
            try fixture.join(peer)
            fixture.room.left(peer)
        }
        #expect(fixture.room.peers.departed.rates.count == RoomLimits.departedPeers)
        fixture.now += .seconds(60)
        fixture.room.handleTimeout(at: fixture.now)
        #expect(fixture.room.peers.departed.rates.isEmpty)
    }
}
