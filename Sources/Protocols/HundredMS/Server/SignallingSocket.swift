/// One peer's WebSocket, as the signalling sees it.
///
/// `send` returns when the frame is on its way, or with false when it never will be, and may wait for
/// a slow reader; the signalling never waits for it while it holds anything else up. `close` may come while a `send` waits, which then
/// returns, and may come more than once; after it nothing more is sent.
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

/// One socket of one peer, for as long as it is open.
public struct ConnectionID: Hashable, Sendable {
    let rawValue: UInt64
}
