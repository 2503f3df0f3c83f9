public import RoomHost

/// OpenVidu 2's protocol: JSON-RPC on a WebSocket, and a WebRTC connection for each stream that a
/// client publishes or receives (`docs/OPENVIDU.md`).
public struct OpenVidu: RoomProtocol {
    private let limits: OpenViduLimits

    public init(limits: OpenViduLimits = OpenViduLimits()) { self.limits = limits }

    public func makeSessions() -> any RoomSessions { OpenViduSessions(limits: limits) }
}
