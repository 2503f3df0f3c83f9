import MediaKernel
import RTP
import Testing

@testable import MediaServer

extension SimulatedRoomTests {
    @Suite struct RepairedSoundTests {
        @Test func lostSoundIsAskedForAndForwarded() async throws {
            let room = try await SimulatedRoom.connected()
            let first = room.now
            var number = 0
            room.microphone = { now in
                guard now - first >= .milliseconds(20) * number, number < 500 else { return [] }
                number += 1
                return [Self.packet(number: number)]
            }
            room.cameraLoss = 0.2
            room.run(for: .seconds(11))
            #expect(number == 500)
            let numbers = Set(room.sound.map(\.timestamp))
            #expect(numbers.count >= 498, "\(numbers.count) of 500")
            #expect(room.sound.count == numbers.count)
        }

        /// The publisher has it all, but nobody wants to hear it any more.
        @Test func ofAnOutageTheLastSecondIsAskedFor() async throws {
            let room = try await SimulatedRoom.connected()
            let first = room.now
            var number = 0
            room.microphone = { now in
                guard now - first >= .milliseconds(20) * number else { return [] }
                number += 1
                return [Self.packet(number: number)]
            }
            room.run(for: .seconds(1))
            let begin = number
            room.cameraLoss = 1
            room.run(for: .seconds(4))
            let end = number
            room.cameraLoss = 0
            room.run(for: .seconds(3))
            let missed = Set(room.sound.map { Int($0.timestamp) / 960 }).filter {
                (begin + 1...end).contains($0)
            }
            #expect((40...50).contains(missed.count), "\(missed.count) of \(end - begin)")
            #expect(missed.allSatisfy { $0 > end - 50 })
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
