import Catalogue
import Hummingbird
import Logging
import MediaKernel
import Streams

/// `GET /ready`, for load balancers: whether new callers are to be sent here. `/health` says only
/// that the server lives, which it does while it is being stopped.
///
/// A server with as many streams as it may have is ready: its rooms and viewers are no less served.
struct ReadyRoute: Sendable {
    let control: any LiveStreamControl
    /// Finds out whether the catalogue can be written.
    let checkCatalogue: @Sendable () async throws(CatalogueError) -> Void

    func add(to router: Router<some RequestContext>) {
        // Writing costs the disk something, and anybody may ask.
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
                // What else is wrong with it is not everybody's business.
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
