public import Rooms

/// Why a request of a session was refused. Nothing has changed.
public enum RoomHostError: Error, Hashable, Sendable {
    /// A rule of the room.
    case room(RoomError)
    /// An earlier join of this peer is still in progress or being undone; its client tries again.
    case busy
    /// The peer has joined without media, so there is nothing to negotiate.
    case noMedia
    /// The media plane refused a description or a candidate, with this message.
    case media(String)
    /// The media plane could not admit the peer; its client tries again.
    case mediaUnavailable(String)
}

extension RoomHost {
    /// Converts a room's error.
    func ruled<Value>(
        _ body: () throws(RoomError) -> Value
    ) throws(RoomHostError) -> Value {
        do {
            return try body()
        } catch {
            throw .room(error)
        }
    }
}
