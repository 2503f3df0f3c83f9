import HTTPTypes
import Hummingbird
import MediaKernel

/// Whether a request was made by this server's own page. A cookie alone would also be sent with what
/// another site's page makes the browser ask for, wherever `SameSite` is not obeyed.
struct SameOrigin: Sendable {
    let endpoints: Endpoints

    /// A page of another site cannot set it without asking first, which nobody answers.
    static let header = HTTPField.Name("X-Roomcast-Admin")!
    private static let fetchSite = HTTPField.Name("Sec-Fetch-Site")!

    /// - Throws: a 403.
    func check(_ request: Request) throws(APIError) {
        guard request.headers[Self.header] != nil else {
            throw .forbidden("not a request of the page", "the header X-Roomcast-Admin is missing")
        }
        // Browsers tell it (Fetch Metadata); what is no browser has no other site.
        if let site = request.headers[Self.fetchSite], site != "same-origin" {
            throw .forbidden("not a request of the page", "it was made by another site")
        }
        guard let origin = request.headers[.origin] else {
            guard request.method == .get || request.method == .head else {
                throw .forbidden("not a request of the page", "the header Origin is missing")
            }
            return
        }
        guard let url = HTTPURL(origin), url.target.isEmpty,
            endpoints.authorities(for: request).contains(url.authority.lowercased())
        else { throw .forbidden("not a request of the page", "it was made by another site") }
    }

    /// Whether the browser reached this server, or the proxy before it, over TLS.
    func isSecure(_ request: Request) -> Bool {
        if endpoints.isTLS { return true }
        return (request.headers[.origin] ?? endpoints.base(for: request)).lowercased()
            .hasPrefix("https:")
    }
}
