/// One of a participant's two connections: for sending or for receiving. With one direction each,
/// offers do not collide: the sender offers.
public enum ConnectionDirection: Sendable, Hashable {
    case publish
    case subscribe
}
