/// A request to a store, before it is signed.
public struct StoreRequest: Hashable, Sendable {
    public struct Field: Hashable, Sendable {
        public var name: String
        public var value: String

        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    public var method: String
    /// `host` or `host:port`, as in the Host header.
    public var host: String
    /// Begins with a slash; not percent-encoded.
    public var path: String
    /// Not percent-encoded; a parameter without a value has an empty one.
    public var query: [Field]
    /// Excludes Host; names in any case.
    public var headers: [Field]
    /// SHA-256 of the body in hexadecimal.
    public var payloadHash: String

    /// For an empty body.
    public static let emptyPayloadHash =
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

    public init(
        method: String, host: String, path: String, query: [Field] = [], headers: [Field] = [],
        payloadHash: String = Self.emptyPayloadHash
    ) {
        self.method = method
        self.host = host
        self.path = path
        self.query = query
        self.headers = headers
        self.payloadHash = payloadHash
    }

    /// Path and query as in the request line.
    public var target: String {
        let path = PercentEncoding.encoded(path, keepsSlashes: true)
        return query.isEmpty ? path : "\(path)?\(canonicalQuery)"
    }

    /// Sorted by encoded name, then by encoded value.
    var canonicalQuery: String {
        query.map { (PercentEncoding.encoded($0.name), PercentEncoding.encoded($0.value)) }
            .sorted { $0 < $1 }
            .map { "\($0.0)=\($0.1)" }
            .joined(separator: "&")
    }
}
