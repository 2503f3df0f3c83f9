internal import MediaClient
internal import MediaKernel
internal import PeerConnection
internal import SDP

/// The reception of one stream, by one connection after another.
struct Reception: Hashable {
    enum Phase: Hashable {
        /// Begins then, or as soon as the server can be asked.
        case waiting(Instant)
        /// We make an offer, or ask the server for one.
        case offering, preparing
        /// The server has our offer.
        case asking
        /// We answer the server's offer. It may have sent that without being asked.
        case answering(isForced: Bool)
        /// The server has our answer.
        case confirming
        /// The connection is described on both sides.
        case open(since: Instant)
    }

    let stream: String
    /// Counts the receptions of a session in the order in which they came.
    let number: Int
    /// The connection of its publisher.
    let publisher: String
    let tracks: [MediaSection.Kind: TrackID]
    var phase: Phase
    /// Nil while there is none.
    var connection: StreamConnectionID?
    var state = PeerConnectionState.new
    /// The server has set up a connection for it already, or may have, so the next one replaces
    /// that.
    var isSubscribed = false
    /// Our connection has the server's description.
    var isDescribed = false
    /// The server's candidates that wait for it.
    var candidates: [String] = []
    /// Since when it has not been received, or not for long enough at a time to count; nil if it
    /// never had to be waited for.
    var disconnectedSince: Instant?
    /// When the server last replaced its connection by itself.
    var replacedAt: Instant?
    /// Since when its connection works; nil while it does not.
    var connectedSince: Instant?
    /// Nobody waits for it any more. It is tried now and then.
    var isLeftOut = false

    /// Its connection works.
    mutating func resume(at now: Instant) { connectedSince = connectedSince ?? now }

    /// It is not received any more. After a calm time patience begins anew.
    mutating func interrupt(at now: Instant) {
        if let connectedSince, now - connectedSince >= ClientLimits.calm { disconnectedSince = nil }
        connectedSince = nil
        disconnectedSince = disconnectedSince ?? now
    }

    func isDue(at now: Instant) -> Bool {
        if case .waiting(let due) = phase { due <= now } else { false }
    }

    /// Whether its connection is being set up.
    var isOpening: Bool {
        switch phase {
        case .waiting: false
        case .offering, .preparing, .asking, .answering, .confirming: true
        case .open: state == .new || state == .connecting
        }
    }
}
