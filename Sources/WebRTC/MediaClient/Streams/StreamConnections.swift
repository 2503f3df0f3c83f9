import Clocks
import Datagrams
import ICE
public import MediaKernel
public import NIOCore
public import PeerConnection
public import RTP
public import SDP
import SecureTransport

/// A client's connections to a server that sends each stream over one of its own. They have one
/// certificate, and share sockets as far as ``PortSharing`` allows. Confined to its event loop.
///
/// Either side may offer: ``offer(_:tracks:)`` and ``accept(_:of:)``, or ``answer(_:as:tracks:)``.
public final class StreamConnections: MediaReception, TickedMedia {
    /// The most connections at once.
    public static let maximum = 512

    private let eventLoop: any EventLoop
    private let observer: any ClientMediaObserver
    private let identity: DTLSIdentity
    private let configuration: ClientMedia.Configuration
    private let stateChanged: @Sendable (StreamConnectionID, PeerConnectionState) -> Void
    /// By their numbers in `sharing`.
    private var ports: [Int: MediaSocket] = [:]
    private var sharing = PortSharing()
    private var connections: [StreamConnectionID: StreamConnection] = [:]
    private var byFragment: [String: StreamConnectionID] = [:]
    /// The connections by the mids of their incoming tracks.
    private var byTrack: [String: StreamConnectionID] = [:]
    /// Those that wait for a socket before they are made. One that is closed meanwhile is not made.
    private var awaited: Set<StreamConnectionID> = []
    private var batch = MediaBatch()
    private var ticker: MediaTicker?
    private var isStopped = false

    private init(
        eventLoop: any EventLoop, identity: DTLSIdentity, observer: any ClientMediaObserver,
        configuration: ClientMedia.Configuration,
        stateChanged: @escaping @Sendable (StreamConnectionID, PeerConnectionState) -> Void
    ) {
        self.eventLoop = eventLoop
        self.identity = identity
        self.observer = observer
        self.configuration = configuration
        self.stateChanged = stateChanged
    }

    // MARK: Life

    /// Opens the first socket.
    ///
    /// - Parameters:
    ///   - configuration: of it, network, video and reading interval are used.
    ///   - stateChanged: called on the loop.
    public static func open(
        on eventLoop: any EventLoop, configuration: ClientMedia.Configuration,
        makeObserver: @escaping @Sendable () -> any ClientMediaObserver,
        stateChanged: @escaping @Sendable (StreamConnectionID, PeerConnectionState) -> Void
    ) async throws -> NIOLoopBound<StreamConnections> {
        let identity = try DTLSIdentity.generate()
        let media = try await eventLoop.submit {
            NIOLoopBound(
                StreamConnections(
                    eventLoop: eventLoop, identity: identity, observer: makeObserver(),
                    configuration: configuration, stateChanged: stateChanged),
                eventLoop: eventLoop)
        }.get()
        try await eventLoop.flatSubmit { media.value.openPort(media.value.sharing.addPort()) }.get()
        try await eventLoop.submit { media.value.start() }.get()
        return media
    }

    private func start() {
        let ticker = MediaTicker(self, every: configuration.readingInterval, on: eventLoop)
        ticker.schedule(on: eventLoop)
        self.ticker = ticker
        observer.receives(from: self)
    }

    private func openPort(_ index: Int) -> EventLoopFuture<Void> {
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        return DatagramSocket.bind(
            host: "0.0.0.0", port: 0, on: eventLoop,
            readsByItself: configuration.readingInterval == nil
        ) {
            DatagramSocket.Handlers(
                received: { bound.value.received($0, from: $1, on: index) },
                batchEnded: { bound.value.flush() })
        }.flatMapThrowing { socket in
            let media = bound.value
            guard !media.isStopped else {
                socket.value.close()
                throw ClientMediaError.closed
            }
            media.ports[index] = MediaSocket(socket.value, media.configuration.network)
            media.sharing.opened(index)
        }.flatMapErrorThrowing { error in
            bound.value.sharing.failed(index)
            throw error
        }
    }

    /// The reason why the kernel's receive buffer is too small; nil if it is large enough.
    public var receiveBufferShortage: String? { ports[0]?.socket.receiveBufferShortage }

    /// Closes all connections, notifying the server, and the sockets.
    public func stop() {
        isStopped = true
        awaited = []
        ticker?.stop()
        ticker = nil
        for id in Array(connections.keys) { end(id) }
        flush()
        for port in ports.values { port.socket.close() }
        ports = [:]
    }

    // MARK: Connections

    /// Makes a connection and its offer to receive these tracks.
    public func offer(
        _ id: StreamConnectionID, tracks: [MediaSection.Kind: TrackID]
    ) throws -> SessionDescription {
        let connection = try make(id, tracks, port: 0)
        let now = MonotonicClock.now
        for kind in [MediaSection.Kind.audio, .video] where tracks[kind] != nil {
            try connection.core.receive(kind)
        }
        let offer = try connection.core.createOffer(at: now)
        bringOut(connection, at: now)
        return offer
    }

    /// Applies the server's answer to the offer of a connection.
    ///
    /// - Returns: our candidates, to be trickled: they may differ from those in the offer.
    public func accept(
        _ answer: SessionDescription, of id: StreamConnectionID
    ) -> EventLoopFuture<[String]> {
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        return port(for: Self.addresses(in: answer), of: id).flatMapThrowing { port in
            let media = bound.value
            guard let connection = media.connections[id] else {
                media.sharing.release(id)
                throw ClientMediaError.closed
            }
            connection.port = port
            let now = MonotonicClock.now
            try connection.core.accept(answer: answer, at: now)
            media.described(connection, by: answer, at: now)
            return media.candidates(of: connection)
        }
    }

    /// Makes a connection by the server's offer.
    ///
    /// - Returns: the answer, and our candidates, to be trickled.
    public func answer(
        _ offer: SessionDescription, as id: StreamConnectionID,
        tracks: [MediaSection.Kind: TrackID]
    ) -> EventLoopFuture<(answer: SessionDescription, candidates: [String])> {
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        awaited.insert(id)
        return port(for: Self.addresses(in: offer), of: id).flatMapThrowing { port in
            let media = bound.value
            guard media.awaited.remove(id) != nil else {
                media.sharing.release(id)
                throw ClientMediaError.closed
            }
            let connection = try media.make(id, tracks, port: port)
            let now = MonotonicClock.now
            let answer = try connection.core.answer(offer, at: now)
            media.described(connection, by: offer, at: now)
            return (answer: answer, media.candidates(of: connection))
        }
    }

    /// Adds the server's candidate. One at the address of another connection on the same socket is
    /// of no use, and ignored.
    public func trickle(_ candidate: String, to id: StreamConnectionID) {
        guard let connection = connections[id],
            Self.address(of: candidate).map({
                sharing.claim($0, on: connection.port, for: id)
            }) ?? true
        else { return }
        let now = MonotonicClock.now
        connection.core.addRemoteCandidate(candidate, at: now)
        bringOut(connection, at: now)
    }

    /// Closes a connection, or has it not be made. Does nothing if there is none.
    public func close(_ id: StreamConnectionID) {
        awaited.remove(id)
        sharing.release(id)
        guard connections[id] != nil else { return }
        end(id)
        tellTracks(at: MonotonicClock.now)
    }

    private func make(
        _ id: StreamConnectionID, _ tracks: [MediaSection.Kind: TrackID], port: Int
    ) throws(ClientMediaError) -> StreamConnection {
        guard let socket = ports[port]?.socket, connections[id] == nil else { throw .closed }
        guard connections.count < Self.maximum else { throw .tooMany(Self.maximum) }
        let settings = PeerConnection.Configuration(
            of: identity, on: socket, receivesVideo: configuration.receivesVideo)
        let connection = StreamConnection(
            id: id, core: PeerConnection(configuration: settings, at: MonotonicClock.now),
            tracks: tracks)
        connection.port = port
        connections[id] = connection
        byFragment[connection.core.localUsernameFragment] = id
        return connection
    }

    private func end(_ id: StreamConnectionID) {
        guard let connection = connections[id] else { return }
        connection.core.close(at: MonotonicClock.now)
        bringOut(connection, at: MonotonicClock.now)
        connections[id] = nil
        byFragment = byFragment.filter { $0.value != id }
        byTrack = byTrack.filter { $0.value != id }
        sharing.release(id)
    }

    private func described(
        _ connection: StreamConnection, by description: SessionDescription, at now: Instant
    ) {
        byFragment[connection.core.localUsernameFragment] = connection.id
        connection.readIncomingTracks(of: description)
        bringOut(connection, at: now)
        tellTracks(at: now)
    }

    private func tellTracks(at now: Instant) {
        byTrack = [:]
        var tracks: [IncomingTrack] = []
        for connection in connections.values {
            for track in connection.incoming.values {
                byTrack[track.mid] = connection.id
                tracks.append(track)
            }
        }
        observer.incomingTracksChanged(tracks.sorted { $0.mid < $1.mid }, at: now)
    }

    private func candidates(of connection: StreamConnection) -> [String] {
        guard let socket = ports[connection.port]?.socket else { return [] }
        return ICECandidate.hosts(port: socket.localAddress.port).map { $0.rendered() }
    }

    // MARK: Sockets

    /// The number of a socket for a connection to these addresses, which are its own from now on.
    private func port(
        for addresses: [TransportAddress], of id: StreamConnectionID
    ) -> EventLoopFuture<Int> {
        if let port = sharing.port(for: addresses, of: id) {
            claim(addresses, on: port, for: id)
            return eventLoop.makeSucceededFuture(port)
        }
        guard ports.count < Self.maximum else {
            return eventLoop.makeFailedFuture(ClientMediaError.tooMany(Self.maximum))
        }
        let port = sharing.addPort()
        claim(addresses, on: port, for: id)
        return openPort(port).map { port }
    }

    private func claim(
        _ addresses: [TransportAddress], on port: Int, for id: StreamConnectionID
    ) {
        for address in addresses { sharing.claim(address, on: port, for: id) }
    }

    private static func addresses(in description: SessionDescription) -> [TransportAddress] {
        description.media.flatMap(\.ice.candidates).compactMap(address(of:))
    }

    /// Nil for one that cannot be used.
    private static func address(of candidate: String) -> TransportAddress? {
        guard let address = (try? ICECandidate(parsing: candidate))?.address,
            address.transport == .udp, !address.isIPv6
        else { return nil }
        return address
    }

    // MARK: Reception

    public func requestKeyframe(of track: IncomingTrack) {
        guard let connection = connection(of: track), let section = connection.section(of: track)
        else { return }
        connection.core.requestKeyframe(in: section)
    }

    public func requestRetransmission(of lost: [SequenceNumber], track: IncomingTrack) {
        guard let connection = connection(of: track), let section = connection.section(of: track)
        else { return }
        connection.core.requestRetransmission(of: lost, in: section)
    }

    public func extensions(of track: IncomingTrack) -> [String: UInt8] {
        connection(of: track)?.core.headerExtensions ?? [:]
    }

    private func connection(of track: IncomingTrack) -> StreamConnection? {
        byTrack[track.mid].flatMap { connections[$0] }
    }

    // MARK: Datagrams and time

    private func received(
        _ datagram: consuming [UInt8], from source: TransportAddress, on port: Int
    ) {
        let now = MonotonicClock.now
        let known = sharing.owner(of: source, on: port)
        let owner = STUNMessage.peekFragment(datagram).flatMap { byFragment[$0] } ?? known
        guard let owner, known == nil || known == owner, let connection = connections[owner],
            connection.port == port
        else { return }
        let evidence = connection.core.handle(datagram, from: source, at: now)
        // A server may check from an address that it has not named.
        if known == nil, evidence != .none { sharing.claim(source, on: port, for: owner) }
        bringOut(connection, at: now)
    }

    /// Sends the queued datagrams, after a batch of received ones and after calls from outside.
    public func flush() {
        let now = MonotonicClock.now
        settle(at: now)
        for port in ports.values { port.flush(at: now) }
    }

    /// Tells of tracks that are in another codec, then their packets.
    private func settle(at now: Instant) {
        guard batch.hasChanges else { return }
        let waiting = batch.takeAll()
        tellTracks(at: now)
        for entry in waiting {
            observer.received(entry.packet, of: entry.track, at: entry.arrival)
        }
    }

    private func bringOut(_ connection: StreamConnection, at now: Instant) {
        while let output = connection.core.poll() {
            switch output {
            case .transmit(let bytes, let address):
                ports[connection.port]?.transmit(bytes, to: address, at: now)
            case .media(var packet):
                guard let track = connection.track(of: packet, in: &batch, at: now) else {
                    continue
                }
                packet.mid = track.mid
                if !batch.holds(packet, of: track, at: now) {
                    observer.received(packet, of: track, at: now)
                }
            case .senderReport(let mid, _, let ntp, let rtpTimestamp):
                guard let track = connection.incoming[mid] else { continue }
                observer.senderReport(of: track, ntp: ntp, rtpTimestamp: rtpTimestamp, at: now)
            case .stateChanged(let state):
                stateChanged(connection.id, state)
            case .keyframeRequested, .channelOpened, .channelMessage, .channelClosed:
                break
            }
        }
    }

    func tick() {
        // Read first: datagrams waiting in the sockets arrived in time and must not be missed.
        if configuration.readingInterval != nil {
            for port in ports.values { port.socket.read() }
        }
        let now = MonotonicClock.now
        observer.tick(at: now)
        for connection in connections.values {
            if let deadline = connection.core.nextDeadline, deadline <= now {
                connection.core.handleTimeout(at: now)
            }
            bringOut(connection, at: now)
        }
        flush()
    }
}

/// The connections from outside their event loop.
extension NIOLoopBound<StreamConnections> {
    /// Runs `body` on the media's loop, then sends what it has written. Bodies run in the order of
    /// the calls.
    public func submit<Result: Sendable>(
        _ body: @escaping @Sendable (StreamConnections) throws -> Result
    ) -> EventLoopFuture<Result> {
        eventLoop.submit {
            defer { value.flush() }
            return try body(value)
        }
    }

    /// The same for work that may have to wait for a socket.
    public func flatSubmit<Result: Sendable>(
        _ body: @escaping @Sendable (StreamConnections) -> EventLoopFuture<Result>
    ) -> EventLoopFuture<Result> {
        eventLoop.flatSubmit {
            body(value).always { _ in value.flush() }
        }
    }

    /// Closes the connections. Does nothing on a loop that has shut down.
    public func stop() async { try? await eventLoop.submit { value.stop() }.get() }
}
