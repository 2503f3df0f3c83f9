import MediaKernel
import RTP
import Testing

@testable import MediaServer

extension SimulatedRoomTests {
    @Suite struct SilenceTests {
        @Test func aMutedMicrophonesUpdatesAreForwardedOnceInFiveSeconds() async throws {
            let room = try await SimulatedRoom.connected()
            try mute(room)
            room.run(for: .seconds(12))
            #expect((2...3).contains(room.sound.count))
            let steps = zip(room.sound, room.sound.dropFirst()).map { first, second in
                [
                    Int(second.sequenceNumber.rawValue) - Int(first.sequenceNumber.rawValue),
                    Int(second.timestamp) - Int(first.timestamp),
                ]
            }
            // No gap that looks like loss, and each packet at its own time.
            #expect(steps == [[Int]](repeating: [1, 249_600], count: steps.count))
        }

        /// Except the first, from which listeners learn the sound's clock.
        @Test(arguments: [(false, 1), (true, 12)])
        func sendersReportsOfSilenceGoToWhoRecords(isRecorder: Bool, reports: Int) async throws {
            let room = try await SimulatedRoom.connected(isRecorder: isRecorder)
            try mute(room)
            for _ in 0..<12 {
                room.run(for: .seconds(1))
                room.reportSound()
            }
            room.run(for: .milliseconds(100))
            #expect(room.soundReports == reports)
        }

        @Test func theReportThatSilenceHeldBackComesWithTheNextSound() async throws {
            let room = try await SimulatedRoom.connected()
            try mute(room)
            for pause: Duration in [.milliseconds(100), .seconds(1)] {
                room.run(for: pause)
                room.reportSound()
            }
            room.run(for: .milliseconds(500))
            #expect(room.soundReports == 1)
            let id = try #require(room.microphoneExtension(HeaderExtensionURI.audioLevel))
            var isSaid = false
            room.microphone = { _ in
                defer { isSaid = true }
                return isSaid ? [] : [Self.packet(number: 100, level: 30, id)]
            }
            room.run(for: .milliseconds(200))
            #expect(room.soundReports == 2)
        }

        /// An update every 400 ms, as from libopus with DTX.
        private func mute(_ room: SimulatedRoom) throws {
            let id = try #require(room.microphoneExtension(HeaderExtensionURI.audioLevel))
            var (number, next) = (0, room.now)
            room.microphone = { now in
                guard now >= next else { return [] }
                next = next + .milliseconds(400)
                number += 1
                return [Self.packet(number: number, level: AudioLevel.silence, id)]
            }
        }

        private static func packet(number: Int, level: UInt8, _ id: UInt8) -> RTPPacket {
            var packet = RTPPacket(
                payloadType: PayloadType(0),
                sequenceNumber: SequenceNumber(extended: Int64(number)),
                timestamp: UInt32(number * 19_200), ssrc: SSRC(0), payload: [0xF8, 0])
            let level = AudioLevel(voice: level != AudioLevel.silence, level: level)
            packet.extensions.set(id, level.extensionBytes)
            return packet
        }
    }
}
