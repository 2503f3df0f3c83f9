/// How far one peer connection has come, ICE and DTLS taken together.
public enum PeerConnectionState: String, Hashable, Sendable {
    case new
    case connecting
    case connected
    /// No consent for a while; it may come back by itself or by an ICE restart.
    case disconnected
    /// ICE or DTLS gave up. Only an ICE restart helps, and after a DTLS failure nothing does.
    case failed
    case closed
}
