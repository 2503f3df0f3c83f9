public import RoomHost

/// OpenVidu 2's protocol: JSON-RPC on a WebSocket, and a WebRTC connection for each stream that a
/// client publishes or receives (`docs/OPENVIDU.md`).
public struct OpenVidu: RoomProtocol {
    private let limits: OpenViduLimits
    private let observer: (any OpenViduObserver)?

    /// - Parameter observer: gets what happens in the rooms; nil if nobody wants to know.
    public init(
        limits: OpenViduLimits = OpenViduLimits(), observer: (any OpenViduObserver)? = nil
    ) {
        self.limits = limits
        self.observer = observer
    }

    public func makeSessions() -> any RoomSessions {
        OpenViduSessions(limits: limits, observer: observer)
    }
}
