/// The life of one data channel, from the first OPEN until its id may be used again.
///
///     opening ──ACK──► open ──close──► draining ──dry──► resetting ──both reset──► gone
///        └──────────close (waits for the ACK)──┘             └──late──► stuck
///
/// A reset right after unacknowledged data is lost for good in some of usrsctp's lossy runs, and
/// can take the association with it. So a closing channel first waits until the peer has
/// acknowledged everything: the OPEN, and all data.
struct Channel {
    enum Phase {
        case opening
        case open
        /// Waits to reset: queued messages before number `barrier` go first.
        case draining(since: Duration, barrier: UInt64)
        /// Our reset was requested.
        case resetting(since: Duration)
        /// The peer never answered. The id stays taken, since the state of its stream is unknown.
        case stuck
    }

    let opening: ChannelOpening
    var phase: Phase
    /// Until the peer has acknowledged the OPEN, everything is sent in order, so that nothing
    /// overtakes it (RFC 8832 sect. 6).
    var isAcknowledged: Bool
    /// Whether the application knows the channel and has not been told of its end.
    var isVisible: Bool
    var isIncomingReset = false
    var isOutgoingReset = false

    var isSendable: Bool {
        switch phase {
        case .opening, .open: true
        case .draining, .resetting, .stuck: false
        }
    }

    var isClosing: Bool {
        switch phase {
        case .draining, .resetting: true
        case .opening, .open, .stuck: false
        }
    }

    var isGone: Bool { isIncomingReset && isOutgoingReset }
}

/// How long each step of a close may take, in SCTP's uptime, before the next one is forced.
enum CloseLimits {
    static let draining = Duration.seconds(5)
    static let resetting = Duration.seconds(10)
}
