public import MediaKernel

/// The right to fetch one asset with all its files until a time: a component of the path,
/// `<asset>.<expiry>.<signature>`.
///
/// In the path, because players resolve a playlist's addresses against it and drop a query: so one
/// link is enough for a whole VOD. The signature is HMAC-SHA256 over asset and expiry.
public struct AssetLink: Hashable, Sendable {
    /// Of `[A-Za-z0-9_-]`.
    public let asset: String
    /// In whole seconds.
    public let expiry: UnixTime

    /// Longer links are refused unread; Roomcast's are below 100.
    static let bytesMaximum = 256
    static let assetBytesMaximum = 128
    /// The year 2255.
    static let expirySecondsMaximum: Int64 = 9_000_000_000

    /// Nil for an asset id that a path cannot hold, and for a time too far away.
    public init?(asset: String, expiry: UnixTime) {
        guard (1...Self.assetBytesMaximum).contains(asset.utf8.count),
            asset.utf8.allSatisfy(\.isWord),
            (0...Self.expirySecondsMaximum).contains(expiry.seconds)
        else { return nil }
        self.asset = asset
        self.expiry = UnixTime(seconds: expiry.seconds)
    }

    /// The component of the path.
    public func signed(with key: SigningKey) -> String {
        "\(asset).\(expiry.seconds).\(Base64URL.text(key.code(of: message)))"
    }

    /// Why a link is refused.
    public enum Refusal: Error, Hashable, Sendable {
        case malformed
        case wrongSignature
        /// It was valid until this time.
        case expired(UnixTime)
    }

    /// Reads a component of a path. Expiry is only reported for a valid signature.
    public init(
        verifying component: some StringProtocol, with key: SigningKey, at now: UnixTime
    ) throws(Refusal) {
        guard component.utf8.count <= Self.bytesMaximum else { throw .malformed }
        let parts = component.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let seconds = Int64(parts[1]), String(seconds) == parts[1],
            (0...Self.expirySecondsMaximum).contains(seconds),
            let link = AssetLink(asset: String(parts[0]), expiry: UnixTime(seconds: seconds)),
            let code = Base64URL.bytes(parts[2])
        else { throw .malformed }
        guard key.isValid(code, of: link.message) else { throw .wrongSignature }
        guard now < link.expiry else { throw .expired(link.expiry) }
        self = link
    }

    private var message: [UInt8] { Array("\(asset)\n\(expiry.seconds)".utf8) }
}
