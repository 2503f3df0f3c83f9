import DataChannel
import Digests
public import ICE
public import MediaKernel
public import RTP
import SDP
public import SecureTransport

/// One WebRTC peer: ICE, DTLS, SRTP, SCTP and SDP of one transport, all media bundled on it.
///
/// Sans-IO: the owner brings datagrams and time in through `handle`, and after every call that
/// takes a time drains `poll` until it gives nil. The connection owns no socket, clock or thread
/// and belongs to one isolation domain.
///
/// What it does by itself: connectivity checks, handshake, encryption, reception reports,
/// transport-wide feedback, unwrapping and answering retransmissions, the data channel. What it
/// leaves to its owner, because it depends on what the media is for: NACKs, key frame requests
/// and sender reports.
public final class PeerConnection {
    public struct Configuration {
        public var identity: DTLSIdentity
        public var mode: ICEAgent.Mode
        /// What our descriptions announce; a lite agent announces the server's addresses.
        public var localCandidates: [ICECandidate]
        /// RTCP canonical name, RFC 7022.
        public var canonicalName: String
        /// A channel that we open when the connection is up. Offered in our first offer.
        public var dataChannel: String?
        /// Whether video that the remote side offers is wanted. Where it is not, its sections are
        /// answered as inactive, so the remote side sends none.
        public var receivesVideo: Bool
        /// Header extensions that are not taken up, though they are understood.
        public var ignoredExtensions: Set<String>
        /// Feeds ICE tie breakers, SSRCs and sequence numbers; random in production.
        public var seed: UInt64

        public init(
            identity: DTLSIdentity, mode: ICEAgent.Mode, localCandidates: [ICECandidate],
            canonicalName: String, dataChannel: String?, receivesVideo: Bool = true,
            ignoredExtensions: Set<String> = [], seed: UInt64
        ) {
            self.identity = identity
            self.mode = mode
            self.localCandidates = localCandidates
            self.canonicalName = canonicalName
            self.dataChannel = dataChannel
            self.receivesVideo = receivesVideo
            self.ignoredExtensions = ignoredExtensions
            self.seed = seed
        }
    }

    public enum Output {
        case transmit([UInt8], to: TransportAddress)
        case stateChanged(PeerConnectionState)
        case media(IncomingPacket)
        /// The remote sender's tie between its wall clock and a track's RTP clock.
        case senderReport(mid: String, encoding: Int, ntp: NTPTime, rtpTimestamp: UInt32)
        /// The remote side needs a key frame of one of our tracks.
        case keyframeRequested(mid: String, encoding: Int)
        /// A channel can be used: the remote side's, or one of ours that it has acknowledged.
        case channelOpened(ChannelHandle, label: String, protocol: String)
        case channelMessage(ChannelHandle, ChannelMessage)
        case channelClosed(ChannelHandle)
    }

    /// Sections of one description. A subscriber is not offered what a room has beyond.
    public static let sectionsMaximum = SDPLimits.sectionsMaximum
    /// Different SSRCs that one remote side may use at a time.
    static let inboundStreamsMaximum = 1024
    /// RTCP datagrams that are read in a second. A bot that asks for lost packets of twenty-five
    /// videos sends some hundred; who sends more would have us do nothing else.
    static let reportDatagramsPerSecond = 2000
    /// Packets of which transport feedback may tell in a second: as many as 150 Mbit/s are. Two
    /// bytes of it may claim thousands, and each is looked at.
    static let statusesPerSecond = 16_384
    /// How often the agent hears that media comes.
    static let hearingInterval: Duration = .milliseconds(250)
    /// Datagrams of a handshake are as many.
    static let heldBackMaximum = 16
    /// Interval of our reception reports.
    static let reportInterval: Duration = .seconds(1)

    let configuration: Configuration
    var random: SeededRandom
    var agent: ICEAgent { didSet { readAgent() } }
    /// The address of the pair in use, once a check has succeeded.
    public private(set) var selectedAddress: TransportAddress?
    /// Whether the remote side has shown lately that it wants what goes there. RFC 7675.
    private(set) var hasConsent = false
    /// Parts of the handshake that wait until more may go to an address that is not proven.
    private var heldBack = BoundedQueue<[UInt8]>(maximum: heldBackMaximum)
    private var agentDeadline: Instant?
    /// When the agent was last told that something had come.
    private var lastHeard: Instant?
    var dtls: DTLSTransport?
    var channels: DataChannelTransport?
    var sections: [Section] = []
    var payloadTypes = PayloadTypeAllocator()
    /// Ids that our offers give to extensions, by URI.
    var offeredExtensions: [String: UInt8] = [:]
    var nextMID = 0
    var remoteFingerprints: [Fingerprint]?
    var remoteCredentials: ICECredentials?
    /// Ids of header extensions as negotiated on this transport. RFC 8285: one space per bundle.
    public internal(set) var headerExtensions: [String: UInt8] = [:] {
        didSet {
            transportSequenceID = headerExtensions[HeaderExtensionURI.transportSequence]
            audioLevelID = headerExtensions[HeaderExtensionURI.audioLevel]
        }
    }
    // At hand, since each packet asks for them.
    private(set) var transportSequenceID: UInt8?
    public private(set) var audioLevelID: UInt8?
    /// By section; one stream for each encoding.
    var outbound: [String: [OutboundStream]] = [:]
    var outboundBySSRC: [SSRC: (mid: String, encoding: Int)] = [:]
    /// What the way out can carry; fed while packets carry the transport's count.
    public internal(set) var bandwidth = BandwidthEstimator()
    /// Whether packets are counted for the receiver's feedback. Off where the way is no limit.
    public var measuresBandwidth = true
    var receptionLoss = ReceptionLoss()
    var repairBudget = RepairBudget()
    var sentRate = SentRate()
    var reportAllowance: TokenBucket
    var statusAllowance: TokenBucket
    var probe: ProbeSchedule?
    var inbound: [SSRC: InboundStream] = [:]
    /// RTX stream to the stream it repairs; at most one for each of `inbound`.
    var repairs: [SSRC: SSRC] = [:]
    var feedback: TransportFeedbackRecorder
    private var outputs: [Output] = []
    private var outputIndex = 0
    var nextReport: Instant?
    var channelBook = DataChannels()
    var hasAssociation = false
    public internal(set) var state = PeerConnectionState.new
    /// When the offer was made that is to be answered; nil while there is none.
    public internal(set) var offeredAt: Instant?
    /// An offer of ours waits for its answer.
    public var isOfferOutstanding: Bool { offeredAt != nil }
    /// An offer of the remote side's was taken and is not answered.
    var owesAnswer = false
    /// The sections that both sides know, by place.
    var settledMIDs: [String] = []
    var sessionVersion: UInt64 = 0
    var hasStartedDTLS = false
    var hasTransportFailed = false
    var dtlsRole = DTLSTransport.Role.server
    /// Reports are sent from this SSRC until a track of our own exists.
    let reporter: SSRC
    /// Datagrams that were neither valid nor expected. For metrics.
    public internal(set) var discardedDatagrams = 0
    /// See `takeUnsentPackets`.
    var unsentPackets = 0

    public init(configuration: Configuration, at now: Instant) {
        self.configuration = configuration
        var random = SeededRandom(seed: configuration.seed)
        agent = ICEAgent(
            mode: configuration.mode, local: Self.freshCredentials(),
            authenticator: Authenticator(), tieBreaker: random.next(), seed: random.next())
        for candidate in configuration.localCandidates { agent.addLocalCandidate(candidate) }
        reporter = SSRC(UInt32.random(in: 1...UInt32.max, using: &random))
        feedback = TransportFeedbackRecorder(sender: reporter)
        reportAllowance = TokenBucket(
            rate: Self.reportDatagramsPerSecond, burst: Self.reportDatagramsPerSecond, at: now)
        statusAllowance = TokenBucket(
            rate: Self.statusesPerSecond, burst: Self.statusesPerSecond, at: now)
        self.random = random
        // The wire name of 100ms' channel protocol is "SCTP" (docs/PROTOCOL.md sect. 8).
        if let label = configuration.dataChannel {
            _ = channelBook.add(ChannelFormat(label: label, protocol: "SCTP"))
        }
        readAgent()
    }

    /// Secrets come from the system, never from the seed: from numbers of a seeded generator that
    /// are seen on the wire, those that are not could be found.
    static func freshCredentials() -> ICECredentials {
        var random = SecureRandom()
        return .random(using: &random)
    }

    /// Our current user name fragment, by which a shared socket finds this connection.
    public var localUsernameFragment: String { agent.localCredentials.usernameFragment }

    /// Keeps at hand what each packet and each tick asks of the agent.
    private func readAgent() {
        agentDeadline = agent.nextDeadline
        hasConsent = agent.hasConsent
        guard agent.selected != selectedAddress else { return }
        // From one network to another: what is known of the old one says nothing of the new one.
        if selectedAddress != nil { bandwidth.routeChanged() }
        selectedAddress = agent.selected
    }

    // MARK: Input

    /// What a datagram shows of where it came from.
    public enum Evidence {
        /// Nothing: anybody could have sent it.
        case none
        /// A check by somebody who knows our password, from an address that may be made up, or an
        /// answer to one of ours.
        case check
        /// Whoever sent it has the remote side's keys.
        case keys
    }

    /// Takes one datagram of our socket. Never fails: what is not valid is counted and dropped.
    @discardableResult
    public func handle(
        _ datagram: [UInt8], from source: TransportAddress, at now: Instant
    ) -> Evidence {
        guard state != .closed else {
            discardedDatagrams += 1
            return .none
        }
        var evidence = Evidence.none
        // RFC 7983 sect. 7: the first byte tells the protocol.
        switch datagram.first ?? 255 {
        case 0...3:
            do {
                if try agent.handle(datagram, from: source, at: now) { evidence = .check }
            } catch {
                discardedDatagrams += 1
            }
            settleICE(at: now)
        case 20...63:
            guard let dtls, selectedAddress != nil else {
                discardedDatagrams += 1
                return .none
            }
            count(datagram, from: source)
            dtls.handle(datagram, at: now)
            if settleDTLS(at: now) {
                evidence = .keys
                heard(from: source, at: now)
            }
        case 128...191:
            if handleMedia(datagram, at: now) {
                evidence = .keys
                count(datagram, from: source)
                heard(from: source, at: now)
            }
        default:
            discardedDatagrams += 1
        }
        return evidence
    }

    /// What comes from an address that is not proven says how much may go there.
    private func count(_ datagram: [UInt8], from source: TransportAddress) {
        guard !hasConsent || source != selectedAddress else { return }
        agent.received(bytes: datagram.count, from: source)
    }

    private func heard(from source: TransportAddress, at now: Instant) {
        if hasConsent, source == selectedAddress, let lastHeard,
            now < lastHeard + Self.hearingInterval
        {
            return
        }
        lastHeard = now
        agent.heard(from: source, at: now)
        settleICE(at: now)
    }

    /// Whether the remote side is or may soon be sent to at that address.
    public func isKnown(_ address: TransportAddress) -> Bool { agent.isKnown(address) }

    /// Whether the remote side has lately shown that it can be reached at that address.
    public func isProven(_ address: TransportAddress) -> Bool { agent.isProven(address) }

    /// Sends to the address in use, or nothing where that may not be sent to now.
    func emit(_ bytes: [UInt8], to address: TransportAddress) {
        guard hasConsent || agent.spend(bytes: bytes.count) else { return }
        emit(.transmit(bytes, to: address))
    }

    /// The same with a part of a handshake, which is repeated only after a second.
    func emitHandshake(_ bytes: [UInt8], to address: TransportAddress) {
        guard hasConsent || heldBack.isEmpty && agent.spend(bytes: bytes.count) else {
            heldBack.append(bytes)
            return
        }
        emit(.transmit(bytes, to: address))
    }

    /// Sends what was held back and may go now.
    func releaseHeldBack() {
        guard let address = selectedAddress else { return }
        while let next = heldBack.first, hasConsent || agent.spend(bytes: next.count) {
            _ = heldBack.popFirst()
            emit(.transmit(next, to: address))
        }
    }

    /// Lets time pass. Call at `nextDeadline` or later.
    public func handleTimeout(at now: Instant) {
        guard state != .closed else { return }
        agent.handleTimeout(at: now)
        settleICE(at: now)
        if let dtls {
            dtls.handleTimeout(at: now)
            settleDTLS(at: now)
        }
        settleChannels(at: now)
        guard dtls?.isConnected == true else { return }
        continueProbe(at: now)
        if let packet = feedback.poll(at: now) { send([.transportFeedback(packet)]) }
        if let due = nextReport, due <= now {
            nextReport = now + Self.reportInterval
            sendReceptionReports(at: now)
        }
    }

    /// Nil once closed.
    public var nextDeadline: Instant? {
        guard state != .closed else { return nil }
        var next = Instant.earlier(agentDeadline, dtls?.nextDeadline)
        next = .earlier(next, feedback.nextDeadline)
        next = .earlier(next, nextReport)
        return .earlier(next, probe?.due)
    }

    public func poll() -> Output? {
        guard outputIndex < outputs.count - 1 else {
            // The last one, which is mostly the only one, is handed out without being copied.
            let last = outputs.popLast()
            if outputIndex > 0 { outputs.removeAll(keepingCapacity: true) }
            outputIndex = 0
            return last
        }
        defer { outputIndex += 1 }
        return outputs[outputIndex]
    }

    func emit(_ output: Output) { outputs.append(output) }

    /// How many packets of ours could not be encrypted, and so were not sent, since the last call.
    public func takeUnsentPackets() -> Int {
        defer { unsentPackets = 0 }
        return unsentPackets
    }

    /// Says goodbye to the remote side. Nothing is sent or received any more.
    public func close(at now: Instant) {
        guard state != .closed else { return }
        channels?.close()
        settleChannels(at: now)
        dtls?.close()
        settleDTLS(at: now)
        channels = nil
        dtls = nil
        change(to: .closed)
    }
}

/// STUN's keyed hash from OpenSSL; ICE itself knows no cryptography.
private struct Authenticator: MessageAuthenticator {
    func hmacSHA1(key: [UInt8], message: [UInt8]) -> [UInt8] {
        MACKey(key, digest: .sha1).code(of: message)
    }
}
