import Crypto

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A key for one purpose, derived from a secret that serves many.
///
/// What is signed for one purpose thus never passes for another, and no purpose gives the secret
/// away (RFC 5869).
public struct SigningKey: Sendable {
    public enum Purpose: String, Sendable {
        /// Links to recordings' assets.
        case assetLinks = "roomcast asset links v1"
        /// Addresses of live streams.
        case playback = "roomcast playback addresses v1"
    }

    /// RFC 2104 sect. 3: shorter than the hash's output weakens it.
    public static let secretBytesMinimum = 32

    private let key: SymmetricKey

    /// Nil when the secret is too short.
    public init?(secret: [UInt8], purpose: Purpose) {
        guard secret.count >= Self.secretBytesMinimum else { return nil }
        key = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: secret), info: Array(purpose.rawValue.utf8),
            outputByteCount: 32)
    }

    func code(of message: some Sequence<UInt8>) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: Array(message), using: key))
    }

    /// In a time that does not depend on where a wrong code differs.
    func isValid(_ code: [UInt8], of message: some Sequence<UInt8>) -> Bool {
        HMAC<SHA256>.isValidAuthenticationCode(
            code, authenticating: Array(message), using: key)
    }
}
