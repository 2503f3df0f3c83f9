/// One of a peer's two connections: `target` of `trickle`.
public enum TransportTarget: Int, Sendable, Hashable, Codable {
    /// The client sends media and makes the offers.
    case publish = 0
    /// The server sends media and makes the offers.
    case subscribe = 1
}
