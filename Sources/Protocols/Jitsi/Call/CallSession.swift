internal import MediaKernel
internal import PeerConnection
internal import XMPP

/// The session with the bridge that the focus has begun.
struct CallSession: Hashable {
    enum Phase: Hashable {
        /// Our media make their description.
        case describing
        /// The focus has it.
        case accepting
        case open
    }

    enum Channel: Hashable {
        case closed
        /// Opened again then, or not at all.
        case waiting(Instant?)
        case opening
        case open
    }

    /// How far ICE has begun anew on the same connection.
    struct Restart: Hashable {
        /// The last one's number; nil for none that has a number.
        var generation: Int?
        /// Our side of it is awaited.
        var isDue = false
        /// Ours, as the focus knows it.
        var ownFragment: String?
    }

    /// Of its connection.
    let number: Int
    let focus: JID
    let reply: JingleReply
    let bridgeSession: String?
    let startedAt: Instant
    /// What our description is to the focus.
    let acceptance: JingleReply.Acceptance
    var plan: SectionPlan
    var phase = Phase.describing
    var restart = Restart()
    var state = PeerConnectionState.new
    var channel = Channel.closed

    /// Jingle's id.
    var id: String { reply.session }

    /// Where its channel is; nil if the bridge has none.
    var channelPlace: BridgeChannel? {
        plan.hasChannel ? .data : plan.sockets.first.map(BridgeChannel.socket)
    }

    /// Until when media must arrive.
    var deadline: Instant? {
        state == .connected || state == .disconnected ? nil : startedAt + CallLimits.connecting
    }
}
