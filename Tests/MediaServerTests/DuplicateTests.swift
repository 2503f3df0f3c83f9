import MediaKernel
import Testing

@testable import MediaServer

extension SimulatedRoomTests {
    @Suite struct DuplicateTests {
        /// What is sent again although it had come is forwarded once, and so no loss to anybody.
        @Test func whatComesTwiceIsForwardedOnce() async throws {
            let room = try await SimulatedRoom.connected()
            room.asksForWhatCame = true
            let begin = room.now
            room.run(for: .seconds(5))
            #expect(room.packets(since: begin) > 100)
            #expect(try #require(room.loss) == 0)
            #expect(room.quality == 5)
        }
    }
}
