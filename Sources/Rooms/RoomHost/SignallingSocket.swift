/// One peer's WebSocket, from the signalling's point of view.
///
/// `send` may wait for a slow reader, and returns true once the frame is on its way, or false if it
/// never will be. The signalling never holds anything else up while it waits. `close` may be called
/// more than once, and while a `send` waits, which then returns; nothing is sent after it.
public protocol SignallingSocket: Sendable {
    func send(_ text: String) async -> Bool
    func close(code: UInt16, reason: String) async
}

/// WebSocket close codes, RFC 6455 section 7.4.1 and IANA's registry.
public enum CloseCode {
    public static let normal: UInt16 = 1000
    public static let goingAway: UInt16 = 1001
    public static let policyViolation: UInt16 = 1008
    public static let messageTooBig: UInt16 = 1009
    public static let tryAgainLater: UInt16 = 1013
}
