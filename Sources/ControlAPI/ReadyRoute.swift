import Catalogue
import Clocks
import Hummingbird
import MediaKernel

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
        let catalogueFault = Snapshot<String?>(find: { [checkCatalogue] in
            do throws(CatalogueError) {
                try await checkCatalogue()
                return nil
            } catch {
                return error.description
            }
        })
        router.get("/ready") { _, _ in
            var reasons: [String] = []
            if await control.isShuttingDown { reasons.append("the server is shutting down") }
            if let fault = try await catalogueFault.value() { reasons.append(fault) }
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
