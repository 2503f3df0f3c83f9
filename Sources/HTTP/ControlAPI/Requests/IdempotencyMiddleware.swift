import Digests
import HTTPTypes
import Hummingbird
import HummingbirdCore
import MediaKernel
import NIOCore
import Tokens

/// Answers a `POST` of the control API with an `Idempotency-Key` once, and repetitions of it with the
/// same answer (draft-ietf-httpapi-idempotency-key-header-07).
///
/// Only what had an effect is remembered: a request that was refused can be repeated with its key
/// once what was wrong is mended.
struct IdempotencyMiddleware<Context: RequestContext>: RouterMiddleware {
    private static var keyCharactersMaximum: Int { 255 }

    let authority: TokenAuthority
    let answers = RememberedAnswers()
    let clock: @Sendable () -> UnixTime

    func handle(
        _ request: Request, context: Context,
        next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        guard request.method == .post, request.uri.path.hasPrefix("/v2/"),
            let field = request.headers[.idempotencyKey], isManagement(request)
        else { return try await next(request, context) }
        guard let key = Self.key(field) else {
            throw APIError.badRequest(
                "Idempotency-Key is not valid",
                "1 to \(Self.keyCharactersMaximum) ASCII characters, with or without quotes")
        }
        var request = request
        let body = try await RequestBytes.read(
            request, maximum: Limits.repeatableBytes(of: request.uri.path))
        request.body = .init(buffer: body)
        // Tokens are made anew for each request, so the caller is known by its access key.
        let address = "\(authority.accessKey)\n\(request.head.path ?? "")\n\(key)"
        let place = Digest.sha256.hash(Array(address.utf8))
        let fingerprint = Digest.sha256.hash(Array(body.readableBytesView))
        // While the process ends, hashes are empty.
        guard !place.isEmpty, !fingerprint.isEmpty else { return try await next(request, context) }
        switch answers.begin(place, body: fingerprint, at: clock()) {
        case .answer: return try await answer(to: request, context, at: place, next)
        case .repeatAnswer(let answer): return Self.repeated(answer)
        case .wait:
            throw APIError.keyIsAnswered()
        case .refuse: throw APIError.keyIsSpent()
        }
    }

    private func answer(
        to request: Request, _ context: Context, at place: [UInt8],
        _ next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        var remembered: RememberedAnswers.Answer?
        defer { answers.end(place, with: remembered) }
        var response = try await next(request, context)
        guard response.status.kind == .successful else { return response }
        let body = try await CollectedBody.of(response.body)
        response.body = ResponseBody(byteBuffer: body)
        remembered = RememberedAnswers.Answer(head: response.head, body: body)
        return response
    }

    private static func repeated(_ answer: RememberedAnswers.Answer) -> Response {
        var headers = answer.head.headerFields
        headers[.idempotentReplayed] = "true"
        return Response(
            status: answer.head.status, headers: headers,
            body: ResponseBody(byteBuffer: answer.body))
    }

    private func isManagement(_ request: Request) -> Bool {
        (try? authority.verifyManagementToken(BearerToken.read(request), at: clock())) != nil
    }

    /// A string of structured fields (RFC 9651), or, as many clients send it, its text alone.
    private static func key(_ field: String) -> String? {
        let isQuoted = field.count >= 2 && field.first == "\"" && field.last == "\""
        let text = isQuoted ? String(field.dropFirst().dropLast()) : field
        let isValid =
            (1...keyCharactersMaximum).contains(text.utf8.count)
            && text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
        return isValid ? text : nil
    }
}

/// A response's body, collected. Those of the control API are whole already.
private struct CollectedBody: ResponseBodyWriter {
    private final class Box { var buffer = ByteBuffer() }

    private let box = Box()

    static func of(_ body: ResponseBody) async throws -> ByteBuffer {
        let writer = CollectedBody()
        try await body.write(writer)
        return writer.box.buffer
    }

    mutating func write(_ buffer: ByteBuffer) async throws {
        box.buffer.writeImmutableBuffer(buffer)
    }

    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
}

extension HTTPField.Name {
    static let idempotencyKey = HTTPField.Name("Idempotency-Key")!
    static let idempotentReplayed = HTTPField.Name("Idempotent-Replayed")!
}
