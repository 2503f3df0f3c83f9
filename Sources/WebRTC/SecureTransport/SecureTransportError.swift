/// Errors of DTLS and SRTP.
///
/// The first group of cases ends the transport (party at fault in brackets); the second concerns
/// one packet, which the caller drops and counts.
public enum SecureTransportError: Error, Hashable, Sendable {
    /// An OpenSSL call failed for lack of memory or by misuse (us).
    case openSSL(call: String, reason: String)
    /// No fingerprint uses sha-256, sha-384 or sha-512 with a digest of the right length (peer).
    case noUsableFingerprint
    /// The remote certificate does not match the SDP's fingerprint (peer).
    case fingerprintMismatch
    /// The handshake could not be completed (peer).
    case handshakeFailed(reason: String)
    /// The peer stopped answering before the handshake was complete (peer).
    case handshakeTimedOut
    /// The peer sent a fatal alert; the code is that of RFC 5246 sect. 7.2 (peer).
    case alert(code: UInt8)
    /// An authenticated record broke the protocol after the handshake (peer).
    case protocolViolation(reason: String)

    /// SRTP was used before the handshake, after the close, or without being negotiated.
    case srtpUnavailable
    /// The packet is shorter than its header and tag.
    case tooShort(count: Int, minimum: Int)
    /// The packet is longer than any datagram.
    case tooLong(count: Int, maximum: Int)
    /// The authentication tag does not match the packet.
    case authenticationFailed
    /// The packet's index was seen before or is older than the replay window, or its stream was
    /// removed.
    case replayed
    /// A further SSRC would exceed the number of streams a session holds.
    case tooManyStreams(maximum: Int)
    /// libsrtp refused the packet for another reason; the status is `srtp_err_status_t`.
    case srtp(status: Int)
}
