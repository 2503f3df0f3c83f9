import DataChannel
import Digests
public import ICE
public import MediaKernel
import RTP
import SDP
public import SecureTransport

/// One WebRTC peer: ICE, DTLS, SRTP, SCTP and SDP of one transport, all media bundled on it.
///
/// Sans-IO: the owner passes in datagrams and time through `handle`, and drains `poll` until nil
/// after every call that takes a time. The connection owns no socket, clock or thread and belongs
/// to one isolation domain.
///
/// The connection itself handles connectivity checks, handshake, encryption, reception reports,
/// transport-wide feedback, unwrapping and answering retransmissions, and the data channel. NACKs,
/// key frame requests and sender reports are left to the owner, because they depend on the use of
/// the media.
public final class PeerConnection {
    public struct Configuration {
        public var identity: DTLSIdentity
        public var mode: ICEAgent.Mode
        /// Announced in our descriptions; a lite agent announces the server's addresses.
        public var localCandidates: [ICECandidate]
        /// RTCP canonical name, RFC 7022.
        public var canonicalName: String
        /// A channel that we open when the connection is up. Offered in our first offer.
        public var dataChannel: ChannelFormat?
        /// Whether video that the remote side offers is wanted. Where it is not, its sections are
        /// answered as inactive, so the remote side sends none.
        public var receivesVideo: Bool
        /// Header extensions that are understood but not accepted.
        public var ignoredExtensions: Set<String>
        /// Seeds ICE tie breakers, SSRCs and sequence numbers; random in production.
        public var seed: UInt64

        public init(
            identity: DTLSIdentity, mode: ICEAgent.Mode, localCandidates: [ICECandidate],
            canonicalName: String, dataChannel: ChannelFormat?, receivesVideo: Bool = true,
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
        /// The remote sender's mapping of its wall clock to a track's RTP clock.
        case senderReport(mid: String, encoding: Int, ntp: NTPTime, rtpTimestamp: UInt32)
        /// The remote side needs a key frame of one of our tracks.
        case keyframeRequested(mid: String, encoding: Int)
        /// A channel is usable: the remote side's, or one of ours that it has acknowledged.
        case channelOpened(ChannelHandle, label: String, protocol: String)
        case channelMessage(ChannelHandle, ChannelMessage)
        case channelClosed(ChannelHandle)
    }

    /// The most sections of one description. A subscriber is not offered tracks beyond that.
    public static let sectionsMaximum = SDPLimits.sectionsMaximum

    let configuration: Configuration
    var random: SeededRandom
    /// Reports are sent from this SSRC until a track of our own exists.
    let reporter: SSRC
    var negotiation: Negotiation
    var connectivity: Connectivity
    var security = Security()
    var sending = Sending()
    var receiving: Receiving
    var channels = DataChannels()
    private var outputs = OutputQueue()
    public internal(set) var state = PeerConnectionState.new

    public init(configuration: Configuration, at now: Instant) {
        self.configuration = configuration
        var random = SeededRandom(seed: configuration.seed)
        var agent = ICEAgent(
            mode: configuration.mode, local: Self.freshCredentials(),
            authenticator: Authenticator(), tieBreaker: random.next(), seed: random.next())
        for candidate in configuration.localCandidates { agent.addLocalCandidate(candidate) }
        connectivity = Connectivity(agent: agent)
        negotiation = Negotiation(configuration)
        reporter = SSRC(UInt32.random(in: 1...UInt32.max, using: &random))
        receiving = Receiving(reporter: reporter, at: now)
        self.random = random
        if let channel = configuration.dataChannel { _ = channels.add(channel) }
    }

    /// Secrets come from the system, never from the seed: an observer of a seeded generator's
    /// numbers on the wire could compute the others.
    static func freshCredentials() -> ICECredentials {
        var random = SecureRandom()
        return .random(using: &random)
    }

    /// Our current username fragment, by which a shared socket finds this connection.
    public var localUsernameFragment: String {
        connectivity.agent.localCredentials.usernameFragment
    }

    /// The address of the pair in use, once a check has succeeded.
    public var selectedAddress: TransportAddress? { connectivity.selectedAddress }

    /// Datagrams that were neither valid nor expected. For metrics.
    public var discardedDatagrams: Int { receiving.discardedDatagrams }

    // MARK: Input

    /// The evidence that a datagram gives about its source address.
    public enum Evidence {
        /// None: anybody could have sent it.
        case none
        /// A check by a sender that knows our password, possibly from a forged address, or an
        /// answer to one of our checks.
        case check
        /// The sender has the remote side's keys.
        case keys
    }

    /// Handles one datagram of our socket. Never fails: invalid datagrams are counted and dropped.
    /// Media is decrypted in place, so a caller that consumes its buffer saves a copy.
    @discardableResult
    public func handle(
        _ datagram: consuming [UInt8], from source: TransportAddress, at now: Instant
    ) -> Evidence {
        guard state != .closed else {
            receiving.discardedDatagrams += 1
            return .none
        }
        // RFC 7983 sect. 7: the first byte identifies the protocol.
        switch datagram.first ?? 255 {
        case 0...3:
            return handleCheck(datagram, from: source, at: now)
        case 20...63:
            return handleHandshake(datagram, from: source, at: now)
        case 128...191:
            let bytes = datagram.count
            guard handleMedia(datagram, at: now) else { return .none }
            connectivity.received(bytes: bytes, from: source)
            heard(from: source, at: now)
            return .keys
        default:
            receiving.discardedDatagrams += 1
            return .none
        }
    }

    private func handleCheck(
        _ datagram: [UInt8], from source: TransportAddress, at now: Instant
    ) -> Evidence {
        var evidence = Evidence.none
        do {
            if try connectivity.agent.handle(datagram, from: source, at: now) { evidence = .check }
        } catch {
            receiving.discardedDatagrams += 1
        }
        settleICE(at: now)
        return evidence
    }

    private func handleHandshake(
        _ datagram: [UInt8], from source: TransportAddress, at now: Instant
    ) -> Evidence {
        guard let dtls = security.dtls, connectivity.selectedAddress != nil else {
            receiving.discardedDatagrams += 1
            return .none
        }
        connectivity.received(bytes: datagram.count, from: source)
        dtls.handle(datagram, at: now)
        guard settleDTLS(at: now) else { return .none }
        heard(from: source, at: now)
        return .keys
    }

    private func heard(from source: TransportAddress, at now: Instant) {
        if connectivity.heard(from: source, at: now) { settleICE(at: now) }
    }

    /// What we know of an address.
    public enum Standing {
        case unknown
        /// We send to the remote side there, or may do so soon.
        case known
        /// The remote side has recently proven that it is reachable there, too.
        case proven
    }

    public func standing(of address: TransportAddress) -> Standing {
        guard connectivity.agent.isKnown(address) else { return .unknown }
        return connectivity.agent.isProven(address) ? .proven : .known
    }

    // MARK: Time and output

    /// Handles timers. Call at `nextDeadline` or later.
    public func handleTimeout(at now: Instant) {
        guard state != .closed else { return }
        connectivity.agent.handleTimeout(at: now)
        settleICE(at: now)
        if let dtls = security.dtls {
            dtls.handleTimeout(at: now)
            settleDTLS(at: now)
        }
        settleChannels(at: now)
        guard security.isConnected else { return }
        continueProbe(at: now)
        if let packet = receiving.feedback.poll(at: now) { send([.transportFeedback(packet)]) }
        if let due = receiving.nextReport, due <= now {
            receiving.nextReport = now + Self.reportInterval
            let reports = receiving.reports(
                from: reporter, named: configuration.canonicalName, at: now)
            for packets in reports { send(packets) }
        }
    }

    /// Nil once closed.
    public var nextDeadline: Instant? {
        guard state != .closed else { return nil }
        var next = Instant.earlier(connectivity.nextDeadline, security.dtls?.nextDeadline)
        next = .earlier(next, receiving.feedback.nextDeadline)
        next = .earlier(next, receiving.nextReport)
        return .earlier(next, sending.probe?.due)
    }

    public func poll() -> Output? { outputs.popFirst() }

    func emit(_ output: Output) { outputs.append(output) }

    /// Sends to the address, unless that is not allowed now.
    func emit(_ bytes: [UInt8], to address: TransportAddress) {
        guard connectivity.admits(bytes: bytes.count) else { return }
        emit(.transmit(bytes, to: address))
    }

    /// Closes the connection and notifies the remote side. Nothing is sent or received afterwards.
    public func close(at now: Instant) {
        guard state != .closed else { return }
        channels.transport?.close()
        settleChannels(at: now)
        security.dtls?.close()
        settleDTLS(at: now)
        channels.transport = nil
        security.dtls = nil
        security.isConnected = false
        change(to: .closed)
    }
}

/// STUN's HMAC from OpenSSL; ICE itself has no cryptography.
private struct Authenticator: MessageAuthenticator {
    func hmacSHA1(key: [UInt8], message: [UInt8]) -> [UInt8] {
        MACKey(key, digest: .sha1).code(of: message)
    }
}
