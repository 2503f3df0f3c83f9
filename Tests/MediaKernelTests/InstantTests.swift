import MediaKernel
import Testing

@Suite struct InstantTests {
    /// Attoseconds of up to 9.2 s fit into one word.
    @Test(arguments: [
        0, 1, -1, 999_999_999, 9_223_372_036, -9_223_372_036, 9_223_372_037, -9_223_372_037,
        Int64.max, Int64.min,
    ])
    func aDurationOfNanosecondsHasSoMany(count: Int64) {
        #expect(Duration.nanoseconds(count).nanoseconds == count)
    }

    @Test func whatIsBeyondAWordIsTheNearestThatFits() {
        let ages = Duration.seconds(Int64.max / 1000)
        #expect(ages.nanoseconds == .max)
        #expect((Duration.zero - ages).nanoseconds == .min)
    }

    @Test func fractionsOfANanosecondAreRoundedTowardsZero() {
        for seconds in [0, 20] {
            let duration = Duration(
                secondsComponent: Int64(seconds), attosecondsComponent: 1_999_999_999)
            #expect(duration.nanoseconds == Int64(seconds) * 1_000_000_000 + 1)
            #expect((Duration.zero - duration).nanoseconds == -duration.nanoseconds)
        }
    }

    @Test func ofTwoInstantsTheEarlierIsTakenAndNeverIsLaterThanAny() {
        let early = Instant(nanoseconds: 1)
        let late = Instant(nanoseconds: 2)
        #expect(Instant.earlier(early, late) == early)
        #expect(Instant.earlier(late, early) == early)
        #expect(Instant.earlier(nil, late) == late)
        #expect(Instant.earlier(late, nil) == late)
        #expect(Instant.earlier(nil, nil) == nil)
    }
}
