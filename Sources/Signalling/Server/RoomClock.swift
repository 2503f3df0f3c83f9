internal import Foundation
public import MediaKernel
public import Rooms

/// The clocks that a room's signalling reads: one to reckon with and one to show.
public struct RoomClock: Sendable {
    public var now: @Sendable () -> Instant
    public var wall: @Sendable () -> WallTime

    public init(now: @escaping @Sendable () -> Instant, wall: @escaping @Sendable () -> WallTime) {
        self.now = now
        self.wall = wall
    }

    /// The machine's clocks. Instants count from the first use in this process.
    public static let system: RoomClock = {
        let origin = ContinuousClock.now
        return RoomClock(
            now: { Instant.zero + origin.duration(to: .now) },
            wall: { WallTime(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)) })
    }()
}
