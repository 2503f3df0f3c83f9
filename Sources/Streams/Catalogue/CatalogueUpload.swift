/// The upload of an asset: the state that must outlive the process, and the latest result.
public struct CatalogueUpload: Hashable, Sendable {
    /// The asset's id.
    public var asset: String
    /// The uploader's state as JSON. The catalogue does not parse it.
    public var progress: String
    /// The number of bytes that the store has accepted.
    public var bytesSent: Int64
    /// The failed attempts since the last success.
    public var failures: Int
    /// Why the latest attempt failed; nil if it succeeded.
    public var reason: String?

    public init(
        asset: String, progress: String = "{}", bytesSent: Int64 = 0, failures: Int = 0,
        reason: String? = nil
    ) {
        self.asset = asset
        self.progress = progress
        self.bytesSent = bytesSent
        self.failures = failures
        self.reason = reason
    }
}
