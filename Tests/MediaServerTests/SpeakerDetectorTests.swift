import RTP
import Testing

@testable import MediaServer

@Suite struct SpeakerDetectorTests {
    private func level(of heard: [AudioLevel]) -> Int? {
        var detector = SpeakerDetector()
        for level in heard { detector.heard(level) }
        return detector.takeLevel()
    }

    @Test func theLoudestOfTheIntervalCounts() {
        let levels = [30, 20, 45, 127].map { AudioLevel(voice: true, level: $0) }
        #expect(level(of: levels) == 60)
    }

    @Test(arguments: [(UInt8(0), 100), (25, 50), (49, 2)])
    func fullScaleIsAHundredAndTheThresholdNothing(decibels: UInt8, expected: Int) {
        #expect(level(of: [AudioLevel(voice: false, level: decibels)]) == expected)
    }

    @Test func whatIsTooQuietIsNobody() {
        #expect(level(of: []) == nil)
        #expect(level(of: [AudioLevel(voice: false, level: 50)]) == nil)
        #expect(level(of: [AudioLevel(voice: true, level: 127)]) == nil)
    }

    @Test func everyIntervalBeginsAnew() {
        var detector = SpeakerDetector()
        detector.heard(AudioLevel(voice: true, level: 10))
        let first = detector.takeLevel()
        let second = detector.takeLevel()
        #expect(first == 80)
        #expect(second == nil)
    }
}
