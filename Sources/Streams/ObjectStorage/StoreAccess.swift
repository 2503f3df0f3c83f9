public import MediaKernel

/// A store with credentials for it: signs requests and makes presigned URLs.
public struct StoreAccess: Sendable {
    /// Called for each request, so that credentials may change while the server runs.
    public typealias CredentialSource = @Sendable () -> AWSCredentials

    public let store: ObjectStore
    private let credentials: CredentialSource

    public init(store: ObjectStore, credentials: @escaping CredentialSource) {
        self.store = store
        self.credentials = credentials
    }

    public func signed(_ request: StoreRequest, at now: UnixTime) -> StoreRequest {
        signature.signed(request, at: now)
    }

    /// A presigned URL of an object.
    ///
    /// - Parameters:
    ///   - method: GET or HEAD; the signature covers it, so the URL works for no other method.
    ///   - validity: at most a week; temporary credentials may end it earlier.
    public func link(
        to location: ObjectLocation, for use: ObjectStore.Use = .file, method: String = "GET",
        at now: UnixTime, validity: Duration
    ) -> String {
        var request = store.get(location, for: use)
        request.method = method
        return store.url(of: signature.presigned(request, at: now, validity: validity))
    }

    /// Whether links expire with the credentials, at an unknown time.
    public var isTemporary: Bool { credentials().sessionToken != nil }

    private var signature: AWSSignature {
        AWSSignature(credentials: credentials(), region: store.region)
    }
}
