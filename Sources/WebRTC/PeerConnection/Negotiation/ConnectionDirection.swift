/// Which of a participant's two connections: the one it sends on, or the one it receives on.
/// One direction each keeps offers from colliding: whoever sends, offers.
public enum ConnectionDirection: Sendable, Hashable {
    case publish
    case subscribe
}
