import Catalogue
public import HTTPTypes
public import Hummingbird
import HundredMSTerms
import Logging
public import MediaKernel
import NIOCore
import Rooms
import Signing
public import Streams
import Tokens

/// The error that a caller of the REST API gets when a request fails. Peers get other errors with
/// their own codes: `RoomError`, `SignallingError`, `StreamingFailure`.
///
/// On the wire it is 100ms' error body, `{"code": 401, "message": "…", "details": ["…"]}`. `code`
/// repeats the status, or is a more specific number of 100ms'.
public struct APIError: HTTPResponseError, Hashable {
    public var status: HTTPResponse.Status
    public var code: Int
    /// One sentence, stable enough to show to users.
    public var message: String
    /// The exact problem, for developers.
    public var details: [String]
    public var headers: HTTPFields
    /// What a person is told who opened the address in a browser; nil for what fits the status.
    var page: ErrorPage.Words?

    /// - Parameter code: nil to repeat the status.
    init(
        _ status: HTTPResponse.Status, code: Int? = nil, _ message: String,
        details: [String] = [], headers: HTTPFields = [:], page: ErrorPage.Words? = nil
    ) {
        self.page = page
        self.status = status
        self.code = code ?? status.code
        self.message = message
        self.details = details
        self.headers = headers
    }

    /// The caller sent something invalid.
    public static func badRequest(_ message: String, _ details: String...) -> APIError {
        APIError(.badRequest, message, details: details)
    }

    /// The control API's answer to a missing or bad management token.
    static func managementToken(_ error: TokenError) -> APIError {
        APIError(
            .unauthorized, "Token validation error", details: [error.description],
            headers: [.wwwAuthenticate: "Bearer"])
    }

    /// The control API's answer to a token that may only read recordings.
    static func readerOnly() -> APIError {
        APIError(
            .forbidden, "this token may only look at recordings",
            details: ["a management token may do the rest"])
    }

    /// The gateway's answer to a missing or bad room token: the reason is the message, since
    /// client SDKs show only that.
    static func roomToken(_ error: TokenError) -> APIError {
        APIError(
            .unauthorized, code: error.number.rawValue, error.description,
            headers: [.wwwAuthenticate: "Bearer"])
    }

    /// The room's policy has no such role.
    public static func unknownRole(_ name: String) -> APIError {
        APIError(
            .unauthorized, code: ErrorNumber.role.rawValue, "role '\(name)' does not exist",
            details: ["it is not in the room's policy"], headers: [.wwwAuthenticate: "Bearer"])
    }

    /// The token is for another room than the address.
    static func otherRoom(_ id: RoomID) -> APIError {
        APIError(
            .badRequest, code: ErrorNumber.otherRoom.rawValue, "the token is for another room",
            details: ["it is for room \(id)"])
    }

    public static func forbidden(_ message: String, _ details: String...) -> APIError {
        APIError(.forbidden, message, details: details)
    }

    public static func notFound(_ message: String, _ details: String...) -> APIError {
        APIError(.notFound, message, details: details)
    }

    /// The recording was there, and will not come back.
    static func recordingGone(_ message: String, _ details: String...) -> APIError {
        APIError(
            .gone, message, details: details,
            page: ErrorPage.Words(
                "This recording is gone",
                "It was deleted, or its time was over. Whoever sent the link may have a copy."))
    }

    /// The room does not exist, and joining does not create it.
    public static func unknownRoom(_ id: RoomID) -> APIError {
        APIError(
            .badRequest, code: ErrorNumber.unknownRoom.rawValue, "room \(id) does not exist",
            details: ["rooms are made by POST /v2/rooms"], page: .unknownRoom)
    }

    /// The room takes no new peers.
    public static func roomDisabled(_ id: RoomID) -> APIError {
        APIError(
            .forbidden, "room is disabled", details: ["room \(id)"],
            page: ErrorPage.Words(
                "This room is closed",
                "Whoever hosts it has locked it, or it is over. Ask them to open it again, then"
                    + " reload this page."))
    }

    static func upgradeRequired() -> APIError {
        APIError(
            .upgradeRequired, "this is a WebSocket endpoint",
            details: ["RFC 6455: GET with Upgrade: websocket and Sec-WebSocket-Version: 13"],
            headers: [.upgrade: "websocket", .secWebSocketVersion: "13"])
    }

    /// A signed address is not valid.
    static func refusedLink(_ refusal: AssetLink.Refusal) -> APIError {
        switch refusal {
        case .malformed, .wrongSignature:
            APIError(
                .forbidden, "the link is not valid",
                page: ErrorPage.Words(
                    "This link does not work",
                    "A part of it may be missing. Copy all of it, or ask whoever sent it to send it"
                        + " again."))
        case .expired(let time):
            APIError(
                .forbidden, "the link has expired", details: ["it was valid until \(time)"],
                page: ErrorPage.Words(
                    "This link has expired", "Ask whoever sent it for a new one."))
        }
    }

    /// The state of what the request names does not allow it.
    public static func notAcceptable(_ message: String) -> APIError {
        APIError(.notAcceptable, message)
    }

    /// The values are understood, but cannot be had.
    public static func unprocessable(_ message: String) -> APIError {
        APIError(.unprocessableContent, message)
    }

    /// What the request names is of a kind with which this cannot be done.
    public static func notAllowed(_ message: String) -> APIError {
        APIError(.methodNotAllowed, message)
    }

    /// The path is known, but not with this method (RFC 9110 sect. 15.5.6).
    static func wrongMethod(
        _ method: HTTPRequest.Method, allowed: [String]
    ) -> APIError {
        let list = allowed.joined(separator: ", ")
        return APIError(
            .methodNotAllowed, "method not allowed",
            details: ["\(method.rawValue) is not one of \(list)"], headers: [.allow: list])
    }

    /// The resource is not the client's version (RFC 9110 sect. 15.5.13).
    public static func preconditionFailed() -> APIError {
        APIError(
            .preconditionFailed, "it has changed, or is another",
            details: ["If-Match or If-Unmodified-Since does not hold"],
            headers: [.cacheControl: "no-store"])
    }

    /// The request is for another server.
    static func misdirected() -> APIError {
        APIError(
            .misdirectedRequest, "this server has another name",
            details: [
                "with the development key it is localhost, 127.0.0.1, ::1, and what http.publicURL says"
            ])
    }

    /// No peer publishes the requested media, which may change. draft-ietf-wish-whep sect. 4.2.
    public static func nothingToPlay() -> APIError {
        APIError(
            .conflict, "nobody publishes what is to be played", headers: [.retryAfter: "5"])
    }

    /// A change without the required `If-Match`. RFC 6585 sect. 3.
    public static func preconditionRequired() -> APIError {
        APIError(.preconditionRequired, "If-Match is missing")
    }

    /// The body is of an unsupported type. RFC 9110 sect. 15.5.16.
    static func unsupportedMediaType(wanted type: String) -> APIError {
        APIError(
            .unsupportedMediaType, "the body must be \(type)", headers: [.accept: type])
    }

    static func tooLarge(maximum: Int) -> APIError {
        APIError(.contentTooLarge, "the body is longer than \(maximum) bytes")
    }

    public static func tooManyRequests(_ details: String...) -> APIError {
        APIError(
            .tooManyRequests, "too many requests", details: details, headers: [.retryAfter: "1"])
    }

    /// Possible, but not now: a limit of this machine is reached, or it is shutting down.
    public static func unavailable(_ message: String, _ details: String...) -> APIError {
        APIError(.serviceUnavailable, message, details: details, headers: [.retryAfter: "5"])
    }

    /// The server's fault. The cause goes into the log, not to the caller.
    public static func `internal`() -> APIError {
        APIError(.internalServerError, "internal error")
    }

    public func response(from request: Request, context: some RequestContext) -> Response {
        answer
    }

    var answer: Response { answer(to: nil) }

    /// - Parameter request: the id of the request, which the body names; nil for a body of 100ms'
    ///   fields alone.
    func answer(to request: String?) -> Response {
        var response =
            if let request {
                JSON.response(IdentifiedBody(body: body, request: request), status: status)
            } else {
                JSON.response(body, status: status)
            }
        response.headers.append(contentsOf: headers)
        return response
    }

    var body: Body { Body(code: code, message: message, details: details) }

    struct Body: Codable, Hashable {
        var code: Int
        var message: String
        var details: [String]
    }

    /// The body with the request's id.
    private struct IdentifiedBody: Encodable {
        var body: Body
        var request: String

        enum CodingKeys: String, CodingKey { case request = "request_id" }

        func encode(to encoder: any Encoder) throws {
            try body.encode(to: encoder)
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(request, forKey: .request)
        }
    }
}

extension APIError {
    /// Converts the refusal of an operation on a live stream or a recording.
    public init(_ error: LiveStreamError, of kind: LiveStream.Kind = .stream) {
        let subject =
            switch kind {
            case .stream: "live stream"
            case .recording: "recording"
            }
        switch error {
        case .notFound(let what): self = .notFound("\(subject) not found", what)
        case .unknownDestination:
            self = .badRequest("destination is not valid", error.description)
        case .tooManyStreams(let running, let maximum):
            self = .unavailable(
                "too many streams", "too_many_streams: \(running) of \(maximum) are on air")
        case .insufficientCPU(let idle, let needed):
            self = .unavailable(
                "not enough CPU",
                "insufficient_cpu: \(LiveStreamError.cores(idle)) cores are idle, "
                    + "\(LiveStreamError.cores(needed)) are needed")
        case .tooManyVariants(let room, let maximum):
            self = .unavailable(
                "too many variants",
                "too_many_variants: room \(room) may have at most \(maximum) on air")
        case .runsOtherwise:
            self = .conflict("live stream is already running, but differently", error.description)
        case .invalidLayout(let reason): self = .badRequest("layout is not valid", reason)
        case .tooManyPages:
            self = .unavailable("too many custom views", "too_many_pages: \(error.description)")
        case .noBrowser:
            self = .unavailable("no browser for custom views", "no_browser: \(error.description)")
        case .insufficientMemory:
            self = .unavailable(
                "not enough memory", "insufficient_memory: \(error.description)")
        case .sourceNotAllowed, .sourceLocked, .conferenceUnknown, .pagesDisabled:
            self = .badRequest("meeting_url is not supported", error.description)
        case .invalidResolution(let reason): self = .badRequest("resolution is not valid", reason)
        case .invalidContainer(let reason):
            self = .badRequest("container is not valid", reason)
        case .invalidOutput(let fault):
            self = .badRequest("output is not valid", fault.description)
        case .tooManyOutputs: self = .conflict("too many outputs", error.description)
        case .notOnAir(let id):
            let message =
                switch kind {
                case .stream: "live stream is not on air"
                case .recording: "recording is not running"
                }
            self = .conflict(message, "stream \(id)")
        case .notRunning(let id):
            self = .conflict("live stream is not running", "stream \(id)")
        case .tooMuchTimedMetadata:
            self = .conflict("too much timed metadata", error.description)
        case .invalidCaption(let reason): self = .badRequest("captions are not valid", reason)
        case .tooManyCaptions: self = .conflict("too many captions", error.description)
        case .tooFast:
            self = .tooManyRequests(error.description)
        case .notRecorded(let id):
            self = .conflict("live stream is not recorded", "stream \(id)")
        case .roomDeleted(let room): self = .roomDeleted(room)
        case .unknownPolicy(let reason):
            self = .unavailable("the room's policy cannot be told", reason)
        case .catalogueUnavailable(let reason):
            self = .unavailable("the catalogue cannot be used", reason)
        case .catalogueBroken: self = .internal()
        case .shuttingDown: self = .unavailable("the server is shutting down")
        case .storage(let reason):
            self = .unavailable("the output directory cannot be used", reason)
        }
    }

    /// Not possible now, but perhaps later.
    public static func conflict(_ message: String, _ details: String...) -> APIError {
        APIError(.conflict, message, details: details)
    }
}

extension APIError {
    /// Converts an error of the catalogue.
    init(_ error: CatalogueError) {
        self.init(LiveStreamError(error))
    }
}

extension ErrorPage.Words {
    static var unknownRoom: Self {
        ErrorPage.Words(
            "There is no such room",
            "Check the link for typing errors, or ask whoever invited you for a new one.")
    }
}
