import ICE
import MediaKernel

/// Where the remote side can be reached, and how much may be sent there.
struct Connectivity {
    /// How often the agent hears that media comes.
    static let hearingInterval: Duration = .milliseconds(250)
    /// Datagrams of a handshake are as many.
    static let heldBackMaximum = 16

    var agent: ICEAgent { didSet { readAgent() } }
    var remoteCredentials: ICECredentials?
    /// The address of the pair in use, once a check has succeeded.
    private(set) var selectedAddress: TransportAddress?
    /// Whether the remote side has shown lately that it wants what goes there. RFC 7675.
    private(set) var hasConsent = false
    private(set) var nextDeadline: Instant?
    /// Another pair is in use than at the last call of `takeMove`.
    private var hasMoved = false
    /// Parts of the handshake that wait until more may go to an address that is not proven.
    private var heldBack = BoundedQueue<[UInt8]>(maximum: heldBackMaximum)
    /// When the agent was last told that something had come.
    private var lastHeard: Instant?

    init(agent: ICEAgent) {
        self.agent = agent
        readAgent()
    }

    /// Keeps at hand what each packet and each tick asks of the agent.
    private mutating func readAgent() {
        nextDeadline = agent.nextDeadline
        hasConsent = agent.hasConsent
        guard agent.selected != selectedAddress else { return }
        if selectedAddress != nil { hasMoved = true }
        selectedAddress = agent.selected
    }

    /// Whether packets have gone over to another pair since the last call.
    mutating func takeMove() -> Bool {
        defer { hasMoved = false }
        return hasMoved
    }

    // MARK: In

    /// What comes from an address that is not proven says how much may go there.
    mutating func received(bytes: Int, from source: TransportAddress) {
        guard !hasConsent || source != selectedAddress else { return }
        agent.received(bytes: bytes, from: source)
    }

    /// Something came that only the remote side could have sent. Gives whether the agent was told.
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

    /// Whether so much may be sent now.
    mutating func admits(bytes: Int) -> Bool { hasConsent || agent.spend(bytes: bytes) }

    /// The same for a part of a handshake, which is held back where it may not: it would be repeated
    /// only after a second.
    mutating func admits(handshake bytes: [UInt8]) -> Bool {
        guard hasConsent || heldBack.isEmpty && agent.spend(bytes: bytes.count) else {
            heldBack.append(bytes)
            return false
        }
        return true
    }

    /// The next part that was held back and may go now.
    mutating func popHeldBack() -> [UInt8]? {
        guard let next = heldBack.first, admits(bytes: next.count) else { return nil }
        return heldBack.popFirst()
    }
}
