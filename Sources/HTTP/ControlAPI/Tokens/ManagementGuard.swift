import HTTPTypes
import Hummingbird
import MediaKernel
import Tokens

/// Admits only requests with a management token to a group's routes.
struct ManagementGuard<Context: RequestContext>: RouterMiddleware {
    let authority: TokenAuthority
    /// Whether requests without a token are admitted too.
    var isOpen = false
    /// Whether a token for looking at recordings is enough to read.
    var isForReaders = false
    let clock: @Sendable () -> UnixTime

    func handle(
        _ request: Request, context: Context,
        next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        if isOpen, request.headers[.authorization] == nil {
            return try await next(request, context)
        }
        let caller = try ManagementCaller(
            token: BearerToken.read(request), authority: authority, at: clock())
        let isReading = request.method == .get || request.method == .head
        guard caller == .manager || isForReaders && isReading else { throw APIError.readerOnly() }
        return try await next(request, context)
    }
}

/// Whose token a request of the control API has.
enum ManagementCaller: Hashable, Sendable {
    case manager
    /// May look at recordings and nothing else.
    case reader

    init(
        token: String, authority: TokenAuthority, at now: UnixTime
    ) throws(APIError) {
        do throws(TokenError) {
            _ = try authority.verifyManagementToken(token, at: now)
            self = .manager
        } catch {
            // The reason is that of a management token, unless it is surely a reader's.
            guard case .wrongType("recordings", _) = error else { throw .managementToken(error) }
            do throws(TokenError) {
                _ = try authority.verifyRecordingsToken(token, at: now)
            } catch {
                throw .managementToken(error)
            }
            self = .reader
        }
    }
}
