import MediaKernel
import PeerConnection
import Testing

@testable import MediaServer

extension SimulatedRoomTests {
    @Suite struct DuplicateTests {
        /// A duplicate is forwarded only once, so no subscriber counts it as a loss.
        @Test func whatComesTwiceIsForwardedOnce() async throws {
            let room = try await SimulatedRoom.connected()
            room.asksForWhatCame = true
            let begin = room.now
            room.run(for: .seconds(5))
            #expect(room.packets(since: begin) > 100)
            #expect(try #require(room.loss) == 0)
            #expect(room.quality == 5)
        }

        /// It could not be sent anyway: no number is encrypted twice.
        @Test func whatWouldBeSentTwiceIsNotAndIsCounted() async throws {
            let room = try await SimulatedRoom.connected()
            let sound = try #require(room.subscription(to: "sound"))
            for _ in 0..<3 {
                sound.connection.core.send(
                    LayerPacket.sound(5).packet, on: sound.stream, at: room.now)
            }
            room.run(for: UnsentPackets.interval + .seconds(1))
            #expect(room.sound.count == 1)
            #expect(room.figures.unsentPackets == 2)
        }
    }
}
