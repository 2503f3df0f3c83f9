import MediaKernel
import Testing

@testable import MediaServer

extension SimulatedRoomTests {
    /// The limits of one subscriber of a room, so that the others have their share.
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

        @Test func whoComesAtOnceIsLookedAtInTurns() throws {
            let room = try SimulatedRoom()
            for number in 0..<20 { try room.room.addPeer(PeerID("\(number)"), at: room.now) }
            let turns = Dictionary(grouping: room.room.peers.values, by: \.sharing.nextAllocation)
            #expect(turns.values.map(\.count) == Array(repeating: 2, count: 10))
            #expect(turns.keys.min() == room.now)
            #expect(turns.keys.max() == room.now + .milliseconds(90))
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
