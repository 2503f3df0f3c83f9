public import HundredMS
public import Rooms

/// How the rooms come to be, and how much they take.
public struct RoomSettings: Hashable, Sendable {
    /// Whether a room comes to be when somebody joins it.
    public var opensOnJoin = true
    /// How long sessions are kept once they are over; nil for ever.
    public var sessionsKept: Duration? = .seconds(30 * 86_400)
    /// Rooms at a time. A room without peers is dropped, so this bounds occupied rooms.
    public var maximum = 1000
    /// Of each room.
    public var limits = RoomLimits()
    public var signalling = SignallingLimits()
    /// Whether publishers may leave it to receivers to turn their pictures.
    public var acceptsOrientation = false

    public init() {}
}
