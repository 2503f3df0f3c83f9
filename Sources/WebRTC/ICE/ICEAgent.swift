public import MediaKernel

/// The state of an agent, in the terms of RTCIceTransportState.
public enum ICEState: String, Hashable, Sendable {
    /// The other side is not known yet.
    case new
    /// Searching for a path; after a restart the old path still carries media.
    case checking
    /// There is a path.
    case connected
    /// The path has been silent for `ICETiming.disconnectedAfter`. It may recover.
    case disconnected
    /// No path within `ICETiming.failedAfter`, or lost for as long. A full agent needs a restart; a
    /// lite one also accepts a later valid check.
    case failed
}

/// The durations of an agent.
public enum ICETiming {
    /// Between two new checks. RFC 8445 sect. 14.2 (Ta).
    public static let pacing: Duration = .milliseconds(50)
    /// The least time before a check is first repeated. RFC 8445 sect. 14.3 starts at 500 ms, which
    /// makes one lost packet a visible pause.
    public static let firstRetransmission: Duration = .milliseconds(100)
    /// The interval between repetitions doubles up to this.
    public static let longestRetransmission: Duration = .milliseconds(1600)
    /// Rc of RFC 8489 sect. 6.2.1: how often a request is sent before it counts as lost.
    public static let transmissionsMaximum = 7
    /// How long a failed pair rests before it is retried while no pair works.
    public static let failedPairRest: Duration = .seconds(1)
    /// How long the first success waits for a better pair still being checked: two paces, so that
    /// the next check can be sent and answered.
    public static let nominationPatience: Duration = .milliseconds(100)
    /// Between consent checks; each interval is drawn from 0.8…1.2 of it. RFC 7675 sect. 5.1.
    public static let consentInterval: Duration = .seconds(5)
    /// Between consent checks while one is unanswered, so that one lost packet does not lose the
    /// path.
    public static let unansweredConsentInterval: Duration = .milliseconds(500)
    /// Silence on the path until `disconnected`: more than one consent interval and its jitter.
    public static let disconnectedAfter: Duration = .seconds(8)
    /// Silence until `failed`, when consent has expired. RFC 7675 sect. 5.1.
    public static let failedAfter: Duration = .seconds(30)
    /// A random consent interval, so that the checks of many connections do not coincide. RFC 7675
    /// sect. 5.1.
    static func consentDistance(using random: inout SeededRandom) -> Duration {
        let share = Int64.random(in: 800...1200, using: &random)
        return .nanoseconds(consentInterval.nanoseconds / 1000 * share)
    }
    /// How long checks with the credentials from before a restart are still answered.
    public static let previousCredentialsLife: Duration = .seconds(30)
}

/// Finds and keeps a path to the other side over one UDP socket, for one component (RTP and RTCP
/// muxed, all sections bundled). RFC 8445; consent freshness by RFC 7675.
///
/// Sans-IO: the driver passes datagrams and time in, then calls `poll` until it returns nil, and
/// calls `handleTimeout` at `nextDeadline`. The agent sends only answers to requests that prove
/// knowledge of our password, checks of the sources of such requests and, as a full agent, checks
/// of candidates.
///
///     new ──setRemote──► checking ──valid check (lite), nomination (full)──► connected
///     connected ──8 s of silence──► disconnected ──heard again──► connected
///     checking, disconnected ──30 s──► failed ──restart──► checking
public struct ICEAgent: Sendable {
    public enum Mode: Hashable, Sendable {
        /// Answers checks and follows the other side's nomination. RFC 8445 sect. 2.5.
        case lite
        /// Checks candidates itself; a controlling agent nominates.
        case full(controlling: Bool)
    }

    public enum Output: Hashable, Sendable {
        case transmit([UInt8], to: TransportAddress)
        /// Send to this address from now on.
        case selected(TransportAddress)
        case state(ICEState)
    }

    private enum Engine: Sendable {
        case lite(LiteAgent)
        case full(FullAgent)
    }

    private var engine: Engine
    /// The candidates announced to the other side.
    public private(set) var localCandidates: [ICECandidate] = []

    /// - Parameters:
    ///   - tieBreaker: random; resolves role conflicts.
    ///   - seed: random, from a generator for secrets; determines transaction ids and jitter.
    public init(
        mode: Mode, local: ICECredentials, authenticator: any MessageAuthenticator,
        tieBreaker: UInt64, seed: UInt64
    ) {
        let responder = STUNResponder(local: local, authenticator: authenticator)
        switch mode {
        case .lite:
            engine = .lite(
                LiteAgent(responder: responder, tieBreaker: tieBreaker, seed: seed))
        case .full(let isControlling):
            engine = .full(
                FullAgent(
                    responder: responder, isControlling: isControlling, tieBreaker: tieBreaker,
                    seed: seed))
        }
    }

    // MARK: Transitions

    /// Adds a candidate of our socket. A full agent checks only remote candidates of the same
    /// address families.
    public mutating func addLocalCandidate(_ candidate: ICECandidate) {
        guard localCandidates.count < ICELimits.localCandidatesMaximum,
            !localCandidates.contains(candidate)
        else { return }
        localCandidates.append(candidate)
        if case .full(var agent) = engine {
            agent.localCandidatesChanged(localCandidates)
            engine = .full(agent)
        }
    }

    /// Sets the credentials from the other side's description. Changed credentials mean an ICE
    /// restart (RFC 8445 sect. 9): its old candidates are forgotten.
    public mutating func setRemote(_ credentials: ICECredentials, at now: Instant) {
        switch engine {
        case .lite(var agent):
            agent.remoteDescribed(credentials, at: now)
            engine = .lite(agent)
        case .full(var agent):
            agent.remoteDescribed(credentials, at: now)
            engine = .full(agent)
        }
    }

    /// Begins an ICE restart with our new credentials. The selected path stays in use until another
    /// is found.
    public mutating func restart(local: ICECredentials, at now: Instant) {
        switch engine {
        case .lite(var agent):
            agent.restarted(local: local, at: now)
            engine = .lite(agent)
        case .full(var agent):
            agent.restarted(local: local, at: now)
            engine = .full(agent)
        }
    }

    /// Adds a candidate of the other side, described or trickled. A lite agent ignores it. TCP,
    /// other components, candidates of another generation and those beyond
    /// `ICELimits.remoteCandidatesMaximum` are ignored.
    public mutating func addRemoteCandidate(_ candidate: ICECandidate, at now: Instant) {
        guard case .full(var agent) = engine else { return }
        agent.remoteCandidateAdded(candidate, at: now)
        engine = .full(agent)
    }

    /// Handles a datagram for which `STUNMessage.isSTUN` holds.
    ///
    /// - Returns: whether the sender has proven knowledge of a password.
    /// - Throws: why the datagram had no effect beyond a possible error response.
    @discardableResult
    public mutating func handle(
        _ datagram: [UInt8], from source: TransportAddress, at now: Instant
    ) throws(ICEError) -> Bool {
        let message = try STUNMessage(parsing: datagram)
        guard message.method == STUNMessage.bindingMethod else { throw .unexpectedMessage }
        switch engine {
        case .lite(var agent):
            defer { engine = .lite(agent) }
            try agent.received(message, bytes: datagram.count, from: source, at: now)
        case .full(var agent):
            defer { engine = .full(agent) }
            try agent.received(message, from: source, at: now)
        }
        return message.class != .indication
    }

    /// Notes media or RTCP from an address, authenticated by the other side's keys. It keeps a path
    /// of a lite agent alive; a full agent relies on its own checks. RFC 7675.
    public mutating func heard(from source: TransportAddress, at now: Instant) {
        guard case .lite(var agent) = engine else { return }
        agent.heard(isAuthentic: true, from: source, at: now)
        engine = .lite(agent)
    }

    /// Counts bytes from an address that are not STUN. See `spend`.
    public mutating func received(bytes: Int, from source: TransportAddress) {
        guard case .lite(var agent) = engine else { return }
        agent.received(bytes: bytes, from: source)
        engine = .lite(agent)
    }

    /// Whether this many bytes may be sent to the selected address; if so, they count as sent.
    /// Without consent the limit is three times what arrived from it.
    public mutating func spend(bytes: Int) -> Bool {
        switch engine {
        case .lite(var agent):
            defer { engine = .lite(agent) }
            return agent.spend(bytes: bytes)
        case .full(let agent):
            return agent.selected != nil
        }
    }

    /// Performs due work. Calling it early or late does no harm.
    public mutating func handleTimeout(at now: Instant) {
        switch engine {
        case .lite(var agent):
            agent.timePassed(at: now)
            engine = .lite(agent)
        case .full(var agent):
            agent.run(at: now)
            engine = .full(agent)
        }
    }

    /// The next output; nil if there is none. A path precedes the state it causes, and both precede
    /// datagrams. Of states not yet polled only the last is returned.
    public mutating func poll() -> Output? {
        switch engine {
        case .lite(var agent):
            defer { engine = .lite(agent) }
            return agent.outbox.popFirst()
        case .full(var agent):
            defer { engine = .full(agent) }
            return agent.outbox.popFirst()
        }
    }

    // MARK: State

    /// When to call `handleTimeout`; nil if only a datagram can change anything.
    public var nextDeadline: Instant? {
        switch engine {
        case .lite(let agent): return agent.nextDeadline
        case .full(let agent): return agent.nextDeadline
        }
    }

    public var state: ICEState {
        switch engine {
        case .lite(let agent): return agent.state
        case .full(let agent): return agent.state
        }
    }

    public var localCredentials: ICECredentials {
        switch engine {
        case .lite(let agent): return agent.responder.local
        case .full(let agent): return agent.responder.local
        }
    }

    /// The address to send to; nil before the first path and after `failed`.
    public var selected: TransportAddress? {
        switch engine {
        case .lite(let agent): return agent.selected
        case .full(let agent): return agent.selected
        }
    }

    /// Whether the other side has recently consented to receive at the selected address (RFC 7675).
    /// A full agent selects no address without consent.
    public var hasConsent: Bool {
        switch engine {
        case .lite(let agent): return agent.hasConsent
        case .full(let agent): return agent.selected != nil
        }
    }

    /// Whether we send to the other side at that address, or may do so soon.
    public func isKnown(_ address: TransportAddress) -> Bool {
        switch engine {
        case .lite(let agent): return agent.isKnown(address)
        case .full(let agent): return agent.selected == address
        }
    }

    /// Whether the other side answered a check of ours there in the last 30 s.
    public func isProven(_ address: TransportAddress) -> Bool {
        switch engine {
        case .lite(let agent): return agent.isProven(address)
        case .full(let agent): return agent.selected == address
        }
    }

    /// Whether this side nominates; a role conflict may have changed it.
    public var isControlling: Bool {
        switch engine {
        case .lite: return false
        case .full(let agent): return agent.isControlling
        }
    }
}
