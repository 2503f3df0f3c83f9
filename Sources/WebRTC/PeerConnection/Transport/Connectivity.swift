import ICE
import MediaKernel

/// The address of the remote side, and how much may be sent there.
struct Connectivity {
    /// The least interval for telling the agent that packets arrive.
    static let hearingInterval: Duration = .milliseconds(250)
    /// As many as the datagrams of a handshake.
    static let heldBackMaximum = 16

    var agent: ICEAgent { didSet { readAgent() } }
    var remoteCredentials: ICECredentials?
    /// The address of the pair in use, once a check has succeeded.
    private(set) var selectedAddress: TransportAddress?
    /// Whether the remote side has recently consented to receive. RFC 7675.
    private(set) var hasConsent = false
    private(set) var nextDeadline: Instant?
    /// The selected pair has changed since the last call of `takeMove`.
    private var hasMoved = false
    /// Handshake datagrams that wait until more may be sent to an unproven address.
    private var heldBack = BoundedQueue<[UInt8]>(maximum: heldBackMaximum)
    /// When the agent was last told that a packet arrived.
    private var lastHeard: Instant?

    init(agent: ICEAgent) {
        self.agent = agent
        readAgent()
    }

    /// Caches the values that each packet and each tick needs.
    private mutating func readAgent() {
        nextDeadline = agent.nextDeadline
        hasConsent = agent.hasConsent
        guard agent.selected != selectedAddress else { return }
        if selectedAddress != nil { hasMoved = true }
        selectedAddress = agent.selected
    }

    /// Whether the selected pair has changed since the last call.
    mutating func takeMove() -> Bool {
        defer { hasMoved = false }
        return hasMoved
    }

    // MARK: In

    /// Counts bytes from an unproven address, which determine how much may be sent there.
    mutating func received(bytes: Int, from source: TransportAddress) {
        guard !hasConsent || source != selectedAddress else { return }
        agent.received(bytes: bytes, from: source)
    }

    /// Handles an authenticated packet. Returns whether the agent was told.
    mutating func heard(from source: TransportAddress, at now: Instant) -> Bool {
        if hasConsent, source == selectedAddress, let lastHeard,
            now < lastHeard + Self.hearingInterval
        {
            return false
        }
        lastHeard = now
        agent.heard(from: source, at: now)
        return true
    }

    // MARK: Out

    /// Whether this many bytes may be sent now.
    mutating func admits(bytes: Int) -> Bool { hasConsent || agent.spend(bytes: bytes) }

    /// The same for a handshake datagram. If it may not be sent it is held back, since DTLS would
    /// repeat it only after a second.
    mutating func admits(handshake bytes: [UInt8]) -> Bool {
        guard hasConsent || heldBack.isEmpty && agent.spend(bytes: bytes.count) else {
            heldBack.append(bytes)
            return false
        }
        return true
    }

    /// Returns the next held-back datagram if it may be sent now.
    mutating func popHeldBack() -> [UInt8]? {
        guard let next = heldBack.first, admits(bytes: next.count) else { return nil }
        return heldBack.popFirst()
    }
}
