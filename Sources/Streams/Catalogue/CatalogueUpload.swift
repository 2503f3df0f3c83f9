/// An asset on its way into a store: what must outlive the process, and what the last attempt said.
public struct CatalogueUpload: Hashable, Sendable {
    /// The asset's id.
    public var asset: String
    /// What the uploader knows, as JSON of its own; it is not looked into.
    public var progress: String
    /// Bytes that the store has taken.
    public var bytesSent: Int64
    /// Attempts that failed since the last one that did not.
    public var failures: Int
    /// Why the last attempt failed; nil when it did not.
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
