import Hummingbird
import Streams

/// Words errors for recordings: elsewhere they speak of live streams.
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
