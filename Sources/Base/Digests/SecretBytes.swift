internal import COpenSSL

/// What secrets are made of, and how they are compared.
public enum SecretBytes {
    /// From OpenSSL's generator; nil if it has none, as while the process ends.
    public static func random(_ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        return RAND_bytes(&bytes, Int32(count)) == 1 ? bytes : nil
    }

    /// Takes the same time wherever they differ. Empty ones are never equal.
    public static func areEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        !one.isEmpty && one.count == other.count && CRYPTO_memcmp(one, other, one.count) == 0
    }
}
