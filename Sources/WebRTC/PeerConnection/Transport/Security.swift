import SDP
import SecureTransport

/// The DTLS handshake and its keys.
struct Security {
    /// Nil until the remote side has stated its certificate fingerprint, and after closing.
    var dtls: DTLSTransport?
    var role = DTLSTransport.Role.server
    var remoteFingerprints: [Fingerprint]?
    var hasStarted = false
    var hasFailed = false
    /// Cached because each packet needs it.
    var isConnected = false
}
