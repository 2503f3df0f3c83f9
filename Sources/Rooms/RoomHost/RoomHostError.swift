public import Rooms

/// Why a request of a session was refused. Nothing has changed then.
public enum RoomHostError: Error, Hashable, Sendable {
    /// A rule of the room.
    case room(RoomError)
    /// An earlier join of this peer is still going on or being taken down; its client tries again.
    case busy
    /// The peer has joined without media, so there is nothing to negotiate.
    case noMedia
    /// The media plane refused a description or a candidate, in its own words.
    case media(String)
    /// The media plane could not take the peer in; its client tries again.
    case mediaUnavailable(String)
}

extension RoomHost {
    /// Turns a rule of the room into an error of the host.
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
