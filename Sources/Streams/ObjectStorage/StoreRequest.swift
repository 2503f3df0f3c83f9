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
    /// Begins with a slash; not encoded.
    public var path: String
    /// Not encoded; of a parameter without value the value is empty.
    public var query: [Field]
    /// Beside Host; names in any case.
    public var headers: [Field]
    /// SHA-256 of the body in hexadecimal.
    public var payloadHash: String

    /// Of a body without a byte.
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

    /// Path and query as they stand in the request's first line.
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
