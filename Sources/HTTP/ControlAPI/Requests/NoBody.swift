import Hummingbird

/// The body of a request that needs none. Fields in it would have no effect without notice.
struct NoBody: RequestBody {
    static let fields = BodyFields([])

    /// - Throws: a 400 if there is a field.
    static func check(_ request: Request) async throws(APIError) {
        _ = try await JSON.decode(NoBody.self, from: request)
    }
}
