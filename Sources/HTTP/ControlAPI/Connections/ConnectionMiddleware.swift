import HTTPTypes
import Hummingbird

/// Announces in the answer that the connection ends with it, so that the client does not reuse it
/// (RFC 9112 sect. 9.6), and omits the body of an answer to HEAD, which the client would take for
/// the next answer (RFC 9110 sect. 9.3.2).
struct ConnectionMiddleware<Context: RequestContext>: RouterMiddleware {
    func handle(
        _ request: Request, context: Context,
        next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        var response = try await next(request, context)
        if request.method == .head { response = response.createHeadResponse() }
        if request.headers[.connection] == "close" { response.headers[.connection] = "close" }
        return response
    }
}
