import MediaKernel
import Testing

@testable import Bot

@Suite struct ArrivalBacklogTests {
    private var backlog = ArrivalBacklog()

    /// - Parameters:
    ///   - media: milliseconds on the sender's clock.
    ///   - arrival: milliseconds here.
    private mutating func isIgnored(_ media: Int64, at arrival: Int64) -> Bool {
        backlog.contains(
            7_000 + media * 48, rate: 48_000, at: Instant(nanoseconds: arrival * 1_000_000))
    }

    @Test mutating func whatWaitedWhileNothingWasReadIsIgnored() {
        for media in stride(from: Int64(0), through: 4000, by: 20) {
            #expect(!isIgnored(media, at: media + 5))
        }
        // Nothing is read for ten seconds, then all at once.
        for media in stride(from: Int64(4020), to: 11_000, by: 20) {
            #expect(isIgnored(media, at: 14_020), "\(media)")
        }
        for media in stride(from: Int64(11_100), to: 20_000, by: 20) {
            #expect(!isIgnored(media, at: max(14_020, media + 5)), "\(media)")
        }
    }

    @Test mutating func aSenderWhoseClockStoodStillIsBelievedAfterTwoSeconds() {
        _ = isIgnored(0, at: 0)
        var ignored = 0
        for media in stride(from: Int64(20), to: 6000, by: 20)
        where isIgnored(media, at: media + 8000) {
            ignored += 1
        }
        #expect(ignored == 100)
    }

    @Test mutating func aPauseAndAnotherClockAreNoBacklog() {
        _ = isIgnored(0, at: 0)
        #expect(!isIgnored(60_000, at: 60_000))
        #expect(!isIgnored(-3_000_000, at: 90_000))
        #expect(!isIgnored(-2_999_980, at: 90_020))
    }
}
