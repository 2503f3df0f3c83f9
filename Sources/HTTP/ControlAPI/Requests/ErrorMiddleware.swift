import Catalogue
import HTTPTypes
import Hummingbird
import Logging
import Streams

/// Gives every error the API's own form, or that of a page for people, and logs the server's
/// faults.
struct ErrorMiddleware<Context: RequestContext>: RouterMiddleware {
    /// What it says about methods.
    var known = KnownMethods()
    /// Those of its pages.
    var languages = Languages.english

    func handle(
        _ request: Request, context: Context,
        next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let error as APIError {
            return answer(error, to: request, context)
        } catch let error as LiveStreamError {
            return answer(APIError(error), to: request, context)
        } catch let error as CatalogueError {
            Self.log(error, of: request, context)
            return answer(APIError(error), to: request, context)
        } catch let error as any HTTPResponseError {
            return answer(translated(error, of: request), to: request, context)
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            Self.log(error, of: request, context)
            return answer(.internal(), to: request, context)
        }
    }

    private func answer(
        _ error: APIError, to request: Request, _ context: Context
    ) -> Response {
        ErrorPage.isWanted(by: request)
            ? ErrorPage(error: error, texts: languages.texts(for: request)).answer
            : error.answer(to: context.id)
    }

    private static func log(_ error: any Error, of request: Request, _ context: Context) {
        context.logger.error(
            "request failed",
            metadata: [
                "method": "\(request.method)", "path": "\(request.uri.path.prefix(200))",
                "error": "\(error)",
            ])
    }

    /// The router's own errors: it has no route for the path, or for its method.
    private func translated(_ error: any HTTPResponseError, of request: Request) -> APIError {
        switch error.status {
        case .notFound:
            guard let methods = known.methods(of: request.uri.path),
                !methods.contains(request.method.rawValue)
            else { return .notFound("not found") }
            return .wrongMethod(request.method, allowed: methods)
        case .contentTooLarge: return .tooLarge(maximum: Limits.bodyBytes)
        default:
            return APIError(error.status, error.status.reasonPhrase.lowercased())
        }
    }
}
