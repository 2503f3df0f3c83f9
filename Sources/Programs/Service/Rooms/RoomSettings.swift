public import HundredMS
public import Rooms

/// How rooms are created, and their limits.
public struct RoomSettings: Hashable, Sendable {
    /// Whether joining an unknown room creates it.
    public var opensOnJoin = true
    /// How long to keep finished sessions; nil for ever.
    public var sessionsKept: Duration? = .seconds(30 * 86_400)
    /// Concurrent rooms. A room without peers is dropped, so this bounds occupied rooms.
    public var maximum = 1000
    /// Per room.
    public var limits = RoomLimits()
    public var signalling = SignallingLimits()
    /// Whether publishers may leave the rotation of their pictures to receivers.
    public var acceptsOrientation = false
    public var openVidu = OpenViduSettings()
    /// Nil where Jitsi's clients cannot meet.
    var jitsi: JitsiSettings?

    public init() {}
}
