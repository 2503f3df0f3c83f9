import COpenSSL

/// The settings that all DTLS sessions of an identity share.
enum DTLSContext {
    /// Forward secrecy and authenticated encryption only; the suites required by RFC 8827 sect. 6.5
    /// come first. ECDHE-RSA is for peers with RSA certificates.
    private static let cipherSuites = """
        ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:\
        ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305:\
        ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-RSA-AES256-GCM-SHA384
        """

    /// The curves for key exchange and for peers' certificates. The last one is only for
    /// certificates: FFmpeg with GnuTLS makes them on P-224, and for key exchange a peer has a
    /// better one of the others.
    private static let groups = "X25519:P-256:P-384:P-521:P-224"

    /// An `SSL_CTX *` with one reference, which the caller frees.
    static func make(
        key: OpaquePointer, certificate: OpaquePointer
    ) throws(SecureTransportError) -> OpaquePointer {
        let context = try OpenSSLFailure.require(SSL_CTX_new(DTLS_method()), "SSL_CTX_new")
        do throws(SecureTransportError) {
            try configure(context, key: key, certificate: certificate)
            return context
        } catch {
            SSL_CTX_free(context)
            throw error
        }
    }

    private static func configure(
        _ context: OpaquePointer, key: OpaquePointer, certificate: OpaquePointer
    ) throws(SecureTransportError) {
        try OpenSSLFailure.check(
            roomcast_set_minimum_dtls12(context), "SSL_CTX_set_min_proto_version")
        try OpenSSLFailure.check(
            SSL_CTX_use_certificate(context, certificate), "SSL_CTX_use_certificate")
        try OpenSSLFailure.check(SSL_CTX_use_PrivateKey(context, key), "SSL_CTX_use_PrivateKey")
        try OpenSSLFailure.check(
            SSL_CTX_set_cipher_list(context, cipherSuites), "SSL_CTX_set_cipher_list")
        try OpenSSLFailure.check(
            roomcast_set_groups(context, groups), "SSL_CTX_set1_groups_list")
        // No tickets, no resumption: every connection verifies its peer's certificate. No
        // renegotiation: SRTP keys belong to the first handshake.
        roomcast_disable_session_cache(context)
        SSL_CTX_set_options(context, roomcast_context_options())
        SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nil)
        // Replaces the search for a trusted chain: all trust is in the fingerprint. Verifying here,
        // and not after the handshake, refuses the peer before our Finished is sent.
        SSL_CTX_set_cert_verify_callback(context, verifyFingerprint, nil)
    }

    private static let verifyFingerprint:
        @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?) -> Int32 = { store, _ in
            guard let store, let certificate = X509_STORE_CTX_get0_cert(store),
                let ssl = X509_STORE_CTX_get_ex_data(
                    store, SSL_get_ex_data_X509_STORE_CTX_idx()),
                let pointer = SSL_get_ex_data(OpaquePointer(ssl), DTLSSession.checkIndex)
            else { return 0 }
            let check = Unmanaged<FingerprintCheck>.fromOpaque(pointer).takeUnretainedValue()
            if check.verify(certificate) { return 1 }
            X509_STORE_CTX_set_error(store, X509_V_ERR_CERT_REJECTED)  // alert bad_certificate
            return 0
        }
}
