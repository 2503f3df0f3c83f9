import HTTPTypes
import Hummingbird
import MediaKernel
import Tokens

/// Admits only requests with a management token to a group's routes.
struct ManagementGuard<Context: RequestContext>: RouterMiddleware {
    let authority: TokenAuthority
    /// Whether requests without a token are admitted too.
    var isOpen = false
    let clock: @Sendable () -> UnixTime

    func handle(
        _ request: Request, context: Context,
        next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        if isOpen, request.headers[.authorization] == nil {
            return try await next(request, context)
        }
        do {
            _ = try authority.verifyManagementToken(BearerToken.read(request), at: clock())
        } catch {
            throw APIError.managementToken(error)
        }
        return try await next(request, context)
    }
}
