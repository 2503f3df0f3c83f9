import Digests

/// A key for one purpose, derived from a shared secret.
///
/// So a signature for one purpose is never valid for another, and no purpose reveals the secret
/// (RFC 5869).
public struct SigningKey: Sendable {
    public enum Purpose: String, Sendable {
        /// Links to recordings' assets.
        case assetLinks = "roomcast asset links v1"
        /// Addresses of live streams.
        case playback = "roomcast playback addresses v1"
    }

    /// RFC 2104 sect. 3: shorter than the hash's output weakens it.
    public static let secretBytesMinimum = 32

    private let key: MACKey

    /// Nil when the secret is too short.
    public init?(secret: [UInt8], purpose: Purpose) {
        guard secret.count >= Self.secretBytesMinimum else { return nil }
        // RFC 5869 sect. 2.2 and 2.3: no salt, and as much as one code holds.
        let extracted = MACKey([UInt8](repeating: 0, count: 32)).code(of: secret)
        key = MACKey(MACKey(extracted).code(of: Array(purpose.rawValue.utf8) + [1]))
    }

    func code(of message: [UInt8]) -> [UInt8] { key.code(of: message) }

    /// Takes the same time wherever a wrong code differs.
    func isValid(_ code: [UInt8], of message: [UInt8]) -> Bool {
        key.isValid(code, of: message)
    }
}
