import COpenSSL

/// OpenSSL has an error queue per thread: clear it before a call, read it afterwards.
enum OpenSSLFailure {
    /// The newest error of this thread's queue.
    static func take(_ call: StaticString) -> SecureTransportError {
        .openSSL(call: "\(call)", reason: reason())
    }

    /// The newest error's text; the queue is empty afterwards.
    static func reason() -> String {
        let code = ERR_peek_last_error()
        ERR_clear_error()
        guard code != 0 else { return "no reason given" }
        guard let text = ERR_reason_error_string(code) else { return "error \(code)" }
        return String(cString: text)
    }

    /// The code of the peer's fatal alert, if that is the newest error.
    static func peerAlert() -> UInt8? {
        let reason = roomcast_error_reason(ERR_peek_last_error())
        // SSL_R_..._ALERT_... reasons are 1000 + the alert's code (openssl/sslerr.h).
        guard (1000...1255).contains(reason) else { return nil }
        return UInt8(reason - 1000)
    }

    /// Returns the pointer, or throws OpenSSL's error if it is nil.
    static func require(
        _ pointer: OpaquePointer?, _ call: StaticString
    ) throws(SecureTransportError) -> OpaquePointer {
        guard let pointer else { throw take(call) }
        return pointer
    }

    /// Checks an OpenSSL result: 1 (or more) is success.
    static func check(_ result: Int32, _ call: StaticString) throws(SecureTransportError) {
        guard result > 0 else { throw take(call) }
    }
}
