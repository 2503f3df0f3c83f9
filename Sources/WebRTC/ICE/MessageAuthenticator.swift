/// The only cryptography STUN needs, provided by a target that links a library.
public protocol MessageAuthenticator: Sendable {
    /// HMAC-SHA1 (RFC 2104): 20 bytes.
    func hmacSHA1(key: [UInt8], message: [UInt8]) -> [UInt8]
}
