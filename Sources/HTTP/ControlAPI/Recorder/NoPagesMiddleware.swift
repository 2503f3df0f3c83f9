import HTTPTypes
import Hummingbird

/// Answers 403 to web pages: a browser sends their requests to its own machine and network, too, but
/// says that they come from a page. Monitors, scripts and a person's address bar are let through.
struct NoPagesMiddleware<Context: RequestContext>: RouterMiddleware {
    let hosts: OwnHosts

    func handle(
        _ request: Request, context: Context,
        next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        let site = request.headers[.fetchSite]
        guard request.headers[.origin] == nil, site == nil || site == "none" else {
            throw HTTPError(.forbidden, message: "not for web pages")
        }
        guard hosts.include(request.head.authority) else {
            throw HTTPError(
                .forbidden,
                message: "the host must be an address, localhost, or the name that is set")
        }
        return try await next(request, context)
    }
}

extension HTTPField.Name {
    fileprivate static let fetchSite = HTTPField.Name("Sec-Fetch-Site")!
}
