import Catalogue
import Hummingbird
import Logging
import MediaKernel
import Streams

/// `GET /ready`, for load balancers: whether the server takes new callers. `/health` only shows
/// that the server runs, which it does during a shutdown too.
///
/// A server with its maximum number of streams is ready: it still serves its rooms and viewers.
struct ReadyRoute: Sendable {
    let control: any LiveStreamControl
    /// Checks whether the catalogue is writable.
    let checkCatalogue: @Sendable () async throws(CatalogueError) -> Void

    func add(to router: Router<some RequestContext>) {
        // The check writes to disk, and the route is public.
        let catalogue = Snapshot(find: checkCatalogue)
        router.get("/ready") { _, context in
            var reasons: [String] = []
            if await control.isShuttingDown { reasons.append("the server is shutting down") }
            do throws(LiveStreamError) {
                try await control.checkStorage()
            } catch {
                context.logger.error("not ready", metadata: ["error": "\(error)"])
                reasons.append("a directory of streams or recordings was deleted or replaced")
            }
            do {
                try await catalogue.value()
            } catch let error as CatalogueError {
                context.logger.error("not ready", metadata: ["error": "\(error)"])
                // Other details are not public.
                let told = APIError(error)
                reasons.append(told.details.first ?? "the catalogue cannot be used")
            }
            var response = JSON.response(
                Body(status: reasons.isEmpty ? "ready" : "unready", reasons: reasons),
                status: reasons.isEmpty ? .ok : .serviceUnavailable)
            response.headers[.cacheControl] = "no-store"
            return response
        }
    }

    private struct Body: Encodable {
        var status: String
        var reasons: [String]
    }
}
