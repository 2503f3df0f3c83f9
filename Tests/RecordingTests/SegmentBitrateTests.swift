import Testing

@testable import Recording

/// RFC 8216 sect. 4.1. Four frames a second, and two seconds of target duration: stretches of four
/// to twelve frames count.
@Suite struct SegmentBitrateTests {
    private func rate(_ segments: [(bytes: Int, frames: Int)]) -> SegmentBitrate {
        SegmentBitrate(
            segments.map { SegmentBitrate.Segment(byteCount: $0.bytes, frameCount: $0.frames) },
            frameRate: 4, targetDuration: 2)
    }

    @Test func theHeaviestSegmentIsThePeak() {
        let found = rate([(1000, 8), (3000, 8), (2000, 8)])
        #expect(found.peak == 12_000)
        #expect(found.average == 8000)
    }

    @Test func aShortSegmentCountsWithItsNeighbour() {
        // Three frames alone are too few, and eleven are not too many.
        let found = rate([(1000, 8), (3000, 3), (1000, 8)])
        #expect(found.peak == 4000 * 8 * 4 / 11 + 1)
        #expect(found.average == 5000 * 8 * 4 / 19 + 1)
    }

    @Test func bothEndsOfTheRangeAreInIt() {
        // A half of the target duration by itself.
        #expect(rate([(1000, 8), (2000, 4), (1000, 8)]).peak == 16_000)
        // One and a half times it, together with the segment before.
        #expect(rate([(1000, 9), (2000, 3), (100, 8)]).peak == 8000)
    }

    /// Then the rest is lighter than the average, and no peak is below that.
    @Test func aHeavySegmentThatNeighboursMakeTooLongDoesNotCount() {
        let found = rate([(1000, 10), (2000, 3), (100, 10)])
        #expect(found.peak == found.average && found.average == 3100 * 8 * 4 / 23 + 1)
    }

    @Test func aRecordingThatIsShorterThanAnyStretchHasItsAverage() {
        let found = rate([(1000, 2)])
        #expect(found.peak == 16_000 && found.average == 16_000)
    }

    @Test func shortSegmentsMakeAStretchTogether() {
        #expect(rate([(100, 3), (500, 3), (600, 3), (100, 3)]).peak == 1100 * 8 * 4 / 6 + 1)
    }

    @Test func aFractionOfABitIsABit() {
        #expect(rate([(1, 7)]).average == 5)
    }

    /// As in a manually changed log.
    @Test func bytesThatNoStreamHasAreANumberStill() {
        let absurd = rate([(.max, 8), (.max, 8)])
        #expect(absurd.peak == 1_000_000_000_000_000 && absurd.average == absurd.peak)
    }
}
