import MediaKernel

/// `a=fingerprint:<algorithm> <value>`: the hash of the DTLS certificate. RFC 8122 sect. 5.
public struct Fingerprint: Hashable, Sendable {
    /// Lower case: `sha-256`.
    public var algorithm: String
    /// Upper-case hexadecimal pairs with colons.
    public var value: String

    public init(algorithm: String, value: String) {
        self.algorithm = algorithm.lowercased()
        self.value = value.uppercased()
    }

    init?(_ text: Substring) {
        let words = text.words
        guard words.count == 2 else { return nil }
        let pairs = words[1].parts(at: ":")
        guard pairs.allSatisfy({ Hexadecimal.bytes($0)?.count == 1 }) else { return nil }
        self.init(algorithm: String(words[0]), value: String(words[1]))
    }
}

/// Who begins the DTLS handshake. RFC 8842 sect. 5.3.
public enum DTLSSetup: String, Hashable, Sendable {
    /// The offer of either role.
    case actpass
    /// The writer is the DTLS client.
    case active
    /// The writer is the DTLS server.
    case passive
    /// No connection for now.
    case holdconn
}
