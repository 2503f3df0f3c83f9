import MediaKernel
import Stage
import Testing

/// A restarted track does not affect its peer's playout delay: a sudden decrease would be audible,
/// and sound would fall behind its picture until it has caught up.
@Suite struct RepublicationTests {
    /// A peer whose audio has long needed 300 ms, and whose pictures need nothing.
    private static func settled() -> SimulatedPath {
        var path = SimulatedPath()
        path.delay = { track, _, random in
            (track == SimulatedPath.sound ? Double.random(in: 0...0.250, using: &random) : 0, true)
        }
        path.run(seconds: 40)
        return path
    }

    /// Runs on and returns the shortest playout delay, in seconds.
    private static func shortest(_ path: inout SimulatedPath, seconds: Double) -> Double {
        var shortest = path.playout
        path.run(seconds: seconds) { shortest = min(shortest, $0.playout) }
        return shortest
    }

    @Test func soundThatIsPublishedAnewUnderItsNameKeepsTheDelay() {
        var path = Self.settled()
        let before = path.playout
        #expect(before > 0.290)
        path.clock.addTrack(SimulatedPath.sound, clockRate: 48_000, isSound: true)
        #expect(Self.shortest(&path, seconds: 2) >= before - 0.010)
    }

    @Test(arguments: [5.5, 7, 9.5])
    func anRTPClockThatStoodStillKeepsTheDelay(stall: Double) {
        var path = Self.settled()
        let before = path.playout
        let end = path.time + stall
        path.isAway = { track, time in track == SimulatedPath.sound && time < end }
        path.stalls[SimulatedPath.sound] = stall
        #expect(Self.shortest(&path, seconds: stall + 2) >= before - 0.010)
    }

    /// Its role is not heard for a while, and the peer has no other track as a reference.
    @Test(arguments: [false, true])
    func soundWhoseRoleIsHeardAgainKeepsTheDelay(wasRemoved: Bool) {
        var path = Self.settled()
        path.clock.removeTrack(SimulatedPath.picture)
        path.run(seconds: 2)
        let before = path.playout
        let end = path.time + 5
        path.isAway = { track, time in track == SimulatedPath.picture || time < end }
        if wasRemoved { path.clock.removeTrack(SimulatedPath.sound) }
        path.run(seconds: 5)
        path.clock.addTrack(SimulatedPath.sound, clockRate: 48_000, isSound: true)
        #expect(Self.shortest(&path, seconds: 2) >= before - 0.010)
    }
}
