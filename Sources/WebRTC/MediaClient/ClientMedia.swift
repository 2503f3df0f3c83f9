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

/// A client's connections to a server: publish, where the client offers, and subscribe, where the
/// server offers. Independent of the signalling protocol. Confined to its event loop.
public final class ClientMedia: MediaReception, TickedMedia {
    /// The settings of a client's connections.
    public struct Configuration: Sendable {
        /// The connections that are opened.
        public var directions: Set<ConnectionDirection>
        /// The data channel that the publish connection opens, and the one that carries wishes and
        /// the server's texts on the subscribe connection; nil for a protocol without one.
        public var channel: ChannelFormat?
        /// Whether the client opens that channel on the subscribe connection, not the server.
        public var opensSubscribeChannel: Bool
        /// Whether a track that the server describes with several codecs is in that of its newest
        /// packet.
        public var followsCodecs: Bool
        /// What happens to the datagrams that are sent.
        public var network: NetworkConditions
        /// Whether to receive video.
        public var receivesVideo: Bool
        /// Whether received tracks are named by mid, which is unique, instead of the server's track
        /// id: for a protocol that says nothing else about tracks.
        public var namesTracksBySection: Bool
        /// How often to read datagrams and handle timers. This costs half as much as a wake-up per
        /// packet, but arrival times are late by up to the interval. Nil to read each packet as it
        /// arrives.
        public var readingInterval: Duration?

        public init(
            directions: Set<ConnectionDirection> = [.publish, .subscribe],
            channel: ChannelFormat? = nil, opensSubscribeChannel: Bool = false,
            followsCodecs: Bool = false, network: NetworkConditions = NetworkConditions(),
            receivesVideo: Bool = true, namesTracksBySection: Bool = false,
            readingInterval: Duration? = nil
        ) {
            self.directions = directions
            self.channel = channel
            self.opensSubscribeChannel = opensSubscribeChannel
            self.followsCodecs = followsCodecs
            self.network = network
            self.receivesVideo = receivesVideo
            self.namesTracksBySection = namesTracksBySection
            self.readingInterval = readingInterval
        }
    }

    /// The most tracks with a remembered preference.
    static let wishesMaximum = 1024

    private final class Side {
        let core: PeerConnection
        let port: MediaSocket
        var channel: TextChannel

        init(core: PeerConnection, port: MediaSocket, channel: TextChannel) {
            self.core = core
            self.port = port
            self.channel = channel
        }
    }

    private let eventLoop: any EventLoop
    private let observer: any ClientMediaObserver
    private let identity: DTLSIdentity
    private let configuration: Configuration
    private let stateChanged: @Sendable (ConnectionDirection, PeerConnectionState) -> Void
    private let channelOpened: @Sendable () -> Void
    private let channelText: @Sendable (String) -> Void
    /// The preferences sent, by track. Sent again when the channel opens.
    private var wishes: [TrackID: String] = [:]
    private var publish: Side?
    private var subscribe: Side?
    /// The mids of the tracks we send, by track id.
    private var outgoing: [String: String] = [:]
    /// The tracks we receive, by mid.
    private var incoming: [String: IncomingTrack] = [:]
    private var codecs = CodecFollower()
    private var batch = MediaBatch()
    /// Whether media have arrived since somebody last asked.
    private var hasArrival = false
    private var ticker: MediaTicker?

    init(
        eventLoop: any EventLoop, identity: DTLSIdentity, observer: any ClientMediaObserver,
        configuration: Configuration = Configuration(),
        stateChanged: @escaping @Sendable (ConnectionDirection, PeerConnectionState) -> Void,
        channelOpened: @escaping @Sendable () -> Void = {},
        channelText: @escaping @Sendable (String) -> Void
    ) {
        self.eventLoop = eventLoop
        self.identity = identity
        self.observer = observer
        self.configuration = configuration
        self.stateChanged = stateChanged
        self.channelOpened = channelOpened
        self.channelText = channelText
    }

    // MARK: Life

    /// Opens the connections, on sockets of their own.
    ///
    /// - Parameters:
    ///   - stateChanged: called on the loop, as are the others.
    ///   - channelOpened: the data channel of the subscribe connection can be used.
    ///   - channelText: receives the server's texts on the data channel.
    public static func open(
        on eventLoop: any EventLoop, configuration: Configuration = Configuration(),
        makeObserver: @escaping @Sendable () -> any ClientMediaObserver,
        stateChanged: @escaping @Sendable (ConnectionDirection, PeerConnectionState) -> Void,
        channelOpened: @escaping @Sendable () -> Void = {},
        channelText: @escaping @Sendable (String) -> Void = { _ in }
    ) async throws -> NIOLoopBound<ClientMedia> {
        let identity = try DTLSIdentity.generate()
        let media = try await eventLoop.submit {
            NIOLoopBound(
                ClientMedia(
                    eventLoop: eventLoop, identity: identity, observer: makeObserver(),
                    configuration: configuration, stateChanged: stateChanged,
                    channelOpened: channelOpened, channelText: channelText),
                eventLoop: eventLoop)
        }.get()
        func bind(_ direction: ConnectionDirection) async throws -> NIOLoopBound<DatagramSocket>? {
            guard configuration.directions.contains(direction) else { return nil }
            return try await DatagramSocket.bind(
                host: "0.0.0.0", port: 0, on: eventLoop,
                readsByItself: configuration.readingInterval == nil
            ) {
                DatagramSocket.Handlers(
                    received: { media.value.received($0, from: $1, direction) },
                    batchEnded: { media.value.flush() })
            }.get()
        }
        let publish = try await bind(.publish)
        let subscribe = try await bind(.subscribe)
        try await eventLoop.submit {
            media.value.start(publish: publish?.value, subscribe: subscribe?.value)
        }.get()
        return media
    }

    func start(publish: DatagramSocket?, subscribe: DatagramSocket?) {
        let now = MonotonicClock.now
        self.publish = publish.map { makeSide(socket: $0, opensChannel: true, at: now) }
        self.subscribe = subscribe.map {
            makeSide(socket: $0, opensChannel: configuration.opensSubscribeChannel, at: now)
        }
        let ticker = MediaTicker(self, every: configuration.readingInterval, on: eventLoop)
        ticker.schedule(on: eventLoop)
        self.ticker = ticker
        observer.receives(from: self)
        observer.start(self)
    }

    /// Closes both connections and opens new ones on the same sockets, for a server that has lost
    /// the old ones. Published tracks must be offered again.
    public func beginAnew() throws(ClientMediaError) {
        guard publish != nil || subscribe != nil else { throw .closed }
        let now = MonotonicClock.now
        publish = publish.map { makeSide(socket: $0.port.socket, opensChannel: true, at: now) }
        subscribe = subscribe.map {
            makeSide(
                socket: $0.port.socket, opensChannel: configuration.opensSubscribeChannel, at: now)
        }
        outgoing = [:]
        incoming = [:]
        observer.incomingTracksChanged([], at: now)
    }

    private func makeSide(socket: DatagramSocket, opensChannel: Bool, at now: Instant) -> Side {
        let settings = PeerConnection.Configuration(
            of: identity, on: socket, dataChannel: opensChannel ? configuration.channel : nil,
            receivesVideo: configuration.receivesVideo)
        return Side(
            core: PeerConnection(configuration: settings, at: now),
            port: MediaSocket(socket, configuration.network),
            channel: TextChannel(label: configuration.channel?.label))
    }

    /// The reason why the kernel's receive buffer is too small; nil if it is large enough.
    public var receiveBufferShortage: String? {
        (subscribe ?? publish)?.port.socket.receiveBufferShortage
    }

    /// Closes the connections, notifying the server, and the sockets.
    public func stop() {
        let now = MonotonicClock.now
        ticker?.stop()
        ticker = nil
        for side in [publish, subscribe].compactMap({ $0 }) {
            side.core.close(at: now)
            while let output = side.core.poll() {
                if case .transmit(let bytes, let address) = output {
                    side.port.transmit(bytes, to: address, at: now)
                }
            }
            side.port.flush(at: now)
            side.port.socket.close()
        }
        publish = nil
        subscribe = nil
    }

    /// Passes on a picture that came beside the connections.
    public func receive(_ picture: RawPicture, of track: TrackID) {
        observer.received(picture, of: track, at: MonotonicClock.now)
    }

    /// Cuts the connections off from the network until then.
    public func interrupt(until end: Instant) {
        publish?.port.interrupt(until: end)
        subscribe?.port.interrupt(until: end)
    }

    // MARK: Descriptions

    /// Returns the offer that announces exactly these tracks on the publish connection.
    public func publishOffer(
        tracks: [OutgoingTrack], restartsICE: Bool = false
    ) throws -> SessionDescription {
        guard let core = publish?.core else { throw ClientMediaError.closed }
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

    /// Applies the server's offer for the subscribe connection and returns the answer.
    public func subscribeOffer(_ offer: SessionDescription) throws -> SessionDescription {
        guard let core = subscribe?.core else { throw ClientMediaError.closed }
        let now = MonotonicClock.now
        let answer = try core.answer(offer, at: now)
        codecs.follow(configuration.followsCodecs ? offer : nil)
        readIncomingTracks(of: core, at: now)
        return answer
    }

    /// Returns an offer that asks the server to send one track of each kind on the subscribe
    /// connection.
    public func playOffer(_ kinds: [MediaSection.Kind]) throws -> SessionDescription {
        guard let core = subscribe?.core else { throw ClientMediaError.closed }
        let now = MonotonicClock.now
        for kind in kinds { try core.receive(kind) }
        let offer = try core.createOffer(at: now)
        drain(.subscribe, at: now)
        return offer
    }

    public func playAnswer(_ answer: SessionDescription) throws {
        guard let core = subscribe?.core else { throw ClientMediaError.closed }
        let now = MonotonicClock.now
        try core.accept(answer: answer, at: now)
        readIncomingTracks(of: core, at: now)
    }

    /// The tracks in the server's newest description of the subscribe connection.
    public var incomingTracks: [IncomingTrack] { incoming.values.sorted { $0.mid < $1.mid } }

    private func readIncomingTracks(of core: PeerConnection, at now: Instant) {
        var tracks = core.incomingTracks.filter(\.isSending)
        if configuration.namesTracksBySection {
            var kinds: Set<MediaSection.Kind> = []
            tracks = tracks.filter { kinds.insert($0.kind).inserted }
            for index in tracks.indices { tracks[index].trackID = tracks[index].mid }
        }
        if configuration.followsCodecs {
            tracks = tracks.map { codecs.renewed($0, known: incoming[$0.mid]) }
        }
        let kept = Set(tracks.map(\.trackID))
        for gone in incoming.values where !kept.contains(gone.trackID) {
            wishes[TrackID(gone.trackID)] = nil
        }
        incoming = Dictionary(tracks.map { ($0.mid, $0) }) { first, _ in first }
        drain(.subscribe, at: now)
        observer.incomingTracksChanged(tracks, at: now)
    }

    /// Whether media have arrived since the last call.
    public func takeArrival() -> Bool {
        defer { hasArrival = false }
        return hasArrival
    }

    public func trickle(_ candidate: String, direction: ConnectionDirection) {
        let now = MonotonicClock.now
        side(direction)?.core.addRemoteCandidate(candidate, at: now)
        drain(direction, at: now)
    }

    /// Sends a text on the channel of the subscribe connection. Dropped while that is not open.
    public func send(_ text: String) {
        guard let label = configuration.channel?.label else { return }
        let now = MonotonicClock.now
        subscribe?.core.send(text, on: label, at: now)
        drain(.subscribe, at: now)
    }

    /// Sends a preference for a track on the channel, at once or when it opens.
    public func wish(_ text: String, for track: TrackID) {
        guard wishes[track] != nil || wishes.count < Self.wishesMaximum else { return }
        wishes[track] = text
        send(text)
    }

    // MARK: For observers

    /// Sends one packet of our track; see `PeerConnection.send`.
    ///
    /// - Parameter encoding: the index of the layer in the track's `rids`.
    public func send(
        _ packet: RTPPacket, trackID: String, encoding: Int = 0, at now: Instant
    ) {
        guard let mid = outgoing[trackID] else { return }
        publish?.core.send(packet, mid: mid, encoding: encoding, at: now)
    }

    public func sendSenderReport(
        trackID: String, encoding: Int = 0, ntp: NTPTime, rtpTimestamp: UInt32
    ) {
        guard let mid = outgoing[trackID], let core = publish?.core,
            let stream = core.outboundStream(mid, encoding)
        else { return }
        core.sendSenderReport(on: stream, ntp: ntp, rtpTimestamp: rtpTimestamp)
    }

    public func requestKeyframe(of track: IncomingTrack) {
        guard let core = subscribe?.core, let section = core.section(mid: track.mid) else { return }
        core.requestKeyframe(in: section)
    }

    public func requestRetransmission(of lost: [SequenceNumber], track: IncomingTrack) {
        guard let core = subscribe?.core, let section = core.section(mid: track.mid) else { return }
        core.requestRetransmission(of: lost, in: section)
    }

    public func extensions(of track: IncomingTrack) -> [String: UInt8] {
        subscribe?.core.headerExtensions ?? [:]
    }

    /// Ids of the header extensions on packets that we send, by URI.
    public var outgoingExtensions: [String: UInt8] { publish?.core.headerExtensions ?? [:] }

    // MARK: Datagrams and time

    private func side(_ direction: ConnectionDirection) -> Side? {
        direction == .publish ? publish : subscribe
    }

    func received(
        _ datagram: consuming [UInt8], from source: TransportAddress,
        _ direction: ConnectionDirection
    ) {
        let now = MonotonicClock.now
        guard let side = side(direction), !side.port.isInterrupted(at: now) else { return }
        side.core.handle(datagram, from: source, at: now)
        // Datagrams are flushed at the end of the batch.
        bringOut(side, direction, at: now)
    }

    /// Sends the queued datagrams, after a batch of received ones and after calls from outside.
    public func flush() {
        let now = MonotonicClock.now
        settle(at: now)
        publish?.port.flush(at: now)
        subscribe?.port.flush(at: now)
    }

    private func drain(_ direction: ConnectionDirection, at now: Instant) {
        guard let side = side(direction) else { return }
        bringOut(side, direction, at: now)
        settle(at: now)
        side.port.flush(at: now)
    }

    /// Tells of tracks that are in another codec, then their packets.
    private func settle(at now: Instant) {
        guard batch.hasChanges else { return }
        let waiting = batch.takeAll()
        observer.incomingTracksChanged(incomingTracks, at: now)
        for entry in waiting {
            observer.received(entry.packet, of: entry.track, at: entry.arrival)
        }
    }

    private func bringOut(_ side: Side, _ direction: ConnectionDirection, at now: Instant) {
        while let output = side.core.poll() {
            switch output {
            case .transmit(let bytes, let address):
                side.port.transmit(bytes, to: address, at: now)
            case .media(let packet):
                guard
                    let track = codecs.track(of: packet, in: &incoming, telling: &batch, at: now)
                else { continue }
                hasArrival = true
                if !batch.holds(packet, of: track, at: now) {
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
            case .channelOpened(let handle, let label, _):
                if direction == .subscribe, side.channel.opened(handle, label: label) {
                    for text in wishes.values { side.core.send(text, on: label, at: now) }
                    channelOpened()
                }
            case .channelMessage(let handle, .text(let text)):
                if side.channel.carries(handle) { channelText(text) }
            case .channelClosed(let handle): side.channel.closed(handle)
            case .channelMessage: break
            }
        }
    }

    func tick() {
        // Read first: datagrams waiting in the sockets arrived in time and must not be missed.
        if configuration.readingInterval != nil {
            for side in [publish, subscribe] { side?.port.socket.read() }
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
