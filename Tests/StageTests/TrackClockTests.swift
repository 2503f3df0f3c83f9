import MediaKernel
import Testing

@testable import Stage

@Suite struct TrackClockTests {
    private func at(_ milliseconds: Int) -> Instant { .zero + .milliseconds(milliseconds) }

    /// Another track may have delayed its peer.
    @Test func whatFollowsAJumpIsNotPresentedBeforeWhatCameBefore() {
        var clock = TrackClock(clockRate: 1000, isSound: false)
        func arrive(_ timestamp: Int64, at now: Instant) {
            clock.arrived(timestamp, ready: now, playout: 100_000_000, at: now)
        }
        arrive(0, at: at(0))
        #expect(clock.base == 100_000_000)
        clock.postpone(by: 500_000_000)
        arrive(40, at: at(40))
        clock.follow(target: 600_000_000, timestamp: 40, at: at(40))
        arrive(1_000_000, at: at(80))
        #expect(clock.mediaTime(1_000_000) == 0 && clock.base == 640_000_000)
        // Later, it is presented one playout delay after its arrival, as at first.
        arrive(-1_000_000, at: at(5000))
        #expect(clock.base == 5_100_000_000)
    }
}

@Suite struct DelayWindowTests {
    private func at(_ seconds: Int) -> Instant { .zero + .seconds(seconds) }

    @Test func theSmallestOfTheLastSecondsCounts() {
        var window = DelayWindow(seconds: 10)
        window.add(5, at: at(0))
        window.add(7, at: at(9))
        #expect(window.minimum == 5)
        window.add(8, at: at(10))
        #expect(window.minimum == 7)
    }

    @Test func whatIsForgottenLeavesTheNewest() {
        var window = DelayWindow(seconds: 10)
        window.add(5, at: at(0))
        window.add(7, at: at(3))
        window.forget(before: at(2))
        #expect(window.minimum == 7)
        window.forget(before: at(9))
        #expect(window.minimum == 7)
    }
}
