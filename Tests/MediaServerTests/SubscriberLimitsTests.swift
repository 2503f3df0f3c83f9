import MediaKernel
import Testing

@testable import MediaServer

extension SimulatedRoomTests {
    /// What one subscriber may have of a room, so that the others have theirs.
    @Suite struct SubscriberLimitsTests {
        @Test func whoAsksForKeyframesAllTheTimeGetsOneASecond() async throws {
            let room = try await SimulatedRoom.connected()
            room.run(for: .seconds(3))
            let before = room.keyframesRequested
            for _ in 0..<500 {
                room.requestKeyframe()
                room.run(for: .milliseconds(20))
            }
            #expect((10...13).contains(room.keyframesRequested - before))
        }

        @Test func aFloodOfTextsIsThinnedAndAFewPass() async throws {
            let room = try await SimulatedRoom.connected()
            room.run(for: .seconds(3))
            _ = await room.textsTold()
            for _ in 0..<200 { room.say("a wish") }
            room.run(for: .seconds(5))
            #expect(await room.textsTold() == 200)
            for _ in 0..<20 {
                for _ in 0..<200 { room.say("a wish") }
                room.run(for: .milliseconds(500))
            }
            let passed = await room.textsTold()
            #expect((800...1400).contains(passed))
        }
    }
}
