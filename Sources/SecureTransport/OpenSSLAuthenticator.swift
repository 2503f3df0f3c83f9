import COpenSSL

/// HMAC-SHA1 for STUN's MESSAGE-INTEGRITY (RFC 8489 sect. 14.5).
///
/// `PeerConnection` makes it ICE's authenticator; this floor knows nothing of ICE.
public struct OpenSSLAuthenticator: Sendable {
    public init() {}

    /// The 20-byte code of `message` under `key` (RFC 2104).
    public func hmacSHA1(key: [UInt8], message: [UInt8]) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 20) { code, count in
            var length: UInt32 = 0
            let result = HMAC(
                EVP_sha1(), key, Int32(key.count), message, message.count, code.baseAddress,
                &length)
            // A null key pointer with a length of 0 is the only argument HMAC() refuses, and an
            // array never passes one; SHA-1 itself is part of OpenSSL's default provider.
            precondition(result != nil && length == 20, "HMAC-SHA1 is always there")
            count = 20
        }
    }
}
