/// The state of one peer connection, ICE and DTLS combined.
public enum PeerConnectionState: String, Hashable, Sendable {
    case new
    case connecting
    case connected
    /// No consent for a while. The connection may recover by itself or by an ICE restart.
    case disconnected
    /// ICE or DTLS gave up. An ICE restart may help after an ICE failure, nothing after a DTLS
    /// failure.
    case failed
    case closed
}
