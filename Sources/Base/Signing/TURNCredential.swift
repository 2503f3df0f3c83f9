import Digests
public import MediaKernel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A client's credential for a TURN relay that shares a secret with the server and has no user
/// list: valid until a time without notice to the relay (draft-uberti-behave-turn-rest-00 sect.
/// 2.2; coturn's `use-auth-secret`).
public struct TURNCredential: Hashable, Sendable {
    /// Its expiry in whole seconds since 1970, a colon, and the user. It crosses networks
    /// unencrypted.
    public let username: String
    /// HMAC-SHA1 over the user name, in base64. The relay requires SHA-1; as a MAC it is still
    /// secure (RFC 6194 sect. 3.3).
    public let password: String

    /// RFC 2104 sect. 3: shorter than the hash's output weakens it.
    public static let secretBytesMinimum = 20

    /// - Parameter secret: the relay's `static-auth-secret`, as its UTF-8 bytes.
    public init(user: String, secret: String, expiry: UnixTime) {
        username = "\(expiry.seconds):\(user)"
        let code = MACKey(Array(secret.utf8), digest: .sha1).code(of: Array(username.utf8))
        password = Data(code).base64EncodedString()
    }
}
