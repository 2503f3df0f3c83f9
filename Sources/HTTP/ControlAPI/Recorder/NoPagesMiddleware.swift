import HTTPTypes
import Hummingbird

/// Answers 403 to web pages: a browser sends their requests to its own machine and network, too, and
/// says so. Monitors, scripts and a person's address bar are let through.
struct NoPagesMiddleware<Context: RequestContext>: RouterMiddleware {
    private static var site: HTTPField.Name? { HTTPField.Name("Sec-Fetch-Site") }

    let hosts: OwnHosts

    func handle(
        _ request: Request, context: Context,
        next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        let site = Self.site.flatMap { request.headers[$0] }
        guard request.headers[.origin] == nil, site == nil || site == "none" else {
            throw HTTPError(.forbidden, message: "not for web pages")
        }
        guard hosts.include(request.head.authority) else {
            throw HTTPError(
                .forbidden, message: "the host is no address, not localhost, and not what is set")
        }
        return try await next(request, context)
    }
}
