public import MediaKernel
internal import RoomHost
public import Rooms

/// The reason for refusing a request for a WHIP or WHEP session. The request has changed nothing.
public enum WHIPError: Error, Hashable, Sendable {
    /// The session does not exist, or has ended.
    case unknownSession
    /// The peer to be played does not exist.
    case unknownPeer(PeerID)
    /// No peer publishes the requested media at present.
    case nothingToPlay
    /// The description or the fragment cannot be used.
    case badDescription(String)
    /// A `PATCH` without `If-Match`. RFC 9725 sect. 4.3.1.
    case preconditionRequired
    /// The entity tag is not that of the current ICE generation.
    case preconditionFailed
    /// The session sends too many `PATCH` requests.
    case tooManyRequests
    /// The client's role does not permit the request.
    case forbidden(String)
    /// The request violates a rule of the room.
    case room(RoomError)
    /// The media plane cannot accept the session; the client should try again.
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
