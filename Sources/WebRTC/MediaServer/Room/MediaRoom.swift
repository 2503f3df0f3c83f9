import Clocks
public import MediaKernel
import NIOCore
import PeerConnection
public import SDP

/// The media side of one room, as seen from outside its media loop.
public final class MediaRoom: Sendable {
    /// Events waiting for a reader. A reader that is this far behind has stopped reading.
    public static let eventsMaximum = 16_384
    public static let peersMaximum = 5000
    /// Recorders, which have a place in a full room too.
    static let sparePlaces = 100
    public static let tracksPerPeerMaximum = 32

    let eventLoop: any EventLoop
    private let forwarder: NIOLoopBound<RoomForwarder>
    /// For one reader. Ends when the room is closed.
    public let events: AsyncStream<MediaEvent>

    init(
        eventLoop: any EventLoop, forwarder: NIOLoopBound<RoomForwarder>,
        events: AsyncStream<MediaEvent>
    ) {
        self.eventLoop = eventLoop
        self.forwarder = forwarder
        self.events = events
    }

    private func onLoop<Result: Sendable>(
        _ body: @escaping @Sendable (RoomForwarder, Instant) throws -> Result
    ) async throws -> Result {
        try await eventLoop.submit { [forwarder] in
            defer { forwarder.value.loop.flush() }
            return try body(forwarder.value, MonotonicClock.now)
        }.get()
    }

    /// Makes a peer known. Its subscribe connection is offered once the publish side has spoken.
    /// - Parameters:
    ///   - asksForVideos: it gets no video before it has stated a preference for it.
    ///   - isRecorder: it is on this machine as a rule, and told this machine's own addresses
    ///     besides the advertised ones: a router need not let it reach those from inside.
    public func addPeer(
        _ peer: PeerID, asksForVideos: Bool = false, isRecorder: Bool = false
    ) async throws {
        try await onLoop {
            try $0.addPeer(
                peer, asksForVideos: asksForVideos, isRecorder: isRecorder, at: $1)
        }
    }

    public func removePeer(_ peer: PeerID) async {
        try? await onLoop { $0.removePeer(peer, at: $1) }
    }

    /// The client's offer for one of its connections: the answer. What it offers to send is
    /// published. In sections of a named connection that ask for media, the tracks of its
    /// subscriptions are sent, the most important first, as far as the client offers their codecs;
    /// a track that goes frees its section for the next one.
    public func offer(
        _ offer: SessionDescription, on key: ConnectionKey, from peer: PeerID
    ) async throws -> SessionDescription {
        try await onLoop { try $0.offer(offer, on: key, from: peer, at: $1) }
    }

    /// Our offer of a named connection that does not exist yet, with one section of each kind, in which
    /// the tracks of the peer's subscriptions are sent as on one that it has offered.
    public func makeOffer(
        _ kinds: [MediaSection.Kind], on key: ConnectionKey, to peer: PeerID
    ) async throws -> SessionDescription {
        try await onLoop { try $0.makeOffer(kinds, on: key, to: peer, at: $1) }
    }

    /// The client's answer to our offer of a connection.
    public func answer(
        _ answer: SessionDescription, on key: ConnectionKey = .subscribe, from peer: PeerID
    ) async throws {
        try await onLoop {
            switch key {
            case .subscribe: try $0.subscribeAnswer(answer, from: peer, at: $1)
            case .publish, .named: try $0.accept(answer, on: key, from: peer, at: $1)
            }
        }
    }

    /// Ends one of a peer's connections, with what is published and received on it.
    public func closeConnection(_ key: ConnectionKey, of peer: PeerID) async {
        try? await onLoop { $0.closeConnection(key, of: peer, at: $1) }
    }

    /// The client's answer could not be read: no other one will come.
    public func answerRefused(from peer: PeerID) async {
        try? await onLoop { $0.answerRefused(from: peer, at: $1) }
    }

    public func trickle(
        _ candidate: String, on key: ConnectionKey, from peer: PeerID
    ) async throws {
        try await onLoop { try $0.trickle(candidate, on: key, from: peer, at: $1) }
    }

    /// What these peers are to receive from now on. Tracks that are not published yet are
    /// remembered.
    public func setSubscriptions(_ subscribers: [PeerSubscriptions]) async {
        try? await onLoop { forwarder, now in
            for terms in subscribers { forwarder.setSubscriptions(terms, at: now) }
        }
    }

    /// The best form of a track that the peer wishes to receive; `none` for nothing. For audio
    /// everything else means all of it. Forgotten with the subscription.
    public func setPreference(
        _ preference: LayerPreference, track: TrackID, of peer: PeerID
    ) async {
        try? await onLoop { $0.setPreference(preference, track: track, of: peer, at: $1) }
    }

    /// Offers the subscribe connection anew with fresh ICE credentials: at once for a new WebSocket,
    /// where no answer is awaited; for the same one when the offer before it has been answered, or
    /// 10 s after that offer.
    /// - Parameter signallingSocket: a number, 0 for the one by which the peer was added. Offers
    ///   carry it.
    public func restartSubscribe(of peer: PeerID, signallingSocket: Int) async {
        try? await onLoop {
            $0.restartSubscribe(of: peer, signallingSocket: signallingSocket, at: $1)
        }
    }

    /// Sends texts on the data channels of the peers' subscribe connections: to each in order, to
    /// many one after the other.
    public func sendTexts(_ texts: [(peer: PeerID, text: String)]) async {
        try? await onLoop { $0.sendTexts(texts, at: $1) }
    }

    public func close() async { try? await onLoop { $0.close(at: $1) } }
}
