import Hummingbird
import Streams

/// Tells what was refused of a recording in a recording's words: elsewhere it is a live stream's.
struct RecordingErrors<Context: RequestContext>: RouterMiddleware {
    func handle(
        _ request: Request, context: Context,
        next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let error as LiveStreamError {
            throw APIError(error, of: .recording)
        }
    }
}
