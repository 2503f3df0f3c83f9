import SDP
import SecureTransport

/// The handshake, and the keys that it gives.
struct Security {
    /// Nil until the remote side has said which certificate it has, and once closed.
    var dtls: DTLSTransport?
    var role = DTLSTransport.Role.server
    var remoteFingerprints: [Fingerprint]?
    var hasStarted = false
    var hasFailed = false
    /// At hand, since each packet asks for it.
    var isConnected = false
}
