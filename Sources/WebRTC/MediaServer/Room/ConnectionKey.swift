/// Identifies one of a peer's connections.
public enum ConnectionKey: Hashable, Sendable {
    /// The client offers the tracks it sends.
    case publish
    /// We offer the tracks that the peer receives.
    case subscribe
    /// The client offers, and may send and receive. A peer may have several, named by its protocol.
    case named(String)

    /// Longer names are refused.
    public static let nameBytesMaximum = 128
}
