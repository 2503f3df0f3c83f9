import Clocks
import DataChannel
import Datagrams
import ICE
public import MediaKernel
public import NIOCore
public import PeerConnection
public import RTP
public import SDP
import SecureTransport

/// The client's two connections to a server: publish, where we offer, and subscribe, where the
/// server does. Confined to its event loop.
public final class ClientMedia {
    /// The name that 100ms' clients give the channel (hms.md sect. 8).
    static let channelLabel = "ion-sfu"
    /// Tracks of which a wish is remembered.
    static let wishesMaximum = 1024

    private final class Side {
        let core: PeerConnection
        let socket: DatagramSocket
        var path: NetworkPath

        init(core: PeerConnection, socket: DatagramSocket, path: NetworkPath) {
            self.core = core
            self.socket = socket
            self.path = path
        }

        /// An answer to a connectivity check leaves from the address that was checked: whoever asked
        /// another one would not know it (RFC 8445 sect. 7.3.1.2).
        func transmit(_ bytes: [UInt8], to address: TransportAddress, at now: Instant) {
            let source = STUNMessage.isAnswer(bytes) ? socket.arrivedAt : nil
            path.send(
                NetworkPath.Datagram(bytes: bytes, address: address, source: source), at: now)
        }

        func flush(at now: Instant) {
            for datagram in path.due(at: now) {
                socket.send(datagram.bytes, to: datagram.address, from: datagram.source)
            }
            socket.flush()
        }
    }

    private let eventLoop: any EventLoop
    private let observer: any ClientMediaObserver
    private let identity: DTLSIdentity
    private let network: NetworkConditions
    private let receivesVideo: Bool
    private let readingInterval: Duration?
    private let stateChanged: @Sendable (ConnectionDirection, PeerConnectionState) -> Void
    private let channelText: @Sendable (String) -> Void
    /// What we said we wish to receive, by track: said again when the channel opens.
    private var wishes: [TrackID: String] = [:]
    private var publish: Side?
    private var subscribe: Side?
    /// Tracks we send, by track id, with their sections.
    private var outgoing: [String: String] = [:]
    /// Tracks we receive, by section.
    private var incoming: [String: IncomingTrack] = [:]
    private var ticker: MediaTicker?

    init(
        eventLoop: any EventLoop, identity: DTLSIdentity, observer: any ClientMediaObserver,
        network: NetworkConditions = NetworkConditions(), receivesVideo: Bool = true,
        readingInterval: Duration? = nil,
        stateChanged: @escaping @Sendable (ConnectionDirection, PeerConnectionState) -> Void,
        channelText: @escaping @Sendable (String) -> Void
    ) {
        self.eventLoop = eventLoop
        self.identity = identity
        self.observer = observer
        self.network = network
        self.receivesVideo = receivesVideo
        self.readingInterval = readingInterval
        self.stateChanged = stateChanged
        self.channelText = channelText
    }

    // MARK: Life

    /// Opens both connections, on sockets of their own.
    ///
    /// - Parameters:
    ///   - readingInterval: see `RoomClient.Configuration`.
    ///   - stateChanged: called on the loop, as is `channelText`.
    ///   - channelText: what the server says on the data channel.
    public static func open(
        on eventLoop: any EventLoop, network: NetworkConditions = NetworkConditions(),
        receivesVideo: Bool = true, readingInterval: Duration? = nil,
        makeObserver: @escaping @Sendable () -> any ClientMediaObserver,
        stateChanged: @escaping @Sendable (ConnectionDirection, PeerConnectionState) -> Void,
        channelText: @escaping @Sendable (String) -> Void
    ) async throws -> NIOLoopBound<ClientMedia> {
        let identity = try DTLSIdentity.generate()
        let media = try await eventLoop.submit {
            NIOLoopBound(
                ClientMedia(
                    eventLoop: eventLoop, identity: identity, observer: makeObserver(),
                    network: network, receivesVideo: receivesVideo,
                    readingInterval: readingInterval, stateChanged: stateChanged,
                    channelText: channelText),
                eventLoop: eventLoop)
        }.get()
        func bind(_ direction: ConnectionDirection) async throws -> NIOLoopBound<DatagramSocket> {
            try await DatagramSocket.bind(
                host: "0.0.0.0", port: 0, on: eventLoop, readsByItself: readingInterval == nil
            ) {
                DatagramSocket.Handlers(
                    received: { media.value.received($0, from: $1, direction) },
                    batchEnded: { media.value.flush() })
            }.get()
        }
        let publish = try await bind(.publish)
        let subscribe = try await bind(.subscribe)
        try await eventLoop.submit {
            media.value.start(publish: publish.value, subscribe: subscribe.value)
        }.get()
        return media
    }

    func start(publish: DatagramSocket, subscribe: DatagramSocket) {
        let now = MonotonicClock.now
        self.publish = makeSide(socket: publish, opensChannel: true, at: now)
        self.subscribe = makeSide(socket: subscribe, opensChannel: false, at: now)
        let ticker = MediaTicker(self, every: readingInterval, on: eventLoop)
        ticker.schedule(on: eventLoop)
        self.ticker = ticker
        observer.start(self)
    }

    /// Leaves both connections and begins new ones, on the same sockets: for a server that knows
    /// nothing of the old ones. What was sent is to be offered again.
    func beginAnew() throws {
        guard let publish, let subscribe else { throw RoomClientError.protocolViolation("closed") }
        let now = MonotonicClock.now
        self.publish = makeSide(socket: publish.socket, opensChannel: true, at: now)
        self.subscribe = makeSide(socket: subscribe.socket, opensChannel: false, at: now)
        outgoing = [:]
        incoming = [:]
        observer.incomingTracksChanged([], at: now)
    }

    private func makeSide(socket: DatagramSocket, opensChannel: Bool, at now: Instant) -> Side {
        var random = SecureRandom()
        let candidates = HostAddresses.all().filter { !$0.isIPv6 }.enumerated().compactMap {
            index, address in
            TransportAddress(ip: address.ip, port: socket.localAddress.port).map {
                ICECandidate.host($0, preference: UInt16(65_535 - min(index, 65_535)))
            }
        }
        let configuration = PeerConnection.Configuration(
            identity: identity, mode: .full(controlling: true), localCandidates: candidates,
            canonicalName: String(random.next(), radix: 36),
            dataChannel: opensChannel ? Self.channelLabel : nil, receivesVideo: receivesVideo,
            seed: random.next())
        return Side(
            core: PeerConnection(configuration: configuration, at: now), socket: socket,
            path: NetworkPath(network))
    }

    /// See `DatagramSocket`: of what is received into.
    var receiveBufferShortage: String? { subscribe?.socket.receiveBufferShortage }

    /// Takes leave of the server and closes the sockets.
    public func stop() {
        let now = MonotonicClock.now
        ticker?.stop()
        ticker = nil
        for side in [publish, subscribe].compactMap({ $0 }) {
            side.core.close(at: now)
            while let output = side.core.poll() {
                if case .transmit(let bytes, let address) = output {
                    side.transmit(bytes, to: address, at: now)
                }
            }
            side.flush(at: now)
            side.socket.close()
        }
        publish = nil
        subscribe = nil
    }

    /// Cuts both connections off from the network until the instant.
    func interrupt(until end: Instant) {
        publish?.path.interrupt(until: end)
        subscribe?.path.interrupt(until: end)
    }

    // MARK: Descriptions

    /// Announces exactly these tracks on the publish connection: the offer to send. Mids follow
    /// from `mid(ofTrack:)`.
    public func publishOffer(
        tracks: [OutgoingTrack], restartsICE: Bool = false
    ) throws -> SessionDescription {
        guard let core = publish?.core else { throw RoomClientError.protocolViolation("closed") }
        let now = MonotonicClock.now
        for (trackID, mid) in outgoing where !tracks.contains(where: { $0.trackID == trackID }) {
            core.remove(mid: mid)
            outgoing[trackID] = nil
        }
        for track in tracks where outgoing[track.trackID] == nil {
            outgoing[track.trackID] = try core.add(track)
        }
        let offer = try core.createOffer(restartsICE: restartsICE, at: now)
        drain(.publish, at: now)
        return offer
    }

    public func publishAnswer(_ answer: SessionDescription) throws {
        let now = MonotonicClock.now
        try publish?.core.accept(answer: answer, at: now)
        drain(.publish, at: now)
    }

    /// The server's offer for the subscribe connection: our answer.
    public func subscribeOffer(_ offer: SessionDescription) throws -> SessionDescription {
        guard let core = subscribe?.core else { throw RoomClientError.protocolViolation("closed") }
        let now = MonotonicClock.now
        let answer = try core.answer(offer, at: now)
        let tracks = core.incomingTracks.filter(\.isSending)
        let kept = Set(tracks.map(\.trackID))
        for gone in incoming.values where !kept.contains(gone.trackID) {
            wishes[TrackID(gone.trackID)] = nil
        }
        incoming = Dictionary(tracks.map { ($0.mid, $0) }) { first, _ in first }
        drain(.subscribe, at: now)
        observer.incomingTracksChanged(tracks, at: now)
        return answer
    }

    func trickle(_ candidate: String, direction: ConnectionDirection) {
        let now = MonotonicClock.now
        side(direction)?.core.addRemoteCandidate(candidate, at: now)
        drain(direction, at: now)
    }

    /// Says on the channel what we wish to receive of a track, at once or when it opens.
    func wish(_ text: String, for track: TrackID) {
        guard wishes[track] != nil || wishes.count < Self.wishesMaximum else { return }
        wishes[track] = text
        let now = MonotonicClock.now
        subscribe?.core.send(text, on: Self.channelLabel, at: now)
        drain(.subscribe, at: now)
    }

    // MARK: For observers

    /// Sends one packet of our track; see `PeerConnection.send`.
    ///
    /// - Parameter encoding: the layer of a track with `rids`, by its place there.
    public func send(
        _ packet: RTPPacket, trackID: String, encoding: Int = 0, at now: Instant
    ) {
        guard let mid = outgoing[trackID] else { return }
        publish?.core.send(packet, mid: mid, encoding: encoding, at: now)
    }

    public func sendSenderReport(
        trackID: String, encoding: Int = 0, ntp: NTPTime, rtpTimestamp: UInt32
    ) {
        guard let mid = outgoing[trackID] else { return }
        publish?.core.sendSenderReport(
            mid: mid, encoding: encoding, ntp: ntp, rtpTimestamp: rtpTimestamp)
    }

    public func requestKeyframe(of track: IncomingTrack) {
        subscribe?.core.requestKeyframe(mid: track.mid)
    }

    public func requestRetransmission(of lost: [SequenceNumber], track: IncomingTrack) {
        subscribe?.core.requestRetransmission(of: lost, mid: track.mid)
    }

    /// Ids of the header extensions on packets that the server sends us, by URI.
    public var incomingExtensions: [String: UInt8] { subscribe?.core.headerExtensions ?? [:] }

    /// Ids of the header extensions on packets that we send, by URI.
    public var outgoingExtensions: [String: UInt8] { publish?.core.headerExtensions ?? [:] }

    // MARK: Datagrams and time

    private func side(_ direction: ConnectionDirection) -> Side? {
        direction == .publish ? publish : subscribe
    }

    func received(
        _ datagram: [UInt8], from source: TransportAddress, _ direction: ConnectionDirection
    ) {
        let now = MonotonicClock.now
        guard let side = side(direction), !side.path.isInterrupted(at: now) else { return }
        side.core.handle(datagram, from: source, at: now)
        // Sent when the batch of datagrams has ended.
        bringOut(side, direction, at: now)
    }

    /// Sends what is written so far, after calls from outside.
    public func flush() {
        let now = MonotonicClock.now
        publish?.flush(at: now)
        subscribe?.flush(at: now)
    }

    private func drain(_ direction: ConnectionDirection, at now: Instant) {
        guard let side = side(direction) else { return }
        bringOut(side, direction, at: now)
        side.flush(at: now)
    }

    private func bringOut(_ side: Side, _ direction: ConnectionDirection, at now: Instant) {
        while let output = side.core.poll() {
            switch output {
            case .transmit(let bytes, let address):
                side.transmit(bytes, to: address, at: now)
            case .media(let packet):
                if let track = incoming[packet.mid] {
                    observer.received(packet, of: track, at: now)
                }
            case .senderReport(let mid, _, let ntp, let rtpTimestamp):
                if let track = incoming[mid] {
                    observer.senderReport(
                        of: track, ntp: ntp, rtpTimestamp: rtpTimestamp, at: now)
                }
            case .keyframeRequested(let mid, let encoding):
                if let entry = outgoing.first(where: { $0.value == mid }) {
                    observer.keyframeRequested(
                        trackID: entry.key, encoding: encoding, at: now)
                }
            case .stateChanged(let state):
                observer.stateChanged(direction, state, at: now)
                stateChanged(direction, state)
            case .channelOpened:
                if direction == .subscribe {
                    for text in wishes.values {
                        side.core.send(text, on: Self.channelLabel, at: now)
                    }
                }
            case .channelMessage(_, .text(let text)):
                if direction == .subscribe { channelText(text) }
            case .channelMessage, .channelClosed:
                break
            }
        }
    }

    func tick() {
        // First: what waits in the sockets has come in time, and nothing of it is to be missed.
        if readingInterval != nil {
            for side in [publish, subscribe] { side?.socket.read() }
        }
        let now = MonotonicClock.now
        DataChannelTransport.tick(at: now)
        observer.tick(at: now)
        for direction in [ConnectionDirection.publish, .subscribe] {
            guard let core = side(direction)?.core else { continue }
            if let deadline = core.nextDeadline, deadline <= now {
                core.handleTimeout(at: now)
            } else {
                core.settleChannels(at: now)
            }
            drain(direction, at: now)
        }
    }
}
