internal import MediaKernel
internal import RoomHost
internal import Rooms

/// An error as OpenVidu's clients get it. The numbers are OpenVidu's, and for unreadable frames
/// those of JSON-RPC.
public struct OpenViduError: Error, Hashable, Sendable {
    public var code: Int
    public var message: String

    public init(code: Int, message: String) {
        self.code = code
        self.message = message
    }

    static let malformed = OpenViduError(code: -32_700, message: "the frame is not valid JSON-RPC")
    static func unknownMethod(_ name: String) -> OpenViduError {
        OpenViduError(code: -32_601, message: "unknown method '\(name.prefix(64))'")
    }
    static func badParameter(_ name: String, _ reason: String) -> OpenViduError {
        OpenViduError(code: -32_602, message: "'\(name)' \(reason)")
    }

    static func generic(_ message: String) -> OpenViduError {
        OpenViduError(code: 999, message: message)
    }
    static let joinFirst = OpenViduError(code: 803, message: "the client has not joined a session")
    static func description(_ reason: String) -> OpenViduError {
        OpenViduError(code: 302, message: reason)
    }
    static func media(_ reason: String) -> OpenViduError {
        OpenViduError(code: 303, message: reason)
    }
    static let userUnknown = 102
    static let userExists = 104
    static let userNotStreaming = 105
    static let userUnauthorized = 401
    static let recorderExists = OpenViduError(
        code: userExists, message: "the session has a recorder already")
    static func unknownUser(_ id: String) -> OpenViduError {
        OpenViduError(
            code: userUnknown, message: "no connection '\(id.prefix(128))' in this session")
    }
    static func notStreaming(_ id: String) -> OpenViduError {
        OpenViduError(
            code: userNotStreaming, message: "'\(id.prefix(128))' publishes no such stream")
    }
    static let alreadyStreaming = OpenViduError(
        code: 106, message: "the connection publishes a stream already")
    public static func unauthorized(_ reason: String) -> OpenViduError {
        OpenViduError(code: userUnauthorized, message: reason)
    }
    static func metadata(_ reason: String) -> OpenViduError {
        OpenViduError(code: 500, message: reason)
    }
    static func signalFormat(_ reason: String) -> OpenViduError {
        OpenViduError(code: 600, message: reason)
    }
    static func signalTarget(_ reason: String) -> OpenViduError {
        OpenViduError(code: 601, message: reason)
    }
    static let reconnection = OpenViduError(code: 40_007, message: "reconnection error")

    init(_ error: RoomHostError) {
        switch error {
        case .room(let error): self.init(error)
        case .busy: self = .generic("the connection is being set up or taken down; try again")
        case .noMedia: self = .media("the connection has no media")
        case .media(let reason): self = .description(reason)
        case .mediaUnavailable(let reason): self = .media(reason)
        }
    }

    init(_ error: RoomError) {
        let code =
            switch error {
            case .unknownPeer, .peerGone, .notJoined: 102
            case .alreadyJoined, .peerIDTaken: 104
            case .unknownTrack: 105
            case .roomLocked: 203
            case .roomFull, .roleFull, .tooManyConnections: 204
            case .unknownRole: 402
            case .missingPermission, .mayNotPublish: 401
            default: 999
            }
        self.init(code: code, message: error.message)
    }
}
