public import ObjectStorage

/// Where finished assets are taken to, and live streams if they are to be, and how.
public struct StoreSettings: Hashable, Sendable {
    /// Who the server is to the store.
    public enum Credentials: Hashable, Sendable {
        case fixed(AWSCredentials)
        /// In the form of `~/.aws/credentials`; read again whenever it changes.
        case file(String)
    }

    public var store: ObjectStore
    public var credentials: Credentials
    /// Of a part of an upload.
    public var partBytes = MultipartUpload.partBytesStandard
    /// Whether files stay here too.
    public var keepsLocal = false
    /// Whether live streams are taken there while they are on air.
    public var copiesLive = false
    /// How viewers name what is below the prefix, without a slash at the end: they are sent there
    /// for live streams. Nil when they come to this server.
    public var copyURL: String?
    /// The longest pause between two attempts.
    public var delayMaximum = MultipartUpload.delayMaximum
    /// A store that takes and sends nothing for so long is asked again.
    public var timeout: Duration = .seconds(60)

    public init(store: ObjectStore, credentials: Credentials) {
        self.store = store
        self.credentials = credentials
    }
}
