import MediaKernel
import Testing

@Suite struct MediaTimeTests {
    @Test func rescalesToTheNearestTick() {
        #expect(MediaTime(ticks: 1, timescale: 30).rescaled(to: 90_000).ticks == 3000)
        #expect(MediaTime(ticks: 1, timescale: 3).rescaled(to: 10).ticks == 3)
        #expect(MediaTime(ticks: -1, timescale: 2).rescaled(to: 1).ticks == -1)
        let year = MediaTime(ticks: 48_000 * 86_400 * 365, timescale: 48_000)
        #expect(year.rescaled(to: 90_000).ticks == 90_000 * 86_400 * 365)
    }

    @Test func ntpTimeKeepsNanosecondsWithinItsResolution() {
        let time = NTPTime(unixNanoseconds: 1_700_000_000_123_456_789)
        let era = Int64(NTPTime.unixEpochSeconds) * 1_000_000_000
        #expect(abs(time.nanoseconds - era - 1_700_000_000_123_456_789) <= 1)
    }
}
