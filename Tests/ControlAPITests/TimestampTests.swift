import Testing

@testable import ControlAPI

@Suite struct TimestampTests {
    @Test(arguments: [
        (Int64(0), "1970-01-01T00:00:00.000000000Z"),
        (1_679_459_050_155_978_231, "2023-03-22T04:24:10.155978231Z"),
        (951_782_400_000_000_000, "2000-02-29T00:00:00.000000000Z"),
        (4_107_542_399_999_999_999, "2100-02-28T23:59:59.999999999Z"),
        (4_107_542_400_000_000_000, "2100-03-01T00:00:00.000000000Z"),
        (-1, "1969-12-31T23:59:59.999999999Z"),
    ])
    func aTimestampIsWrittenInUTCWithNanoseconds(nanoseconds: Int64, text: String) {
        #expect(Timestamp(nanoseconds: nanoseconds).description == text)
    }

    @Test func aTimestampIsAdvancedByADuration() {
        let start = Timestamp(seconds: 10)
        #expect(start.advanced(by: .milliseconds(1500)).nanoseconds == 11_500_000_000)
        #expect(start.advanced(by: .seconds(-11)) < start)
    }
}
