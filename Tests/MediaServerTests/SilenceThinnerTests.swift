import MediaKernel
import RTP
import Testing

@testable import MediaServer

@Suite("What silence is left out")
struct SilenceThinnerTests {
    private static let silence = AudioLevel(voice: false, level: 127)
    /// A packet without content, as at the end of DTX.
    private static let empty: ArraySlice<UInt8> = [0xF8, 0]
    private static let full = [UInt8](repeating: 1, count: 30)[...]

    /// Which of the packets are forwarded.
    private func passed(
        _ packets: [(milliseconds: Int, payload: ArraySlice<UInt8>, level: AudioLevel?)]
    ) -> [Int] {
        var thinner = SilenceThinner()
        return packets.filter { packet in
            thinner.passes(
                packet.payload, level: packet.level,
                at: .zero + .milliseconds(packet.milliseconds))
        }.map(\.milliseconds)
    }

    @Test func ofAMutedMicrophonesUpdatesOneInFiveSecondsGoesOnWhole() {
        let packets = stride(from: 0, to: 12_000, by: 400).flatMap { time in
            [(time, Self.full, Self.silence), (time + 20, Self.empty, Self.silence)]
        }
        #expect(passed(packets) == [0, 20, 5200, 5220, 10_400, 10_420])
    }

    @Test func emptyPacketsAloneAreUpdatesToo() {
        let packets = stride(from: 0, to: 12_000, by: 400).map { ($0, Self.empty, Self.silence) }
        #expect(passed(packets) == [0, 5200, 10_400])
    }

    @Test func whatFollowsSpeechGoesOnUntilItsEnd() {
        let speech = AudioLevel(voice: true, level: 30)
        let packets = [
            (0, Self.full, speech), (20, Self.full, Self.silence), (40, Self.full, Self.silence),
            (60, Self.empty, Self.silence), (80, Self.empty, Self.silence),
        ]
        #expect(passed(packets) == [0, 20, 40, 60])
    }

    @Test func soundGoesOnAtOnce() {
        let quiet = AudioLevel(voice: false, level: 126)
        let voice = AudioLevel(voice: true, level: 127)
        let packets = [
            (0, Self.empty, Self.silence), (400, Self.full, quiet), (800, Self.empty, quiet),
            (820, Self.full, voice), (840, Self.empty, Self.silence),
        ]
        #expect(passed(packets) == [0, 400, 800, 820, 840])
    }

    /// Without DTX silence is sent like audio, and receivers expect all of it.
    @Test func silenceWithoutEndGoesOn() {
        let packets = stride(from: 0, to: 200, by: 20).map { ($0, Self.full, Self.silence) }
        #expect(passed(packets).count == 10)
    }

    @Test func whatSaysNoLevelGoesOn() {
        let packets = [(0, Self.empty, nil), (400, Self.empty, nil)] as [(Int, _, AudioLevel?)]
        #expect(passed(packets) == [0, 400])
    }
}
