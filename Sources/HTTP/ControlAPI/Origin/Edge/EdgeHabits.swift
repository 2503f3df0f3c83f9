import HTTPTypes

/// What one request of a connection after the other has in common, and what it was found to mean.
struct EdgeHabits {
    private var host: String?
    private var encodings: String?
    private var takesGzip = false

    /// Whether a request is for this server.
    mutating func include(_ request: HTTPRequest, in hosts: OwnHosts) -> Bool {
        guard let authority = request.authority, authority != host else {
            return request.authority != nil || hosts.include(nil)
        }
        guard hosts.include(authority) else { return false }
        host = authority
        return true
    }

    mutating func allowsGzip(_ request: HTTPRequest) -> Bool {
        guard let encodings = request.headerFields[.acceptEncoding] else { return false }
        if encodings != self.encodings {
            self.encodings = encodings
            takesGzip = AcceptEncoding.allowsGzip([encodings])
        }
        return takesGzip
    }
}
