/// How one stream is opened.
public struct StreamSettings: Sendable {
    public enum Carrier: Sendable {
        /// RFC 6120, with STARTTLS.
        case tcp
        /// RFC 7395.
        case webSocket
    }

    /// The server's name, which its certificate proves.
    public var domain: String
    public var credentials: Credentials
    /// Nil lets the server choose.
    public var resource: String?
    public var carrier: Carrier
    /// Whether the carrier is encrypted from its start: `wss:`, or TLS without STARTTLS.
    public var isEncrypted: Bool
    /// Whether a stream without TLS is accepted, and the password shown on it: for a server on the
    /// same machine.
    public var mayBePlain: Bool

    public init(
        domain: String, credentials: Credentials, resource: String? = nil,
        carrier: Carrier = .tcp, isEncrypted: Bool = false, mayBePlain: Bool = false
    ) {
        self.domain = domain
        self.credentials = credentials
        self.resource = resource
        self.carrier = carrier
        self.isEncrypted = isEncrypted
        self.mayBePlain = mayBePlain
    }
}
