import HTTPTypes
import Hummingbird
import MediaKernel
import Tokens

/// Lets nobody pass to a group's routes without a management token.
struct ManagementGuard<Context: RequestContext>: RouterMiddleware {
    let authority: TokenAuthority
    /// Whether who shows no token passes too.
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
