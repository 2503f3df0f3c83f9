import DataChannel
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
        /// Feeds ICE tie breakers, SSRCs and sequence numbers; from a secure source in production.
        public var seed: UInt64

        public init(
            identity: DTLSIdentity, mode: ICEAgent.Mode, localCandidates: [ICECandidate],
            canonicalName: String, dataChannel: String?, seed: UInt64
        ) {
            self.identity = identity
            self.mode = mode
            self.localCandidates = localCandidates
            self.canonicalName = canonicalName
            self.dataChannel = dataChannel
            self.seed = seed
        }
    }

    public enum Output {
        case transmit([UInt8], to: TransportAddress)
        case stateChanged(PeerConnectionState)
        case media(IncomingPacket)
        /// The remote sender's tie between its wall clock and a track's RTP clock.
        case senderReport(mid: String, ntp: NTPTime, rtpTimestamp: UInt32)
        /// The remote side needs a key frame of one of our tracks.
        case keyframeRequested(mid: String)
        case channelOpened(label: String)
        case channelText(label: String, text: String)
        case channelClosed(label: String)
    }

    /// Sections of one description. A room's limit on tracks lies far below.
    public static let sectionsMaximum = 256
    /// Different SSRCs that one remote side may use at a time.
    static let inboundStreamsMaximum = 1024
    /// Interval of our reception reports.
    static let reportInterval: Duration = .seconds(1)

    let configuration: Configuration
    var random: SeededRandom
    var agent: ICEAgent
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
    public internal(set) var headerExtensions: [String: UInt8] = [:]
    var outbound: [String: OutboundStream] = [:]
    private var outboundBySSRC: [SSRC: String] = [:]
    private var inbound: [SSRC: InboundStream] = [:]
    /// RTX stream to the stream it repairs; at most one for each of `inbound`.
    private(set) var repairs: [SSRC: SSRC] = [:]
    private var feedback: TransportFeedbackRecorder
    private var outputs: [Output] = []
    private var outputIndex = 0
    private var nextReport: Instant?
    private var channelLabels: [ChannelID: String] = [:]
    public internal(set) var state = PeerConnectionState.new
    /// An offer of ours waits for its answer.
    public internal(set) var isOfferOutstanding = false
    var sessionVersion: UInt64 = 0
    /// Reports are sent from this SSRC until a track of our own exists.
    private let reporter: SSRC
    /// Datagrams that were neither valid nor expected. For metrics.
    public private(set) var discardedDatagrams = 0

    public init(configuration: Configuration, at now: Instant) {
        self.configuration = configuration
        var random = SeededRandom(seed: configuration.seed)
        agent = ICEAgent(
            mode: configuration.mode, local: .random(using: &random),
            authenticator: Authenticator(), tieBreaker: random.next(), seed: random.next())
        for candidate in configuration.localCandidates { agent.addLocalCandidate(candidate) }
        reporter = SSRC(UInt32.random(in: 1...UInt32.max, using: &random))
        feedback = TransportFeedbackRecorder(sender: reporter)
        self.random = random
    }

    /// Our current user name fragment, by which a shared socket finds this connection.
    public var localUsernameFragment: String { agent.localCredentials.usernameFragment }

    /// The address of the pair in use, once a check has succeeded.
    public var selectedAddress: TransportAddress? { agent.selected }

    // MARK: Input

    /// Takes one datagram of our socket. Never fails: what is not valid is counted and dropped.
    public func handle(_ datagram: [UInt8], from source: TransportAddress, at now: Instant) {
        guard state != .closed else { return discardedDatagrams += 1 }
        // RFC 7983 sect. 7: the first byte tells the protocol.
        switch datagram.first ?? 255 {
        case 0...3:
            do { try agent.handle(datagram, from: source, at: now) } catch { discardedDatagrams += 1 }
            settleICE(at: now)
        case 20...63:
            guard let dtls, agent.selected != nil else { return discardedDatagrams += 1 }
            dtls.handle(datagram, at: now)
            settleDTLS(at: now)
        case 128...191:
            handleMedia(datagram, at: now)
        default:
            discardedDatagrams += 1
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
        if let packet = feedback.poll(at: now) { send([.transportFeedback(packet)]) }
        if let due = nextReport, due <= now {
            nextReport = now + Self.reportInterval
            sendReceptionReports(at: now)
        }
    }

    /// Nil once closed.
    public var nextDeadline: Instant? {
        guard state != .closed else { return nil }
        return [agent.nextDeadline, dtls?.nextDeadline, feedback.nextDeadline, nextReport]
            .compactMap { $0 }.min()
    }

    public func poll() -> Output? {
        guard outputIndex < outputs.count else {
            outputs.removeAll(keepingCapacity: true)
            outputIndex = 0
            return nil
        }
        defer { outputIndex += 1 }
        return outputs[outputIndex]
    }

    func emit(_ output: Output) { outputs.append(output) }

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

    // MARK: Media out

    /// Sends one packet of our track. SSRC and payload type are ours; sequence number, timestamp,
    /// marker and extensions (by this connection's ids) are the caller's.
    public func send(_ packet: RTPPacket, mid: String, at now: Instant) {
        guard let dtls, dtls.isConnected, let packet = outbound[mid]?.sent(packet, at: now) else {
            return
        }
        transmit(packet, over: dtls)
    }

    /// Sends a sender report for our track. RFC 3550 sect. 6.4.1.
    public func sendSenderReport(mid: String, ntp: NTPTime, rtpTimestamp: UInt32) {
        guard let stream = outbound[mid], stream.payloadType != nil else { return }
        let report = stream.senderReport(ntp: ntp, rtpTimestamp: rtpTimestamp)
        send([.senderReport(report), description(of: stream.ssrc)])
    }

    /// Asks the remote side for a key frame. RFC 4585 sect. 6.3.1.
    public func requestKeyframe(mid: String) {
        guard let ssrc = primarySSRC(of: mid) else { return }
        send([.pictureLossIndication(sender: reporter, media: ssrc)])
    }

    /// Asks the remote side for packets of a track again. RFC 4585 sect. 6.2.1.
    public func requestRetransmission(of lost: [SequenceNumber], mid: String) {
        guard !lost.isEmpty, let ssrc = primarySSRC(of: mid) else { return }
        send([.genericNACK(GenericNACK(sender: reporter, media: ssrc, lost: lost))])
    }

    /// Sends text on a channel. Dropped while the channel is not open.
    public func send(_ text: String, on label: String, at now: Instant) {
        guard let channels, let id = channelLabels.first(where: { $0.value == label })?.key else {
            return
        }
        try? channels.send(text, on: id)
        settleChannels(at: now)
    }

    private func transmit(_ packet: RTPPacket, over dtls: DTLSTransport) {
        guard let address = agent.selected else { return }
        var bytes = packet.serialized()
        guard (try? dtls.protectRTP(&bytes)) != nil else { return }
        outputs.append(.transmit(bytes, to: address))
    }

    private func send(_ packets: [RTCPPacket]) {
        guard let dtls, dtls.isConnected, let address = agent.selected else { return }
        var bytes = RTCPPacket.serialize(packets)
        guard (try? dtls.protectRTCP(&bytes)) != nil else { return }
        outputs.append(.transmit(bytes, to: address))
    }

    private func description(of ssrc: SSRC) -> RTCPPacket {
        .sourceDescription([
            SourceDescription(ssrc: ssrc, cname: configuration.canonicalName)
        ])
    }

    private func sendReceptionReports(at now: Instant) {
        // A report names a stream only while something of it arrives, at most 31 per packet.
        var reports: [ReceptionReport] = []
        for ssrc in inbound.keys {
            if let report = inbound[ssrc]?.report(at: now) { reports.append(report) }
        }
        guard !reports.isEmpty else { return }
        for start in stride(from: 0, to: reports.count, by: 31) {
            let part = Array(reports[start..<min(start + 31, reports.count)])
            send([
                .receiverReport(ReceiverReport(ssrc: reporter, reports: part)),
                description(of: reporter),
            ])
        }
    }

    // MARK: Media in

    private func handleMedia(_ datagram: [UInt8], at now: Instant) {
        guard let dtls, dtls.isConnected else { return discardedDatagrams += 1 }
        var bytes = datagram
        do {
            if RTPPacket.isRTCP(bytes) {
                try dtls.unprotectRTCP(&bytes)
                for packet in try RTCPPacket.parseCompound(bytes) { handle(packet, at: now) }
            } else {
                try dtls.unprotectRTP(&bytes)
                handle(try RTPPacket(parsing: bytes), at: now)
            }
        } catch {
            discardedDatagrams += 1
        }
    }

    private func handle(_ packet: RTPPacket, at now: Instant) {
        if let id = headerExtensions[HeaderExtensionURI.transportSequence],
            let bytes = packet.extensions[id], bytes.count == 2
        {
            let first = bytes.startIndex
            // Browsers drop feedback that names none of the streams they send.
            feedback.media = packet.ssrc
            feedback.received(
                sequence: UInt16(bytes[first]) << 8 | UInt16(bytes[first + 1]), at: now)
        }
        if let original = repairs[packet.ssrc] {
            guard let stream = inbound[original],
                let packet = try? RTX.unwrap(
                    packet, originalSSRC: original, originalPayloadType: stream.payloadType)
            else { return }
            emit(.media(IncomingPacket(mid: stream.mid, packet: packet, isRetransmission: true)))
            return
        }
        guard let mid = inbound[packet.ssrc]?.mid ?? learn(packet) else { return }
        inbound[packet.ssrc]?.received(packet, at: now)
        emit(.media(IncomingPacket(mid: mid, packet: packet, isRetransmission: false)))
    }

    /// Finds the section of a packet whose SSRC was not announced. RFC 9143 sect. 9.2.
    private func learn(_ packet: RTPPacket) -> String? {
        guard inbound.count < Self.inboundStreamsMaximum else { return nil }
        var mid: String?
        if let id = headerExtensions[HeaderExtensionURI.mid], let bytes = packet.extensions[id] {
            mid = String(decoding: bytes, as: UTF8.self)
        }
        let type = packet.payloadType.rawValue
        let candidates = sections.filter { section in
            guard let track = section.remoteTrack else { return false }
            if let mid, section.mid != mid { return false }
            return track.codec.payloadType == type || track.rtxPayloadType == type
        }
        guard let section = candidates.first, candidates.count == 1, let track = section.remoteTrack
        else { return nil }
        if track.rtxPayloadType == type {
            guard let primary = primarySSRC(of: section.mid) else { return nil }
            // The newest replaces the one before, or a peer could fill our memory with them.
            forgetRepairs(of: primary)
            repairs[packet.ssrc] = primary
            handleLearnedRepair(packet, of: primary, mid: section.mid)
            return nil
        }
        register(track, ssrc: packet.ssrc, rtxSSRC: nil)
        return section.mid
    }

    private func handleLearnedRepair(_ packet: RTPPacket, of original: SSRC, mid: String) {
        guard let stream = inbound[original],
            let packet = try? RTX.unwrap(
                packet, originalSSRC: original, originalPayloadType: stream.payloadType)
        else { return }
        emit(.media(IncomingPacket(mid: mid, packet: packet, isRetransmission: true)))
    }

    /// The newest stream of a section, which is the one feedback is about.
    private func primarySSRC(of mid: String) -> SSRC? {
        sections.first { $0.mid == mid }?.activeSSRC
    }

    func register(_ track: IncomingTrack, ssrc: SSRC, rtxSSRC: SSRC?) {
        guard let index = sections.firstIndex(where: { $0.mid == track.mid }) else { return }
        if let old = sections[index].activeSSRC, old != ssrc { forget(old) }
        sections[index].activeSSRC = ssrc
        if inbound[ssrc]?.mid != track.mid {
            inbound[ssrc] = InboundStream(
                mid: track.mid, ssrc: ssrc, payloadType: PayloadType(track.codec.payloadType),
                clockRate: track.codec.clockRate)
        }
        if let rtxSSRC {
            forgetRepairs(of: ssrc)
            repairs[rtxSSRC] = ssrc
        }
    }

    func forget(_ ssrc: SSRC) {
        inbound[ssrc] = nil
        forgetRepairs(of: ssrc)
    }

    private func forgetRepairs(of ssrc: SSRC) {
        for (repair, original) in repairs where original == ssrc { repairs[repair] = nil }
    }

    func addOutbound(_ stream: OutboundStream, mid: String) {
        outbound[mid] = stream
        outboundBySSRC[stream.ssrc] = mid
    }

    func removeOutbound(mid: String) {
        guard let stream = outbound.removeValue(forKey: mid) else { return }
        outboundBySSRC[stream.ssrc] = nil
    }

    private func handle(_ packet: RTCPPacket, at now: Instant) {
        switch packet {
        case .senderReport(let report):
            guard let mid = inbound[report.ssrc]?.mid else { return }
            inbound[report.ssrc]?.statistics.senderReport(report, at: now)
            emit(.senderReport(mid: mid, ntp: report.ntp, rtpTimestamp: report.rtpTimestamp))
        case .genericNACK(let nack):
            guard let mid = outboundBySSRC[nack.media], let dtls,
                let packets = outbound[mid]?.retransmissions(of: nack.lost, at: now)
            else { return }
            for packet in packets { transmit(packet, over: dtls) }
        case .pictureLossIndication(_, let media):
            if let mid = outboundBySSRC[media] { emit(.keyframeRequested(mid: mid)) }
        case .fullIntraRequest(let request):
            for entry in request.entries {
                if let mid = outboundBySSRC[entry.media] { emit(.keyframeRequested(mid: mid)) }
            }
        case .receiverReport, .sourceDescription, .bye, .receiverEstimatedMaximumBitrate,
            .transportFeedback, .unknown:
            break
        }
    }

    // MARK: Layers below

    func settleICE(at now: Instant) {
        while let output = agent.poll() {
            switch output {
            case .transmit(let bytes, let address): emit(.transmit(bytes, to: address))
            case .selected, .state: break
            }
        }
        if agent.selected != nil, let dtls, !hasStartedDTLS {
            hasStartedDTLS = true
            dtls.start(at: now)
            settleDTLS(at: now)
        }
        updateState()
    }

    var hasStartedDTLS = false
    private var hasTransportFailed = false

    func settleDTLS(at now: Instant) {
        guard let dtls else { return }
        while let output = dtls.poll() {
            switch output {
            case .transmit(let bytes):
                if let address = agent.selected { emit(.transmit(bytes, to: address)) }
            case .connected:
                nextReport = now + Self.reportInterval
                openChannels(at: now)
            case .applicationData(let bytes):
                channels?.handle(bytes)
                settleChannels(at: now)
            case .closed:
                channels = nil
                change(to: .closed)
            case .failed:
                hasTransportFailed = true
            }
        }
        updateState()
    }

    /// Begins SCTP once both the handshake is over and a data section is agreed upon, whichever
    /// comes last.
    func openChannels(at now: Instant) {
        guard dtls?.isConnected == true, channels == nil,
            let section = sections.first(where: { $0.kind == .application && !$0.isRejected })
        else { return }
        channels = try? DataChannelTransport(
            isDTLSClient: dtlsRole == .client, remotePort: section.remoteSCTPPort,
            remoteMaximumMessageBytes: section.remoteMaximumMessageBytes)
        channels?.connect()
        settleChannels(at: now)
    }

    var dtlsRole = DTLSTransport.Role.server

    /// Brings channel events out. Call on every tick, since SCTP's timers run beside us.
    public func settleChannels(at now: Instant) {
        guard let channels, let dtls else { return }
        while let output = channels.poll() {
            switch output {
            case .transmit(let bytes):
                dtls.send(bytes)
            case .connected:
                // The wire name of 100ms' channel protocol is "SCTP" (hms.md sect. 8).
                if let label = configuration.dataChannel {
                    _ = try? channels.open(label: label, protocol: "SCTP", isOrdered: true)
                }
            case .opened(let id, let label, _, _):
                channelLabels[id] = label
                emit(.channelOpened(label: label))
            case .text(let id, let text):
                if let label = channelLabels[id] { emit(.channelText(label: label, text: text)) }
            case .binary:
                break
            case .closed(let id):
                if let label = channelLabels.removeValue(forKey: id) {
                    emit(.channelClosed(label: label))
                }
            case .failed:
                // Media goes on without the channel.
                self.channels = nil
            }
        }
        while let output = dtls.poll() {
            if case .transmit(let bytes) = output, let address = agent.selected {
                emit(.transmit(bytes, to: address))
            }
        }
    }

    private func updateState() {
        guard state != .closed else { return }
        if hasTransportFailed { return change(to: .failed) }
        switch agent.state {
        case .new: break
        case .checking: change(to: .connecting)
        case .connected: change(to: dtls?.isConnected == true ? .connected : .connecting)
        case .disconnected: change(to: .disconnected)
        case .failed: change(to: .failed)
        }
    }

    private func change(to next: PeerConnectionState) {
        guard next != state else { return }
        state = next
        emit(.stateChanged(next))
    }
}

/// STUN's keyed hash from OpenSSL; ICE itself knows no cryptography.
private struct Authenticator: MessageAuthenticator {
    func hmacSHA1(key: [UInt8], message: [UInt8]) -> [UInt8] {
        OpenSSLAuthenticator().hmacSHA1(key: key, message: message)
    }
}
