/// Who asks a store, and how that is proven.
public struct AWSCredentials: Sendable {
    public var accessKeyID: String
    public var secretAccessKey: String
    /// Of temporary credentials.
    public var sessionToken: String?

    public init(accessKeyID: String, secretAccessKey: String, sessionToken: String? = nil) {
        self.accessKeyID = accessKeyID
        self.secretAccessKey = secretAccessKey
        self.sessionToken = sessionToken
    }
}
