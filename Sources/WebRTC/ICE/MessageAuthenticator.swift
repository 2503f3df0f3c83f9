/// The one piece of cryptography STUN needs; a target that links a library provides it.
public protocol MessageAuthenticator: Sendable {
    /// HMAC-SHA1 (RFC 2104): 20 bytes.
    func hmacSHA1(key: [UInt8], message: [UInt8]) -> [UInt8]
}
