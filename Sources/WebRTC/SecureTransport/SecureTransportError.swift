/// What can go wrong in DTLS and SRTP.
///
/// The cases of the first group end the transport (blame in brackets); those of the second
/// concern one packet, which the caller drops and counts.
public enum SecureTransportError: Error, Hashable, Sendable {
    /// An OpenSSL call failed for want of memory or by misuse (us).
    case openSSL(call: String, reason: String)
    /// No fingerprint uses sha-256, sha-384 or sha-512 with a digest of the right length (peer).
    case noUsableFingerprint
    /// The remote certificate is not the one that was announced in the SDP (peer).
    case fingerprintMismatch
    /// The handshake could not be completed (peer).
    case handshakeFailed(reason: String)
    /// The peer stopped answering before the handshake was complete (peer).
    case handshakeTimedOut
    /// The peer sent a fatal alert; the code is that of RFC 5246 sect. 7.2 (peer).
    case alert(code: UInt8)
    /// An authenticated record broke the protocol after the handshake (peer).
    case protocolViolation(reason: String)

    /// SRTP was asked for before the handshake, after the close, or where none was negotiated.
    case srtpUnavailable
    /// The packet is shorter than its header and tag.
    case tooShort(count: Int, minimum: Int)
    /// The packet is longer than any datagram.
    case tooLong(count: Int, maximum: Int)
    /// The authentication tag does not fit the packet.
    case authenticationFailed
    /// The packet's index was seen before, or is older than the replay window, or its stream is
    /// over.
    case replayed
    /// A further SSRC would exceed the number of streams a session holds.
    case tooManyStreams(maximum: Int)
    /// libsrtp refused the packet for another reason; the status is `srtp_err_status_t`.
    case srtp(status: Int)
}
