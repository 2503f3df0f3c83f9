import COpenSSL

/// HMAC-SHA1 for STUN's MESSAGE-INTEGRITY (RFC 8489 sect. 14.5).
///
/// `PeerConnection` makes it ICE's authenticator; this floor knows nothing of ICE.
public struct OpenSSLAuthenticator: Sendable {
    public init() {}

    /// The 20-byte code of `message` under `key` (RFC 2104); empty, which proves nothing, while the
    /// process ends: OpenSSL takes its algorithms away then, and other threads may still be at work.
    public func hmacSHA1(key: [UInt8], message: [UInt8]) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 20) { code, count in
            var length: UInt32 = 0
            let result = HMAC(
                EVP_sha1(), key, Int32(key.count), message, message.count, code.baseAddress,
                &length)
            count = result == nil ? 0 : Int(length)
        }
    }
}
