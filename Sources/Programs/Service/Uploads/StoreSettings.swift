public import ObjectStorage

/// The store for finished assets, and optionally for live streams, and how to use it.
public struct StoreSettings: Hashable, Sendable {
    /// The server's credentials for the store.
    public enum Credentials: Hashable, Sendable {
        case fixed(AWSCredentials)
        /// In the form of `~/.aws/credentials`; read again whenever it changes.
        case file(String)
    }

    public var store: ObjectStore
    public var credentials: Credentials
    /// The size of the parts of an upload.
    public var partBytes = MultipartUpload.partBytesStandard
    /// Whether to keep the local files too.
    public var keepsLocal = false
    /// Whether to upload live streams while they are on air.
    public var copiesLive = false
    /// The viewers' base URL for objects below the prefix, without a trailing slash; viewers are
    /// sent there for live streams. Nil if viewers use this server.
    public var copyURL: String?
    /// The longest pause between two attempts.
    public var delayMaximum = MultipartUpload.delayMaximum
    /// A request is retried if the store neither accepts nor sends data for this long.
    public var timeout: Duration = .seconds(60)

    public init(store: ObjectStore, credentials: Credentials) {
        self.store = store
        self.credentials = credentials
    }
}
