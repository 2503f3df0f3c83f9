import HTTPTypes
import Hummingbird
import MediaKernel
import Tokens

/// Lets the operator's page use the control API: `/admin/api/v2/…` is `/v2/…`, and
/// `/admin/api/recordings` is `/api/recordings`, with a session in place of a token.
struct AdminPassage<Inner: HTTPResponder>: HTTPResponder where Inner.Context == CallerContext {
    let inner: Inner
    /// Nil without the page.
    let door: AdminDoor?
    let authority: TokenAuthority
    let clock: @Sendable () -> UnixTime

    /// Of the token that each request gets: just for that request.
    private static var tokenLifetime: Duration { .seconds(60) }

    func respond(to request: Request, context: CallerContext) async throws -> Response {
        guard let door, let path = AdminPath.inner(of: request.head.path ?? "") else {
            return try await inner.respond(to: request, context: context)
        }
        do throws(APIError) {
            try await door.check(request)
        } catch {
            return error.answer(to: context.id)
        }
        var head = request.head
        head.path = path
        head.headerFields[.cookie] = nil
        let token = try authority.makeManagementToken(at: clock(), lifetime: Self.tokenLifetime)
        head.headerFields[.authorization] = "Bearer \(token)"
        return try await inner.respond(
            to: Request(head: head, body: request.body), context: context)
    }
}

enum AdminPath {
    static let api = "/admin/api"

    /// The control API's path of one below the page's; nil for other paths.
    static func inner(of path: String) -> String? {
        guard path.hasPrefix("\(api)/") else { return nil }
        let rest = path.dropFirst(api.utf8.count)
        if rest.hasPrefix("/v2/") { return String(rest) }
        let isOfRecordings = rest.prefix { $0 != "?" } == "/recordings"
        return isOfRecordings ? "/api\(rest)" : nil
    }
}
