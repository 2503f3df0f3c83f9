import MediaKernel
import Testing

@Suite struct UnixTimeTests {
    @Test(arguments: [
        (Int64(0), "1970-01-01T00:00:00.000000000Z"),
        (1_679_459_050_155_978_231, "2023-03-22T04:24:10.155978231Z"),
        (951_782_400_000_000_000, "2000-02-29T00:00:00.000000000Z"),
        (4_107_542_399_999_999_999, "2100-02-28T23:59:59.999999999Z"),
        (4_107_542_400_000_000_000, "2100-03-01T00:00:00.000000000Z"),
        (-1, "1969-12-31T23:59:59.999999999Z"),
    ])
    func aTimeIsWrittenInUTCWithNanoseconds(nanoseconds: Int64, text: String) {
        #expect(UnixTime(nanoseconds: nanoseconds).description == text)
    }

    @Test func durationsLieBetweenTimes() {
        let start = UnixTime(seconds: 10)
        #expect((start + .milliseconds(1500)).nanoseconds == 11_500_000_000)
        #expect(start - .seconds(11) < start)
        #expect(start + .milliseconds(1500) - start == .milliseconds(1500))
    }

    @Test(arguments: [
        (Int64(1_999_999), Int64(1), Int64(0)), (2_000_000, 2, 0), (-1, -1, -1),
        (-1_000_000_000, -1000, -1), (1_999_999_999, 1999, 1),
    ])
    func wholeUnitsAreRoundedDown(nanoseconds: Int64, milliseconds: Int64, seconds: Int64) {
        let time = UnixTime(nanoseconds: nanoseconds)
        #expect(time.milliseconds == milliseconds && time.seconds == seconds)
        #expect(UnixTime(milliseconds: milliseconds) <= time)
    }
}
