import CSRTP

/// libsrtp's process-wide part, with OpenSSL's ciphers.
///
/// Debian builds libsrtp on NSS, which opens and closes a token session for every packet, and looks
/// it up in lists that grow with each connection: with a hundred connections a packet took 8 µs, of
/// which the ciphers need less than one.
enum SRTPLibrary {
    private static let status = begin()

    /// Initialises libsrtp at the first call.
    static func start() throws(SecureTransportError) { try check(status) }

    /// libsrtp tests the ciphers it is given, with our test vectors and its own.
    private static func begin() -> srtp_err_status_t {
        var status = srtp_init()
        for replace in [CounterCipher.replace, GaloisCounterCipher.replace, HMACFunction.replace]
        where status == srtp_err_status_ok {
            status = replace()
        }
        return status
    }

    static func check(_ status: srtp_err_status_t) throws(SecureTransportError) {
        switch status {
        case srtp_err_status_ok: return
        case srtp_err_status_auth_fail: throw .authenticationFailed
        case srtp_err_status_replay_fail, srtp_err_status_replay_old: throw .replayed
        default: throw .srtp(status: Int(status.rawValue))
        }
    }
}
