import MediaKernel
import Testing

@testable import Recording

@Suite struct RecordingPlanTests {
    private func record(
        _ number: Int, run: Int64 = 1, first: Int64? = nil, frames: Int = 60, left: Bool = false
    ) -> SegmentRecord {
        SegmentRecord(
            number: number, run: run, frameRate: 30, origin: 90_000,
            firstFrame: first ?? Int64(number) * 60, frameCount: frames, isLeftOut: left,
            byteCount: 1000, checksum: 0, parameterSets: nil, pictures: [], sound: nil)
    }

    @Test func segmentsOfOneRunFollowWithoutAJoin() throws {
        let log = (0..<4).map { record($0, frames: $0 == 3 ? 17 : 60) }
        let plan = try RecordingPlan(layers: [log, log])
        #expect(plan.parts.map(\.firstFrame) == [0, 60, 120, 180])
        #expect(plan.parts.map(\.isJoin) == [true, false, false, false])
        #expect(plan.frameCount == 197)
        #expect(plan.duration.ticks == 197)
    }

    /// A bot is killed between the first and the second layer's segment; the next bot continues the
    /// numbers in each layer.
    @Test func whatALayerLacksIsInNone() throws {
        let top = [record(0), record(1), record(2, run: 9, first: 0), record(3, run: 9, first: 60)]
        let low = [record(0), record(1, run: 9, first: 0), record(2, run: 9, first: 60)]
        let plan = try RecordingPlan(layers: [top, low])
        #expect(plan.parts.map { $0.layers.map(\.number) } == [[0, 0], [2, 1], [3, 2]])
        #expect(plan.parts.map(\.isJoin) == [true, true, false])
        #expect(plan.parts.map(\.firstFrame) == [0, 60, 120])
    }

    @Test func whatWasPausedOrIsDamagedLeavesNoGap() throws {
        var log = (0..<6).map { record($0) }
        log[2].isLeftOut = true
        let plan = try RecordingPlan(layers: [log, log], damaged: [1: [4]])
        #expect(plan.parts.map { $0.layers[0].number } == [0, 1, 3, 5])
        #expect(plan.parts.map(\.isJoin) == [true, false, true, true])
        #expect(plan.frameCount == 240)
    }

    @Test func aDateIsOfTheSegmentOnAirThenOrOfTheNextOne() throws {
        let second: Int64 = 1_000_000_000
        var log = (0..<3).map { record($0, run: 0) }
        log[1].isLeftOut = true
        // The clock was set back between the runs.
        log += [record(3, run: 5 * second, first: 0), record(4, run: 5 * second, first: 60)]
        let plan = try RecordingPlan(layers: [log, log])
        let dates: [Int64] = [-9, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 99]
        #expect(
            dates.map { plan.part(at: $0 * second) }
                == [0, 0, 0, nil, nil, 1, 1, 2, 3, 3, 3, 3])
        #expect(plan.part(at: 2 * second - 1) == 0)
    }

    /// A bot that was killed between a segment's log and its playlist.
    @Test func ofFramesThatWereRecordedTwiceTheLaterOnesAreTakenOnce() throws {
        let log = [record(0), record(1), record(2, first: 60), record(3, first: 120)]
        let plan = try RecordingPlan(layers: [log, log])
        #expect(plan.parts.map { $0.layers[0].number } == [0, 2, 3])
        #expect(plan.frameCount == 180)
    }

    @Test func aSegmentWithAnotherFrameRateIsLeftOut() throws {
        let log = (0..<3).map { record($0) }
        var low = log
        low[1].frameRate = 25
        let plan = try RecordingPlan(layers: [log, low])
        #expect(plan.parts.map { $0.layers[0].number } == [0, 2])
    }

    /// The wall clock was set back between two runs, by less than the first one's duration.
    @Test func aDateThatCameTwiceIsOfTheFirstTime() throws {
        let second: Int64 = 1_000_000_000
        let log =
            (0..<3).map { record($0, run: 0) }
            + (3..<6).map { record($0, run: 2 * second, first: Int64($0 - 3) * 60) }
        let plan = try RecordingPlan(layers: [log])
        #expect([1, 3, 5, 7].map { plan.part(at: $0 * second) } == [0, 1, 2, 5])
    }

    @Test func theLastSegmentIsAsLongAsTheLongestLayers() throws {
        let plan = try RecordingPlan(layers: [
            [record(0), record(1, frames: 12)], [record(0), record(1, frames: 11)],
        ])
        #expect(plan.frameCount == 72)
    }

    @Test func nothingIsMadeOfNothing() {
        #expect(throws: RecordingError.nothingRecorded) { try RecordingPlan(layers: []) }
        #expect(throws: RecordingError.nothingRecorded) { try RecordingPlan(layers: [[], []]) }
        #expect(throws: RecordingError.nothingRecorded) {
            try RecordingPlan(layers: [[record(0)], []])
        }
        #expect(throws: RecordingError.nothingRecorded) {
            try RecordingPlan(layers: [[record(0, left: true)]])
        }
    }
}
