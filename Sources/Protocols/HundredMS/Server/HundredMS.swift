public import RoomHost

/// 100ms' protocol.
public struct HundredMS: RoomProtocol {
    private let limits: SignallingLimits

    public init(limits: SignallingLimits = SignallingLimits()) { self.limits = limits }

    public func makeSessions() -> any RoomSessions { HundredMSSessions(limits: limits) }
}
