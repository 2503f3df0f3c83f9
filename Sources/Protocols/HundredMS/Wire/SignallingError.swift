internal import Foundation
public import GroupCalls
public import HundredMSTerms
public import MediaKernel
public import Rooms

/// An error in a frame. Its only cost is the frame.
public enum SignallingError: Error, Hashable, Sendable {
    /// Not JSON, or not an object with a method.
    case malformed(FrameFault)
    case unknownMethod(String)
    /// The dotted path of the parameter.
    case missingParameter(String)
    case badParameter(String, ParameterFault)
    /// More frames, of any kind, than a connection may send.
    case tooManyFrames
    /// More media than a peer may send: on that track, or on all of its tracks together.
    case tooMuchMedia(track: String?)
    /// A frame longer than a call of this method can need; `maximum` is in bytes.
    case frameTooLong(method: String, maximum: Int)
    /// A call that comes before `join` has been answered.
    case joinFirst(method: String)
    /// The client believes itself in the room but has lost its place: the server was restarted, or
    /// the client was away for too long.
    case placeLost(PeerID, kept: Duration)
    /// The token has expired, and its peer is no longer in the room, or wants to join anew.
    case tokenExpired
    /// Another join of this peer is in progress; the client should try again.
    case busy
    case room(RoomError)
    case streaming(LiveStreamingError)
    case call(CallError)
    /// The media plane refused the client's offer; the string is its message.
    case media(String)
    /// The media plane could not accept the peer; the client should try again.
    case mediaUnavailable(String)
    case notEncodable(String)

    /// As in JSON-RPC errors, with three digits: see ``Rooms/RoomError/code``.
    public var code: Int {
        switch self {
        case .malformed, .missingParameter, .badParameter, .frameTooLong, .joinFirst, .media: 400
        case .tokenExpired: 401
        case .placeLost: RoomError.peerGone("").code
        case .tooManyFrames, .tooMuchMedia: 429
        case .unknownMethod: 404
        case .busy: 503
        case .room(let error): error.code
        case .streaming(let error): error.failure.code
        case .call(let error): error.code
        case .mediaUnavailable, .notEncodable: 500
        }
    }

    public var message: String {
        switch self {
        case .malformed(let fault): "malformed frame: \(fault.words)"
        case .unknownMethod(let method): "method '\(method)' is not known here"
        case .missingParameter(let path): "parameter '\(path)' is missing"
        case .badParameter(let path, let fault): "parameter '\(path)' \(fault.words)"
        case .tooManyFrames: "too many frames, or too large ones"
        case .tooMuchMedia(let track?):
            "track '\(track)' sends more than its role allows for: the rest of it is left out"
        case .tooMuchMedia(nil): "this peer sends too much media: the rest of it is left out"
        case .frameTooLong(let method, let maximum):
            "a '\(method)' frame has at most \(maximum) bytes"
        case .joinFirst(let method): "'\(method)' needs a joined peer: join first"
        case .placeLost(let peer, let kept):
            "peer \(peer) has no place in this room any more: "
                + "a lost one is kept for \(kept.components.seconds) s; join again"
        case .tokenExpired: "token is expired: it only lets a peer back to its place in the room"
        case .busy: "an earlier connection of this peer is still being set up or taken down"
        case .room(let error): error.message
        case .streaming(let error): error.failure.message
        case .call(let error): error.message
        case .media(let reason): reason
        case .mediaUnavailable(let reason): "no media for this peer: \(reason)"
        case .notEncodable: "internal error"
        }
    }

    /// 100ms' number for the error, if it has one.
    public var number: ErrorNumber? {
        switch self {
        case .tokenExpired: .token
        case .placeLost: .peerGone
        case .room(let error): error.number
        default: nil
        }
    }

    /// With the error numbers of the client's kind.
    func payload(for client: ClientKind) -> ErrorPayload {
        ErrorPayload(code: client.code(code, number), message: message)
    }

    /// Names the parameter that could not be read.
    init(reading error: any Error) {
        guard let error = error as? DecodingError else {
            self = .malformed(.json(.malformed))
            return
        }
        switch error {
        case .keyNotFound(let key, let context):
            self = .missingParameter(Self.path(context.codingPath + [key]))
        case .valueNotFound(_, let context):
            self = .missingParameter(Self.path(context.codingPath))
        case .typeMismatch(let type, let context):
            let path = Self.path(context.codingPath)
            self =
                path.isEmpty
                ? .malformed(.notAnObject)
                : .badParameter(path, ParameterFault(expected: type))
        case .dataCorrupted(let context):
            let path = Self.path(context.codingPath)
            self =
                path.isEmpty
                ? .malformed(.json(.malformed))
                : .badParameter(path, .notAllowed)
        @unknown default:
            self = .malformed(.json(.malformed))
        }
    }

    private static func path(_ keys: [any CodingKey]) -> String {
        let names = keys.map { $0.intValue.map { "\($0)" } ?? $0.stringValue }
        let inner = names.first == "params" && names.count > 1 ? names.dropFirst() : names[...]
        return inner.joined(separator: ".")
    }
}
