import Hummingbird

/// Refuses requests whose query has a parameter that the route does not know.
struct QueryCheck<Context: RequestContext>: RouterMiddleware {
    func handle(
        _ request: Request, context: Context,
        next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        if request.uri.query != nil {
            let fields = QueryFields.of(context.endpointPath ?? "", request.method)
            let faults = fields.faults(in: request.uri.queryParameters)
            guard faults.isEmpty else {
                throw APIError.malformedQuery(faults)
            }
        }
        return try await next(request, context)
    }
}
