import Testing

@testable import Pipeline

@Suite struct RecordingPausesTests {
    @Test func aSegmentThatAPauseTouchesIsLeftOutAndItsNeighboursAreNot() {
        let pauses = RecordingPauses(isPaused: false)
        #expect(!pauses.touch(0..<60))
        pauses.pause(from: 70)
        #expect(!pauses.touch(0..<60) && pauses.touch(60..<120) && pauses.touch(600..<660))
        pauses.resume(from: 130)
        #expect(pauses.touch(60..<120) && pauses.touch(120..<180) && !pauses.touch(180..<240))
    }

    @Test func framesAtTheEdgeBelongToWhatIsRecorded() {
        let pauses = RecordingPauses(isPaused: false)
        pauses.pause(from: 60)
        pauses.resume(from: 120)
        #expect(!pauses.touch(0..<60) && pauses.touch(60..<120) && !pauses.touch(120..<180))
    }

    @Test func pausingWhatIsPausedChangesNothing() {
        let pauses = RecordingPauses(isPaused: true)
        pauses.pause(from: 90)
        #expect(pauses.touch(0..<60))
        pauses.resume(from: 120)
        pauses.resume(from: 300)
        #expect(pauses.touch(0..<60) && !pauses.touch(120..<180))
    }

    @Test func aPauseThatEndsBeforeItBeganIsNone() {
        let pauses = RecordingPauses(isPaused: true)
        pauses.resume(from: 0)
        #expect(!pauses.touch(0..<60))
    }

    @Test func pausesOfLongAgoAreForgotten() {
        let pauses = RecordingPauses(isPaused: false)
        for index in 0...Int64(RecordingPauses.overMaximum) {
            pauses.pause(from: index * 100)
            pauses.resume(from: index * 100 + 10)
        }
        #expect(!pauses.touch(0..<60) && pauses.touch(100..<160))
    }
}
