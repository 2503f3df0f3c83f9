import HTTPTypes
import Hummingbird
import Logging
import MediaKernel

/// Gives every request an id, by which its answer and its lines in logs can be found: the caller's own,
/// or a new one.
struct RequestIDMiddleware<Context: RequestContext>: RouterMiddleware {
    /// The longest id of a caller that is taken over.
    private static var charactersMaximum: Int { 64 }

    func handle(
        _ request: Request, context: Context,
        next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        var context = context
        if let id = request.headers[.xRequestID], Self.isSane(id) {
            context.logger[metadataKey: "hb.request.id"] = .string(id)
        }
        var response = try await next(request, context)
        response.headers[.xRequestID] = context.id
        return response
    }

    /// What may go into logs and headers as it is.
    private static func isSane(_ id: String) -> Bool {
        (1...charactersMaximum).contains(id.utf8.count)
            && id.utf8.allSatisfy { $0.isWord || $0 == UInt8(ascii: ".") }
    }
}

extension HTTPField.Name {
    static let xRequestID = HTTPField.Name("X-Request-ID")!
}
