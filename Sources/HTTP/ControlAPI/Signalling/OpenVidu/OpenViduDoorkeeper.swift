import Clocks
import Digests
import HTTPTypes
import Hummingbird
import MediaKernel

/// How routes of OpenVidu's REST API are added: who may use them, how errors look, and that pages of
/// other sites may call them.
struct OpenViduDoorkeeper: Sendable {
    private static let base = "/openvidu/api"
    /// The addresses of versions before 2.16, which OpenVidu still answers.
    private static let oldBase = "/api"
    private static let user = "OPENVIDUAPP"

    private let secret: String
    private let gate: GuessGate
    private var bases = [Self.base]

    /// - Parameters:
    ///   - secret: of application servers.
    ///   - gate: counts wrong ones.
    init(secret: String, gate: GuessGate) {
        self.secret = secret
        self.gate = gate
    }

    /// The same, for routes that have their old addresses too.
    var withOldAddresses: OpenViduDoorkeeper {
        var other = self
        other.bases.append(Self.oldBase)
        return other
    }

    typealias Handler =
        @Sendable (Request, CallerContext) async throws(APIError) -> Response

    /// Adds a route of the API.
    ///
    /// - Parameters:
    ///   - path: below `/openvidu/api/`.
    ///   - isOpen: whether anybody may use it.
    func add(
        _ method: HTTPRequest.Method, _ path: String, to router: Router<CallerContext>,
        isOpen: Bool = false, _ handler: @escaping Handler
    ) {
        for base in bases {
            add(method, at: "\(base)/\(path)", to: router, isOpen: isOpen, handler)
        }
    }

    /// Adds a route of any path.
    func add(
        _ method: HTTPRequest.Method, at path: String, to router: Router<CallerContext>,
        isOpen: Bool = false, _ handler: @escaping Handler
    ) {
        router.on(RouterPath(path), method: method) { request, context in
            var response: Response
            do throws(APIError) {
                if !isOpen { try check(request, context) }
                response = try await handler(request, context)
            } catch {
                response = Self.answer(error, to: request)
            }
            response.headers.append(contentsOf: CrossOrigin.headers)
            return response
        }
    }

    /// Answers browsers that ask before they call.
    func addPreflights(_ paths: [String], to router: Router<CallerContext>) {
        for base in bases {
            for path in paths {
                router.on(RouterPath("\(base)/\(path)"), method: .options) { _, _ in
                    CrossOrigin.preflight("GET, POST, PATCH, DELETE")
                }
            }
        }
    }

    private func check(_ request: Request, _ context: CallerContext) throws(APIError) {
        let caller = GuessGate.caller(of: request.headers, from: context.remoteAddress)
        guard gate.isOpen(to: caller) else { throw .tooManyRequests("too many wrong secrets") }
        let expected = Array("\(Self.user):\(secret)".utf8)
        // Hashes, so that the time says nothing about the secret.
        guard Digest.sha256.hash(Self.credentials(of: request)) == Digest.sha256.hash(expected)
        else {
            gate.failed(caller)
            throw APIError(
                .unauthorized, "the secret is missing or wrong",
                headers: [.wwwAuthenticate: "Basic realm=\"openvidu\""])
        }
    }

    /// RFC 7617; empty without any.
    private static func credentials(of request: Request) -> [UInt8] {
        let parts = (request.headers[.authorization] ?? "").split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "basic" else { return [] }
        return Base64.bytes(parts[1]) ?? []
    }

    /// In OpenVidu's form; a conflict has no body.
    private static func answer(_ error: APIError, to request: Request) -> Response {
        guard error.status != .conflict else { return Response(status: .conflict) }
        let details = error.details.isEmpty ? "" : ": " + error.details.joined(separator: "; ")
        return JSON.response(
            JSONValue.object([
                "timestamp": .integer(UnixTime.now.milliseconds),
                "status": .integer(Int64(error.status.code)),
                "error": .string(error.status.reasonPhrase),
                "message": .string(error.message + details), "path": .string(request.uri.path),
            ]), status: error.status, headers: error.headers)
    }
}
