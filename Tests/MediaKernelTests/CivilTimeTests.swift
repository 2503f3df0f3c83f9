import MediaKernel
import Testing

@Suite("Civil time")
struct CivilTimeTests {
    @Test(
        "A point of time has the date and the time that the calendar gives it",
        arguments: [
            (0, "1970-01-01T00:00:00", 0),
            (-1, "1969-12-31T23:59:59", 999_999_999),
            (951_782_400_000_000_001, "2000-02-29T00:00:00", 1),
            (1_679_459_050_155_978_231, "2023-03-22T04:24:10", 155_978_231),
            (4_107_542_399_000_000_000, "2100-02-28T23:59:59", 0),
            (4_107_542_400_000_000_000, "2100-03-01T00:00:00", 0),
            (Int64.min, "1677-09-21T00:12:43", 145_224_192),
            (Int64.max, "2262-04-11T23:47:16", 854_775_807),
        ] as [(Int64, String, Int64)])
    func known(nanoseconds: Int64, text: String, fraction: Int64) {
        let civil = CivilTime(unixNanoseconds: nanoseconds)
        #expect("\(civil.date)T\(civil.time)" == text)
        #expect(civil.nanosecond == fraction)
        #expect(
            civil.compactDate + civil.compactTime
                == text.filter { $0.isNumber })
    }

    @Test("Each day of 290 years follows the one before it and is found again")
    func cycle() {
        var last = CivilTime(unixNanoseconds: -86_400_000_000_000)
        for day in Int64(0)..<106_000 {
            let civil = CivilTime(unixNanoseconds: day * 86_400_000_000_000)
            let isNextDay =
                civil.day == last.day + 1 && civil.month == last.month
                || civil.day == 1 && last.day >= 28
                    && (civil.month == last.month + 1
                        || civil.month == 1 && last.month == 12 && civil.year == last.year + 1)
            #expect(isNextDay, "day \(day)")
            #expect(
                CivilTime.days(year: civil.year, month: civil.month, day: civil.day) == day)
            last = civil
        }
    }
}
