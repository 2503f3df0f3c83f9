import Digests
import Synchronization

/// A key for one purpose, derived from a shared secret.
///
/// So a signature for one purpose is never valid for another, and no purpose reveals the secret
/// (RFC 5869).
///
/// Copies share the secret, so that it can be replaced for all who hold one.
public struct SigningKey: Sendable {
    public enum Purpose: String, Sendable {
        /// Links to recordings' assets.
        case assetLinks = "roomcast asset links v1"
        /// Addresses of live streams.
        case playback = "roomcast playback addresses v1"
        /// Addresses of pages that show one recording.
        case recordingPages = "roomcast recording pages v1"
    }

    /// RFC 2104 sect. 3: shorter than the hash's output weakens it.
    public static let secretBytesMinimum = 32

    private let purpose: Purpose
    private let held: HeldKey

    /// Nil when the secret is too short.
    public init?(secret: [UInt8], purpose: Purpose) {
        guard let key = Self.key(for: purpose, from: secret) else { return nil }
        self.purpose = purpose
        held = HeldKey(key)
    }

    /// Signs and verifies with a key from another secret from now on. Signatures made before are
    /// no longer valid. A secret that is too short changes nothing.
    public func replaceSecret(_ secret: [UInt8]) {
        if let key = Self.key(for: purpose, from: secret) { held.replace(with: key) }
    }

    private static func key(for purpose: Purpose, from secret: [UInt8]) -> MACKey? {
        guard secret.count >= secretBytesMinimum else { return nil }
        // RFC 5869 sect. 2.2 and 2.3: no salt, and as much as one code holds.
        let extracted = MACKey([UInt8](repeating: 0, count: 32)).code(of: secret)
        return MACKey(MACKey(extracted).code(of: Array(purpose.rawValue.utf8) + [1]))
    }

    private init(_ key: MACKey, for purpose: Purpose) {
        self.purpose = purpose
        held = HeldKey(key)
    }

    /// A key for another purpose, for whoever has this one and not the secret. It does not follow
    /// when the secret is replaced.
    public func derived(for purpose: Purpose) -> SigningKey {
        SigningKey(MACKey(code(of: Array(purpose.rawValue.utf8) + [1])), for: purpose)
    }

    func code(of message: [UInt8]) -> [UInt8] { held.current.code(of: message) }

    /// Takes the same time wherever a wrong code differs.
    func isValid(_ code: [UInt8], of message: [UInt8]) -> Bool {
        held.current.isValid(code, of: message)
    }
}

/// The key that all copies of a signing key use.
private final class HeldKey: Sendable {
    private let key: Mutex<MACKey>

    init(_ key: MACKey) { self.key = Mutex(key) }

    var current: MACKey { key.withLock { $0 } }

    func replace(with key: MACKey) { self.key.withLock { $0 = key } }
}
