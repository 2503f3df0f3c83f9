public import MediaKernel
internal import RoomHost
public import Rooms

/// Why a request for a session of WHIP or WHEP was refused. Nothing has changed then.
public enum WHIPError: Error, Hashable, Sendable {
    /// There is no such session, or not any more.
    case unknownSession
    /// There is no such peer to be played.
    case unknownPeer(PeerID)
    /// No peer publishes the requested media at present.
    case nothingToPlay
    /// The description or the fragment cannot be used.
    case badDescription(String)
    /// A `PATCH` without `If-Match`. RFC 9725 sect. 4.4.1.
    case preconditionRequired
    /// The entity tag is not that of the current ICE generation.
    case preconditionFailed
    /// More `PATCH`es than a session may send.
    case tooManyRequests
    /// The role does not let its peers do that.
    case forbidden(String)
    /// A rule of the room.
    case room(RoomError)
    /// The media plane cannot take the session in; the client tries again.
    case unavailable(String)

    init(_ error: RoomHostError) {
        switch error {
        case .room(let error): self = .room(error)
        case .busy: self = .unavailable("an earlier session is still being taken down")
        case .noMedia: self = .unknownSession
        case .media(let reason): self = .badDescription(reason)
        case .mediaUnavailable(let reason): self = .unavailable(reason)
        }
    }
}
