/// Who a client is, and how it behaves.
public struct ClientSettings: Sendable {
    /// Whether stanzas, and the password, may be sent without TLS.
    public enum Plaintext: Sendable {
        case refused
        /// To a server on this machine.
        case onLoopback
        case accepted
    }

    /// The server's name, which its certificate proves.
    public var domain: String
    public var credentials: Credentials
    /// Nil lets the server choose.
    public var resource: String?
    public var plaintext = Plaintext.onLoopback
    public var capabilities: Capabilities
    /// The namespaces of requests that the program answers. Others are refused.
    public var answered: Set<String> = []
    public var times = ClientTimes()
    /// Whether a lost stream is resumed where the server keeps it (XEP-0198).
    public var resumes = true

    public init(domain: String, credentials: Credentials, capabilities: Capabilities) {
        self.domain = domain
        self.credentials = credentials
        self.capabilities = capabilities
    }
}
