public import MediaKernel

/// A store together with the right to use it: what signs requests and makes addresses to give away.
public struct StoreAccess: Sendable {
    /// Asked at each request, so that credentials may be renewed while the server runs.
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

    /// The address of an object for whoever has it.
    ///
    /// - Parameters:
    ///   - method: the only one that it is good for, since the signature covers it: GET or HEAD.
    ///   - validity: cut to a week; temporary credentials may end it before.
    public func link(
        to location: ObjectLocation, for use: ObjectStore.Use = .file, method: String = "GET",
        at now: UnixTime, validity: Duration
    ) -> String {
        var request = store.get(location, for: use)
        request.method = method
        return store.url(of: signature.presigned(request, at: now, validity: validity))
    }

    /// Whether links end with the credentials, whenever that is.
    public var isTemporary: Bool { credentials().sessionToken != nil }

    private var signature: AWSSignature {
        AWSSignature(credentials: credentials(), region: store.region)
    }
}
