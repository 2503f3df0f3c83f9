import MediaKernel
import RTP
import Testing

@testable import MediaServer

extension SimulatedRoomTests {
    @Suite struct SilenceTests {
        /// Every 400 ms, as libopus does under DTX.
        @Test func aMutedMicrophonesUpdatesAreForwardedOnceASecond() async throws {
            let room = try await SimulatedRoom.connected()
            let id = try #require(room.microphoneExtension(HeaderExtensionURI.audioLevel))
            var (number, next) = (0, room.now)
            room.microphone = { now in
                guard now >= next else { return [] }
                next = next + .milliseconds(400)
                number += 1
                var packet = RTPPacket(
                    payloadType: PayloadType(0),
                    sequenceNumber: SequenceNumber(extended: Int64(number)),
                    timestamp: UInt32(number * 19_200), ssrc: SSRC(0), payload: [0xF8, 0])
                packet.extensions.set(id, AudioLevel(voice: false, level: 127).extensionBytes)
                return [packet]
            }
            room.run(for: .seconds(6))
            #expect((5...6).contains(room.sound.count))
            let steps = zip(room.sound, room.sound.dropFirst()).map { first, second in
                [
                    Int(second.sequenceNumber.rawValue) - Int(first.sequenceNumber.rawValue),
                    Int(second.timestamp) - Int(first.timestamp),
                ]
            }
            // No hole that looks like loss, and each at its own time.
            #expect(steps == [[Int]](repeating: [1, 57_600], count: steps.count))
        }
    }
}
