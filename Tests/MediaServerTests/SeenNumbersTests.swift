import RTP
import Testing

@testable import MediaServer

@Suite("Which numbers have come")
struct SeenNumbersTests {
    private func new(_ numbers: [UInt16]) -> [Bool] {
        var seen = SeenNumbers()
        return numbers.map { seen.insert(SequenceNumber($0)) }
    }

    @Test func eachIsNewOnce() {
        #expect(
            new([10, 11, 11, 13, 12, 12, 10, 13]) == [
                true, true, false, true, true, false, false, false,
            ])
    }

    @Test func numbersFromBeforeTheFirstAreNew() {
        #expect(new([2, 65_535, 1, 65_535]) == [true, true, true, false])
    }

    @Test func theCountGoesOnOverItsEnd() {
        #expect(new([65_534, 65_535, 0, 65_535, 0, 1]) == [true, true, true, false, false, true])
    }

    @Test func whatIsTooOldIsTakenForSeen() {
        let window = UInt16(SeenNumbers.window)
        #expect(new([0, window, 1, 0]) == [true, true, true, false])
    }

    @Test func aPlaceIsUsedAgainAfterAJump() {
        let window = UInt16(SeenNumbers.window)
        #expect(
            new([5, 5 + window, 5 + window, 20_000, 20_001]) == [true, true, false, true, true])
    }
}
