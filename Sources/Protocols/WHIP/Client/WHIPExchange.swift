import Foundation
import MediaKernel
import RemoteRoom

/// A client's exchange with a WHIP (RFC 9725) or WHEP (draft-ietf-wish-whep-03) endpoint: decides
/// which requests to make and what the responses mean. No socket, no clock.
struct WHIPExchange: Sendable {
    enum Purpose: Sendable {
        /// WHIP.
        case publishing
        /// WHEP.
        case playing
    }

    struct Request: Hashable, Sendable {
        enum Method: String, Sendable {
            case post = "POST"
            case patch = "PATCH"
            case delete = "DELETE"
        }

        var method: Method
        var url: URL
        /// Nil if the request goes to an origin other than the token's.
        var bearer: String?
        /// SDP; nil for a request without a body.
        var body: String?
    }

    struct Response: Hashable, Sendable {
        var status: Int
        var location: String?
        var contentType: String?
        var retryAfter: String?
        var body: String
    }

    enum Step: Hashable, Sendable {
        /// The server has moved.
        case ask(Request)
        /// The session exists; the server's answer is SDP.
        case answered(String)
        /// The server refuses our offer and sends its own, as SDP, to be answered.
        case countered(String)
        /// The server has accepted our answer.
        case accepted
        /// The server is busy, or the source is not on air yet.
        case again(after: Duration)
        case over(RoomEnd)
    }

    static let redirectsMaximum = 5
    /// A longer body is not a session description.
    static let bodyBytesMaximum = 256 << 10
    /// The longest pause that a server may ask for.
    static let pauseMaximum: Duration = .seconds(60)
    static let pauseDefault: Duration = .seconds(1)
    /// The most characters of the server's message in an error.
    static let wordsMaximum = 200

    let endpoint: URL
    private let token: String?
    private let purpose: Purpose
    /// Nil allows all hosts.
    private let hosts: WebHosts?
    private var asked: Request?
    private var redirects = 0
    /// The session's URL; nil while there is no session.
    private(set) var session: URL?

    /// The server that has our session, or our endpoint while there is none; without brackets.
    var host: String { HTTPURL((session ?? endpoint).absoluteString)?.host ?? "" }

    /// - Parameter hosts: the allowed hosts; nil for all.
    init(
        endpoint text: String, token: String?, purpose: Purpose = .publishing,
        hosts: WebHosts? = nil
    ) throws(RoomEnd) {
        guard let url = URL(string: text), Self.isHTTP(url) else { throw .badEndpoint(text) }
        endpoint = url
        self.token = token
        self.purpose = purpose
        self.hosts = hosts
        guard isAllowed(url) else { throw Self.foreign(url) }
    }

    /// Begins a session.
    mutating func offer(_ description: String) -> Request {
        redirects = 0
        session = nil
        return ask(Request(method: .post, url: endpoint, bearer: token, body: description))
    }

    /// Answers the server's own offer. draft-ietf-wish-whep-03 sect. 4.3. Nil if there is no
    /// session.
    mutating func answer(_ description: String) -> Request? {
        guard let session else { return nil }
        return ask(
            Request(
                method: .patch, url: session, bearer: bearer(for: session), body: description))
    }

    /// The next step after the response to the latest request.
    mutating func received(_ response: Response) -> Step {
        guard let asked else { return .over(.protocolViolation("an answer to no request")) }
        switch response.status {
        case 201: return created(response, by: asked)
        case 406 where purpose == .playing && asked.method == .post && response.location != nil:
            return created(response, by: asked)
        case 200 where asked.method == .patch, 204 where asked.method == .patch: return .accepted
        case 404 where purpose == .playing && asked.method == .post,
            409 where purpose == .playing && asked.method == .post, 429, 503:
            return .again(after: Self.pause(response.retryAfter))
        case 307, 308: return redirected(response, from: asked)
        case 500...599: return .over(.unreachable("status \(response.status)"))
        case 400...499:
            return .over(.refused(code: response.status, message: words(of: response)))
        default:
            return .over(.protocolViolation("the server answered with \(response.status)"))
        }
    }

    /// The reason for giving up on a server that asks for yet another attempt.
    func lackOfPatience(after response: Response) -> RoomEnd {
        switch response.status {
        case 404, 409: .unreachable("nothing is on air there (status \(response.status))")
        default: .unreachable("status \(response.status)")
        }
    }

    /// Ends the session. RFC 9725 sect. 4.2. Nil if there is none.
    mutating func end() -> Request? {
        guard let session else { return nil }
        self.session = nil
        return Request(method: .delete, url: session, bearer: bearer(for: session), body: nil)
    }

    // MARK: - Answers

    private mutating func created(_ response: Response, by request: Request) -> Step {
        guard let location = response.location.flatMap({ Self.resolve($0, against: request.url) })
        else { return .over(.protocolViolation("the session has no address")) }
        guard isAllowed(location) else { return .over(Self.foreign(location)) }
        // Stored first: even if the answer is invalid, the session has to be ended.
        session = location
        let type = response.contentType.map { $0.prefix { $0 != ";" && $0 != " " }.lowercased() }
        guard type ?? "application/sdp" == "application/sdp" else {
            return .over(.protocolViolation("the answer is \(type ?? ""), not application/sdp"))
        }
        return response.status == 406 ? .countered(response.body) : .answered(response.body)
    }

    /// Only these two statuses keep method and body, and RFC 9725 sect. 4.5 allows no others.
    private mutating func redirected(_ response: Response, from request: Request) -> Step {
        guard redirects < Self.redirectsMaximum else {
            return .over(.protocolViolation("more than \(Self.redirectsMaximum) redirections"))
        }
        guard let target = response.location.flatMap({ Self.resolve($0, against: request.url) })
        else { return .over(.protocolViolation("a redirection without an address")) }
        guard isAllowed(target) else { return .over(Self.foreign(target)) }
        redirects += 1
        var next = request
        next.url = target
        next.bearer = bearer(for: target)
        return .ask(ask(next))
    }

    private mutating func ask(_ request: Request) -> Request {
        asked = request
        return request
    }

    /// The token is sent only to the origin that it was given for, as browsers do.
    private func bearer(for url: URL) -> String? {
        let isSameOrigin =
            url.scheme?.lowercased() == endpoint.scheme?.lowercased()
            && url.host?.lowercased() == endpoint.host?.lowercased()
            && Self.port(of: url) == Self.port(of: endpoint)
        return isSameOrigin ? token : nil
    }

    private static func port(of url: URL) -> Int {
        url.port ?? Int(WebAddress.standardPort(isSecure: url.scheme?.lowercased() == "https"))
    }

    private static func isHTTP(_ url: URL) -> Bool {
        ["http", "https"].contains(url.scheme?.lowercased()) && url.host?.isEmpty == false
    }

    private static func resolve(_ location: String, against base: URL) -> URL? {
        guard let url = URL(string: location, relativeTo: base)?.absoluteURL, Self.isHTTP(url)
        else { return nil }
        return url
    }

    /// A server that was asked over TLS does not make us give that up.
    private func isAllowed(_ url: URL) -> Bool {
        guard let hosts else { return true }
        guard let address = hosts.allowed(url.absoluteString) else { return false }
        return address.isSecure || endpoint.scheme?.lowercased() != "https"
    }

    private static func foreign(_ url: URL) -> RoomEnd {
        .failed("\(url.host ?? "") is not one of the hosts that may be asked")
    }

    /// In seconds. Dates (RFC 9110 sect. 10.2.3) are not supported.
    private static func pause(_ text: String?) -> Duration {
        guard let seconds = text.flatMap({ Int($0) }), seconds >= 0 else { return pauseDefault }
        return min(max(.seconds(seconds), pauseDefault), pauseMaximum)
    }

    /// The server's message, from `application/problem+json` (RFC 9457) or from plain text, without
    /// our token.
    private func words(of response: Response) -> String {
        struct Problem: Decodable {
            var title: String?
            var detail: String?
            var message: String?
        }
        let problem = try? JSONDecoder().decode(Problem.self, from: Data(response.body.utf8))
        let words =
            problem?.detail ?? problem?.message ?? problem?.title
            ?? response.body.split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
        let shown = RoomSecrets([token ?? ""]).hidden(in: words)
        let clean = shown.filter { !$0.isNewline }.prefix(Self.wordsMaximum)
        return clean.isEmpty ? "no reason given" : String(clean)
    }
}
