import COpenSSL

/// A fresh ECDSA P-256 key with its self-signed certificate, and the TLS context made from them.
///
/// Peers trust the signalled fingerprint, not the certificate's contents (RFC 8827 sect. 6.5), so
/// one identity per process is as safe as one per connection.
// Unchecked because the OpenSSL objects are written only in `generate`; afterwards OpenSSL reads
// them and counts references atomically, from any thread.
public final class DTLSIdentity: @unchecked Sendable {
    /// The certificate's SHA-256 digest, "AB:CD:…", in the form of `a=fingerprint:sha-256`.
    public let fingerprint: String

    let context: OpaquePointer
    private let key: OpaquePointer
    private let certificate: OpaquePointer

    private init(
        key: OpaquePointer, certificate: OpaquePointer, context: OpaquePointer, fingerprint: String
    ) {
        self.key = key
        self.certificate = certificate
        self.context = context
        self.fingerprint = fingerprint
    }

    deinit {
        SSL_CTX_free(context)
        X509_free(certificate)
        EVP_PKEY_free(key)
    }

    /// Makes a key and a certificate: about 0.2 ms.
    ///
    /// - Throws: `SecureTransportError.openSSL` if OpenSSL lacks memory or entropy.
    public static func generate() throws(SecureTransportError) -> DTLSIdentity {
        ERR_clear_error()
        let key = try OpenSSLFailure.require(roomcast_generate_p256(), "EVP_EC_gen")
        var certificate: OpaquePointer?
        do throws(SecureTransportError) {
            let signed = try OpenSSLFailure.require(X509_new(), "X509_new")
            certificate = signed
            try sign(signed, with: key)
            guard let fingerprint = Fingerprint(of: signed, .sha256) else {
                throw OpenSSLFailure.take("X509_digest")
            }
            let context = try DTLSContext.make(key: key, certificate: signed)
            return DTLSIdentity(
                key: key, certificate: signed, context: context, fingerprint: fingerprint.value)
        } catch {
            X509_free(certificate)
            EVP_PKEY_free(key)
            throw error
        }
    }

    /// Valid for a year from yesterday, since peers' clocks differ.
    private static func sign(
        _ certificate: OpaquePointer, with key: OpaquePointer
    ) throws(SecureTransportError) {
        let day = 86_400
        try OpenSSLFailure.check(X509_set_version(certificate, 2), "X509_set_version")
        var serial = secureRandomBytes(8)
        serial[0] = serial[0] & 0x7F | 0x01  // positive and not zero, RFC 5280 sect. 4.1.2.2
        let number = try OpenSSLFailure.require(BN_bin2bn(serial, 8, nil), "BN_bin2bn")
        defer { BN_free(number) }
        guard BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate)) != nil,
            X509_gmtime_adj(X509_getm_notBefore(certificate), -day) != nil,
            X509_gmtime_adj(X509_getm_notAfter(certificate), 365 * day) != nil
        else { throw OpenSSLFailure.take("X509_gmtime_adj") }
        let name = X509_get_subject_name(certificate)
        try OpenSSLFailure.check(
            X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, "WebRTC", -1, -1, 0),
            "X509_NAME_add_entry_by_txt")
        try OpenSSLFailure.check(X509_set_issuer_name(certificate, name), "X509_set_issuer_name")
        try OpenSSLFailure.check(X509_set_pubkey(certificate, key), "X509_set_pubkey")
        try OpenSSLFailure.check(X509_sign(certificate, key, EVP_sha256()), "X509_sign")
    }
}
