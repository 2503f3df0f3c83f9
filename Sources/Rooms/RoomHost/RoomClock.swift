internal import Clocks
public import MediaKernel

/// The clocks that a room's signalling reads: one to reckon with and one to show.
public struct RoomClock: Sendable {
    public var now: @Sendable () -> Instant
    public var wall: @Sendable () -> UnixTime

    public init(now: @escaping @Sendable () -> Instant, wall: @escaping @Sendable () -> UnixTime) {
        self.now = now
        self.wall = wall
    }

    /// The machine's clocks. Instants count from the first use in this process.
    public static let system: RoomClock = {
        let origin = ContinuousClock.now
        return RoomClock(
            now: { Instant.zero + origin.duration(to: .now) },
            // As the protocol has time, so that a room's events have one time wherever they show.
            wall: { UnixTime(milliseconds: UnixTime.now.milliseconds) })
    }()
}
