internal import COpenSSL

/// A private key that signs as `RS256` prescribes: RSASSA-PKCS1-v1_5 with SHA-256 (RFC 7518
/// sect. 3.3).
public final class RSAKey: @unchecked Sendable {
    /// Not changed once it is read; OpenSSL counts its owners atomically.
    private let key: OpaquePointer

    /// Nil for a text that has no RSA key, or one that a password protects.
    public init?(pem: [UInt8]) {
        // The BIO does not copy the text, which must stay until the key is read.
        let key = pem.withUnsafeBytes { bytes -> OpaquePointer? in
            guard let text = BIO_new_mem_buf(bytes.baseAddress, Int32(clamping: bytes.count)) else {
                return nil
            }
            defer { BIO_free(text) }
            // Without a callback OpenSSL would ask for a password on the terminal.
            return PEM_read_bio_PrivateKey(text, nil, { _, _, _, _ in -1 }, nil)
        }
        guard let key else {
            ERR_clear_error()
            return nil
        }
        guard EVP_PKEY_get_base_id(key) == EVP_PKEY_RSA else {
            EVP_PKEY_free(key)
            return nil
        }
        self.key = key
    }

    deinit { EVP_PKEY_free(key) }

    /// Nil while the process ends (``Digest/hash(_:)``).
    public func signature(of message: [UInt8]) -> [UInt8]? {
        guard let context = EVP_MD_CTX_new() else { return nil }
        defer { EVP_MD_CTX_free(context) }
        guard EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key) == 1 else { return nil }
        var count = Int(EVP_PKEY_get_size(key))
        let signature = [UInt8](unsafeUninitializedCapacity: count) { bytes, written in
            let result = EVP_DigestSign(
                context, bytes.baseAddress, &count, message, message.count)
            written = result == 1 ? count : 0
        }
        return signature.isEmpty ? nil : signature
    }
}
