import COpenSSL
import MediaKernel

/// A thin wrapper of one `SSL *` between two memory BIOs, without protocol logic.
///
/// **An exception to "time is an argument".** OpenSSL sets its retransmission timer by
/// `gettimeofday` (`dtls1_start_timer`) and allows other durations, but not another clock. This
/// file asks for the timer's remaining time, and the owner adds that to its own `now`. So a fake
/// clock drives everything except the retransmission of lost flights, and a step of the wall clock
/// during a handshake shifts one of them.
struct DTLSSession: ~Copyable {
    /// The index of `FingerprintCheck` in the `SSL`; OpenSSL reserves index 0 for the application.
    static let checkIndex: Int32 = 0

    /// A handshake is retransmitted after 200 ms, 400 ms, … 3 s. RFC 6347 sect. 4.2.4.1 proposes a
    /// second for the public Internet, but ICE has already shown that the path works.
    private static let firstTimeoutMicroseconds: UInt32 = 200_000
    private static let timeoutMaximumMicroseconds: UInt32 = 3_000_000

    enum Progress {
        case done
        case wantsMore
        case closed
        case failed
    }

    private let ssl: OpaquePointer
    private let input: OpaquePointer
    private let output: OpaquePointer

    private init(ssl: OpaquePointer, input: OpaquePointer, output: OpaquePointer) {
        self.ssl = ssl
        self.input = input
        self.output = output
    }

    deinit { SSL_free(ssl) }  // with both BIOs

    /// `check` must outlive the session.
    static func make(
        context: OpaquePointer, isServer: Bool, profiles: [SRTPProfile], check: FingerprintCheck,
        mtu: Int
    ) throws(SecureTransportError) -> DTLSSession {
        ERR_clear_error()
        let ssl = try OpenSSLFailure.require(SSL_new(context), "SSL_new")
        guard let input = BIO_new(BIO_s_mem()), let output = BIO_new(BIO_s_mem()) else {
            SSL_free(ssl)
            throw OpenSSLFailure.take("BIO_new")
        }
        SSL_set_bio(ssl, input, output)
        let session = DTLSSession(ssl: ssl, input: input, output: output)
        // "Empty" means "later", not "the end".
        roomcast_set_memory_eof(input, -1)
        roomcast_set_memory_eof(output, -1)
        roomcast_set_mtu(ssl, mtu)
        if !profiles.isEmpty {
            let names = profiles.map(\.openSSLName).joined(separator: ":")
            // This OpenSSL function returns 0 for success.
            guard SSL_set_tlsext_use_srtp(ssl, names) == 0 else {
                throw OpenSSLFailure.take("SSL_set_tlsext_use_srtp")
            }
        }
        try OpenSSLFailure.check(
            SSL_set_ex_data(ssl, checkIndex, Unmanaged.passUnretained(check).toOpaque()),
            "SSL_set_ex_data")
        DTLS_set_timer_cb(ssl) { _, previous in
            previous == 0
                ? DTLSSession.firstTimeoutMicroseconds
                : min(previous * 2, DTLSSession.timeoutMaximumMicroseconds)
        }
        if isServer { SSL_set_accept_state(ssl) } else { SSL_set_connect_state(ssl) }
        return session
    }

    // MARK: Bytes

    /// Passes one record to OpenSSL. Call `handshake` or `read` until they want more before the
    /// next record: after a repeated message OpenSSL wants more at once, and leaves the rest of the
    /// datagram until another record arrives.
    func feed(_ record: ArraySlice<UInt8>) {
        record.withUnsafeBufferPointer { bytes in
            _ = BIO_write(input, bytes.baseAddress, Int32(bytes.count))
        }
    }

    /// All output of OpenSSL: whole records, one after the other.
    func takeOutput() -> [UInt8] {
        let pending = BIO_ctrl_pending(output)
        guard pending > 0 else { return [] }
        return [UInt8](unsafeUninitializedCapacity: pending) { buffer, count in
            count = max(0, Int(BIO_read(output, buffer.baseAddress, Int32(pending))))
        }
    }

    // MARK: Steps

    func handshake() -> Progress {
        ERR_clear_error()
        let result = SSL_do_handshake(ssl)
        return result == 1 ? .done : progress(result)
    }

    /// Reads one record's data into `data`, replacing it.
    func read(into data: inout [UInt8]) -> Progress {
        ERR_clear_error()
        data = []
        // A record up to the path MTU is read at once; a longer one, of up to 16 KB, in pieces.
        return withUnsafeTemporaryAllocation(byteCount: 2048, alignment: 16) { buffer in
            repeat {
                let result = SSL_read(ssl, buffer.baseAddress, Int32(buffer.count))
                guard result > 0 else { return data.isEmpty ? progress(result) : .done }
                data.append(contentsOf: buffer[..<Int(result)])
            } while SSL_pending(ssl) > 0
            return .done
        }
    }

    func write(_ data: [UInt8]) -> Progress {
        ERR_clear_error()
        let result = SSL_write(ssl, data, Int32(data.count))
        return result > 0 ? .done : progress(result)
    }

    /// Queues a close_notify alert.
    func shutdown() {
        ERR_clear_error()
        _ = SSL_shutdown(ssl)
        ERR_clear_error()
    }

    private func progress(_ result: Int32) -> Progress {
        switch SSL_get_error(ssl, result) {
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: .wantsMore
        case SSL_ERROR_ZERO_RETURN: .closed
        default: .failed
        }
    }

    // MARK: Timer

    /// The time until the flight is retransmitted; nil if no answer is awaited.
    func timeRemaining() -> Duration? {
        var remaining = timeval()
        guard roomcast_dtls_get_timeout(ssl, &remaining) == 1 else { return nil }
        let microseconds = Int64(remaining.tv_sec) * 1_000_000 + Int64(remaining.tv_usec)
        // Otherwise a wall clock set back would make this hours.
        return .microseconds(min(max(0, microseconds), Int64(Self.timeoutMaximumMicroseconds)))
    }

    /// Retransmits the flight if it is due by OpenSSL's clock. Returns false if OpenSSL gives up.
    func retransmitIfDue() -> Bool {
        ERR_clear_error()
        return roomcast_dtls_handle_timeout(ssl) >= 0
    }

    // MARK: What was negotiated

    /// The body size of an empty encrypted record: the tag and, with AES-GCM, the explicit part of
    /// the nonce (RFC 5288 sect. 3, RFC 7905 sect. 2).
    var encryptedMinimum: Int {
        guard let cipher = SSL_get_current_cipher(ssl) ?? SSL_get_pending_cipher(ssl) else {
            return 16
        }
        switch SSL_CIPHER_get_cipher_nid(cipher) {
        case NID_aes_128_gcm, NID_aes_256_gcm: return 8 + 16
        default: return 16
        }
    }

    var profile: SRTPProfile? {
        SSL_get_selected_srtp_profile(ssl).flatMap { SRTPProfile(openSSLID: $0.pointee.id) }
    }

    /// The keying material of RFC 5764 sect. 4.2: client key, server key, client salt, server
    /// salt.
    func exportKeys(_ profile: SRTPProfile) throws(SecureTransportError) -> [UInt8] {
        ERR_clear_error()
        var material = [UInt8](repeating: 0, count: 2 * (profile.keyBytes + profile.saltBytes))
        let label = "EXTRACTOR-dtls_srtp"
        try OpenSSLFailure.check(
            SSL_export_keying_material(
                ssl, &material, material.count, label, label.utf8.count, nil, 0, 0),
            "SSL_export_keying_material")
        return material
    }
}
