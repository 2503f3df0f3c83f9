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
        guard pairs.allSatisfy({ $0.utf8.count == 2 && $0.utf8.allSatisfy(isHexDigit) }) else {
            return nil
        }
        self.init(algorithm: String(words[0]), value: String(words[1]))
    }
}

private func isHexDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x46, 0x61...0x66: true
    default: false
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
