/// Which of a peer's connections.
public enum ConnectionKey: Hashable, Sendable {
    /// The client offers what it sends.
    case publish
    /// We offer what the peer is to receive.
    case subscribe
    /// The client offers; it may send and receive on it. Any number, by the names of its protocol.
    case named(String)

    /// A longer name is none.
    public static let nameBytesMaximum = 128
}
