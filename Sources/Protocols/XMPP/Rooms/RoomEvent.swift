/// What happens in a room that we enter.
public enum RoomEvent: Hashable, Sendable {
    /// We are inside. Who else is there has been told before.
    case entered(nick: String)
    /// Somebody, or we ourselves, came, changed or left.
    case occupant(RoomPresence)
    case message(RoomMessage)
    /// What we wanted to show was refused; we are still inside.
    case refused(StanzaError)
    /// We are not, or no longer, in the room.
    case ended(RoomEnding)
}
