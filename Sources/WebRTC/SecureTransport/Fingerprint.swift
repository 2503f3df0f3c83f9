import COpenSSL
import MediaKernel

/// A certificate's digest in the form of SDP's `a=fingerprint` (RFC 8122 sect. 5).
struct Fingerprint: Hashable {
    /// In rising order of preference.
    enum Algorithm: Int, Comparable {
        case sha256, sha384, sha512

        init?(name: String) {
            switch name.lowercased() {
            case "sha-256": self = .sha256
            case "sha-384": self = .sha384
            case "sha-512": self = .sha512
            default: return nil
            }
        }

        var byteCount: Int {
            switch self {
            case .sha256: 32
            case .sha384: 48
            case .sha512: 64
            }
        }

        static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
    }

    let algorithm: Algorithm
    let digest: [UInt8]

    /// Nil for an unknown algorithm, or a value that is not a digest of its size in "AB:CD:…" form.
    init?(algorithm name: String, value: String) {
        guard let algorithm = Algorithm(name: name) else { return nil }
        let pairs = value.split(separator: ":", omittingEmptySubsequences: false)
            .map { Hexadecimal.bytes($0) ?? [] }
        guard pairs.count == algorithm.byteCount, pairs.allSatisfy({ $0.count == 1 }) else {
            return nil
        }
        self.algorithm = algorithm
        digest = pairs.flatMap { $0 }
    }

    /// The digest of an `X509 *`; nil if OpenSSL is out of memory.
    init?(of certificate: OpaquePointer, _ algorithm: Algorithm) {
        let function =
            switch algorithm {
            case .sha256: EVP_sha256()
            case .sha384: EVP_sha384()
            case .sha512: EVP_sha512()
            }
        var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var count: UInt32 = 0
        guard X509_digest(certificate, function, &digest, &count) == 1 else { return nil }
        self.algorithm = algorithm
        self.digest = Array(digest.prefix(Int(count)))
    }

    /// Upper-case hexadecimal bytes with colons between.
    var value: String { Hexadecimal.text(digest, uppercase: true, separator: ":") }
}

/// The fingerprints accepted for the remote certificate, and the result of the check.
///
/// OpenSSL's verification callback reaches it through a pointer kept with the `SSL`.
final class FingerprintCheck {
    enum Outcome { case pending, matched, mismatched }

    private let algorithm: Fingerprint.Algorithm
    private let accepted: [Fingerprint]
    private(set) var outcome = Outcome.pending

    /// Several fingerprints of one algorithm stand for several certificates, any of which is
    /// accepted; of several algorithms only the strongest counts (RFC 8122 sect. 5).
    init(_ remote: [(algorithm: String, value: String)]) throws(SecureTransportError) {
        let usable = remote.compactMap { Fingerprint(algorithm: $0.algorithm, value: $0.value) }
        guard let strongest = usable.map(\.algorithm).max() else { throw .noUsableFingerprint }
        algorithm = strongest
        accepted = usable.filter { $0.algorithm == strongest }
    }

    func verify(_ certificate: OpaquePointer) -> Bool {
        let matches = Fingerprint(of: certificate, algorithm).map(accepted.contains) ?? false
        outcome = matches ? .matched : .mismatched
        return matches
    }

    func reset() { outcome = .pending }
}
