internal import COpenSSL

/// A hash function, by OpenSSL.
public enum Digest: Sendable {
    /// For entity tags of object stores only (RFC 6151 sect. 2).
    case md5
    /// For STUN, TURN and WebSockets, which prescribe it (RFC 6194 sect. 3).
    case sha1
    case sha256

    /// The length of a hash.
    public var byteCount: Int {
        switch self {
        case .md5: 16
        case .sha1: 20
        case .sha256: 32
        }
    }

    /// Empty, and so never a valid hash, while the process ends: OpenSSL then removes its
    /// algorithms, and other threads may still be at work.
    public func hash(_ bytes: [UInt8]) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: byteCount) { hash, count in
            let result = EVP_Digest(bytes, bytes.count, hash.baseAddress, nil, function, nil)
            count = result == 1 ? byteCount : 0
        }
    }

    var function: OpaquePointer? {
        switch self {
        case .md5: EVP_md5()
        case .sha1: EVP_sha1()
        case .sha256: EVP_sha256()
        }
    }
}
