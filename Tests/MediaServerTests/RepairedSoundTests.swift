import MediaKernel
import RTP
import Testing

@testable import MediaServer

extension SimulatedRoomTests {
    @Suite struct RepairedSoundTests {
        @Test func lostSoundIsAskedForAndForwarded() async throws {
            let room = try await SimulatedRoom.connected()
            let spoken = Self.speak(in: room, maximum: 500)
            // Losses before the first and after the last received packet go unnoticed.
            _ = room.run(upTo: .seconds(1)) { _ in spoken() == 5 }
            room.cameraLoss = 0.2
            _ = room.run(upTo: .seconds(10)) { _ in spoken() == 495 }
            room.cameraLoss = 0
            room.run(for: .seconds(1))
            #expect(spoken() == 500)
            let numbers = Set(room.sound.map(\.timestamp))
            #expect(numbers.count >= 498, "\(numbers.count) of 500")
            #expect(room.sound.count == numbers.count)
        }

        /// The publisher still has it all, but it is too late to be heard.
        @Test func ofAnOutageTheLastSecondIsAskedFor() async throws {
            let room = try await SimulatedRoom.connected()
            let spoken = Self.speak(in: room)
            room.run(for: .seconds(1))
            let begin = spoken()
            room.cameraLoss = 1
            room.run(for: .seconds(4))
            let end = spoken()
            room.cameraLoss = 0
            room.run(for: .seconds(3))
            let missed = Set(room.sound.map { Int($0.timestamp) / 960 }).filter {
                (begin + 1...end).contains($0)
            }
            #expect((40...50).contains(missed.count), "\(missed.count) of \(end - begin)")
            #expect(missed.allSatisfy { $0 > end - 50 })
        }

        /// Sends a packet every 20 ms from now on. Returns their number.
        private static func speak(
            in room: SimulatedRoom, maximum: Int = .max
        ) -> () -> Int {
            let first = room.now
            var number = 0
            room.microphone = { now in
                guard now - first >= .milliseconds(20) * number, number < maximum else { return [] }
                number += 1
                return [packet(number: number)]
            }
            return { number }
        }

        private static func packet(number: Int) -> RTPPacket {
            RTPPacket(
                payloadType: PayloadType(0),
                sequenceNumber: SequenceNumber(extended: Int64(number)),
                timestamp: UInt32(number * 960), ssrc: SSRC(0),
                payload: ArraySlice(repeating: 7, count: 60))
        }
    }
}
