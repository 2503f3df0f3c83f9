public import ObjectStorage

/// Where finished assets are taken to, and how.
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
    /// The longest pause between two attempts.
    public var delayMaximum = MultipartUpload.delayMaximum
    /// A store that takes and sends nothing for so long is asked again.
    public var timeout: Duration = .seconds(60)

    public init(store: ObjectStore, credentials: Credentials) {
        self.store = store
        self.credentials = credentials
    }
}
