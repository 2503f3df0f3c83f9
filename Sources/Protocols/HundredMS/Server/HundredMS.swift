public import PeerConnection
public import RoomHost

/// 100ms' protocol.
public struct HundredMS: RoomProtocol {
    /// The data channel of its clients (docs/PROTOCOL.md sect. 8).
    public static let channel = ChannelFormat(label: "ion-sfu", protocol: "SCTP")

    private let limits: SignallingLimits

    public init(limits: SignallingLimits = SignallingLimits()) { self.limits = limits }

    public func makeSessions() -> any RoomSessions { HundredMSSessions(limits: limits) }
}
