import HLS
import MediaKernel
import Testing

@Suite struct SegmentPlannerTests {
    @Test func frameCountsAreTheNearestToTheWantedDuration() throws {
        let cases: [(rate: Int, milliseconds: Int, frames: Int, target: Int)] = [
            (30, 2000, 60, 2), (25, 2000, 50, 2), (24, 2000, 48, 2), (30, 4000, 120, 4),
            (60, 2000, 120, 2), (15, 2000, 30, 2), (30, 1001, 30, 1), (30, 2500, 75, 3),
            (30, 2483, 74, 2), (7, 1500, 11, 2), (5, 500, 3, 1), (6, 750, 5, 1),
            (30, 20_000, 600, 20), (30, 500, 15, 1),
        ]
        for (rate, milliseconds, frames, target) in cases {
            let planner = try SegmentPlanner(
                frameRate: rate, segmentDuration: .milliseconds(milliseconds))
            #expect(planner.framesPerSegment == frames, "\(rate) fps, \(milliseconds) ms")
            #expect(planner.targetDuration == target, "\(rate) fps, \(milliseconds) ms")
        }
    }

    @Test func durationsOutOfRangeAreRefused() {
        for milliseconds in [-5, 0, 499, 20_001] {
            #expect(
                throws: LadderError.segmentDuration(value: milliseconds, allowed: 500...20_000)
            ) { try SegmentPlanner(frameRate: 30, segmentDuration: .milliseconds(milliseconds)) }
        }
        #expect {
            try SegmentPlanner(frameRate: 30, segmentDuration: .seconds(Int64.max))
        } throws: { error in
            if case LadderError.segmentDuration = error { true } else { false }
        }
        #expect(throws: LadderError.frameRate(layer: 0, value: 4, allowed: 5...60)) {
            try SegmentPlanner(frameRate: 4, segmentDuration: .seconds(2))
        }
    }

    @Test func segmentsStartAtMultiplesAndNowhereElse() throws {
        let planner = try SegmentPlanner(frameRate: 30, segmentDuration: .seconds(2))
        let starts = (Int64(0)..<600).filter { planner.isSegmentStart(frame: $0) }
        #expect(starts == (Int64(0)..<10).map { planner.firstFrame(ofSegment: $0) })
        #expect(!planner.isSegmentStart(frame: -60))
        #expect(planner.segmentIndex(ofFrame: 59) == 0)
        #expect(planner.segmentIndex(ofFrame: 60) == 1)
        #expect(planner.segmentDuration == MediaTime(ticks: 60, timescale: 30))
    }

    @Test func partsAreAThirdOfASecondAndDivideTheirSegmentIfTheyCan() throws {
        let cases: [(rate: Int, milliseconds: Int, frames: Int)] = [
            (30, 2000, 10), (60, 2000, 20), (25, 2000, 10), (24, 2000, 8), (15, 2000, 5),
            (50, 2000, 20), (30, 4000, 10), (30, 500, 8), (25, 1000, 9), (5, 500, 2), (5, 2000, 2),
        ]
        for (rate, milliseconds, frames) in cases {
            let planner = try SegmentPlanner(
                frameRate: rate, segmentDuration: .milliseconds(milliseconds))
            #expect(planner.usualPartFrames == frames, "\(rate) fps, \(milliseconds) ms")
        }
    }

    @Test func partsLastFrom200To500Milliseconds() throws {
        for rate in Ladder.frameRates {
            for milliseconds in stride(from: 500, through: 10_000, by: 50) {
                let planner = try SegmentPlanner(
                    frameRate: rate, segmentDuration: .milliseconds(milliseconds))
                let frames = planner.usualPartFrames
                #expect(
                    (200...500).contains(1000 * frames / rate), "\(rate) fps, \(milliseconds) ms")
                #expect(frames <= planner.framesPerSegment)
            }
        }
    }

    @Test func partsStartAnewWithEachSegment() throws {
        var planner = try SegmentPlanner(frameRate: 25, segmentDuration: .seconds(1))
        #expect((0..<60).filter { planner.isPartStart(frame: $0) } == [0, 25, 50])
        #expect(planner.partEnd(ofFrame: 24) == 25 && planner.partEnd(ofFrame: 25) == 50)
        planner.partFrames = 9
        #expect(
            (0..<60).filter { planner.isPartStart(frame: $0) } == [0, 9, 18, 25, 34, 43, 50, 59])
        #expect(
            [0, 8, 9, 18, 24, 25, 33].map { planner.partEnd(ofFrame: $0) }
                == [9, 9, 18, 25, 25, 34, 34])
        #expect(!planner.isPartStart(frame: -9))
    }
}
