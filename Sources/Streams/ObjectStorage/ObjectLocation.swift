/// The address of an object in a store: `s3://bucket/key`.
public struct ObjectLocation: Hashable, Sendable, CustomStringConvertible {
    public let bucket: String
    /// Without a leading slash.
    public let key: String

    private static let scheme = "s3://"

    public init(bucket: String, key: String) {
        self.bucket = bucket
        self.key = key
    }

    /// Nil if the text is not such an address.
    public init?(_ text: some StringProtocol) {
        guard text.hasPrefix(Self.scheme) else { return nil }
        let rest = text.dropFirst(Self.scheme.count)
        guard let slash = rest.firstIndex(of: "/") else { return nil }
        bucket = String(rest[..<slash])
        key = String(rest[rest.index(after: slash)...])
        guard !bucket.isEmpty, !key.isEmpty else { return nil }
    }

    public var description: String { "\(Self.scheme)\(bucket)/\(key)" }
}
