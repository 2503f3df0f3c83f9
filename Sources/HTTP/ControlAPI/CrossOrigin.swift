import HTTPTypes
import Hummingbird

/// Headers that allow pages of other sites to make the calls of 100ms' clients (Fetch standard,
/// CORS protocol).
///
/// There are no credentials, since the token is in a header or in the body: any origin may read the
/// answers.
enum CrossOrigin {
    static let headers: HTTPFields = [.accessControlAllowOrigin: "*", .vary: "Origin"]

    /// - Parameter methods: that the path has, e.g. `GET`.
    static func preflight(_ methods: String) -> Response {
        var headers = headers
        headers[.accessControlAllowMethods] = "\(methods), OPTIONS"
        headers[.accessControlAllowHeaders] = "authorization, content-type"
        headers[.accessControlMaxAge] = "86400"
        return Response(status: .noContent, headers: headers)
    }
}
