internal import COpenSSL
import Digests

/// The key that SCRAM derives from a password: PBKDF2 with HMAC (RFC 5802 sect. 2.2, `Hi`).
enum PasswordKey {
    /// Nil while the process ends.
    static func derive(
        _ password: String, salt: [UInt8], iterations: Int, digest: Digest
    ) -> [UInt8]? {
        guard let iterations = Int32(exactly: iterations) else { return nil }
        let password = Array(password.utf8).map { CChar(bitPattern: $0) }
        var isDerived = false
        let key = [UInt8](unsafeUninitializedCapacity: digest.byteCount) { key, count in
            let function = digest == .sha1 ? EVP_sha1() : EVP_sha256()
            isDerived =
                PKCS5_PBKDF2_HMAC(
                    password, Int32(password.count), salt, Int32(salt.count), iterations, function,
                    Int32(digest.byteCount), key.baseAddress) == 1
            count = isDerived ? digest.byteCount : 0
        }
        return isDerived ? key : nil
    }
}
