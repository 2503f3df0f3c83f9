internal import COpenSSL

/// The hash of bytes that come in pieces: a value, whose copies are independent.
public struct RunningDigest: Sendable {
    private let digest: Digest
    private var context: Context

    public init(_ digest: Digest) {
        self.digest = digest
        context = Context(digest)
    }

    public mutating func update(_ bytes: [UInt8]) {
        if !isKnownUniquelyReferenced(&context) { context = Context(copying: context) }
        context.update(bytes)
    }

    /// Of all bytes so far; empty while the process ends (``Digest/hash(_:)``).
    public var hash: [UInt8] { Context(copying: context).finalized(digest.byteCount) }

    /// Only a value with the sole reference changes it; others copy it first.
    private final class Context: @unchecked Sendable {
        private let pointer: OpaquePointer?

        init(_ digest: Digest) {
            pointer = EVP_MD_CTX_new()
            EVP_DigestInit_ex(pointer, digest.function, nil)
        }

        init(copying other: Context) {
            pointer = EVP_MD_CTX_new()
            EVP_MD_CTX_copy_ex(pointer, other.pointer)
        }

        deinit { EVP_MD_CTX_free(pointer) }

        func update(_ bytes: [UInt8]) { EVP_DigestUpdate(pointer, bytes, bytes.count) }

        func finalized(_ byteCount: Int) -> [UInt8] {
            [UInt8](unsafeUninitializedCapacity: byteCount) { hash, count in
                let result = EVP_DigestFinal_ex(pointer, hash.baseAddress, nil)
                count = result == 1 ? byteCount : 0
            }
        }
    }
}
