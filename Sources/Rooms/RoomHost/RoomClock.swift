internal import Clocks
public import MediaKernel

/// The clocks of a room's signalling: one for calculations and one for display.
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
            // In the protocol's resolution, so that a room's events have the same time everywhere.
            wall: { UnixTime(milliseconds: UnixTime.now.milliseconds) })
    }()
}
