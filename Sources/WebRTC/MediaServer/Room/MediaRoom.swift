import Clocks
public import MediaKernel
import NIOCore
import PeerConnection
public import SDP

/// The media side of one room, as seen from outside its media loop.
public final class MediaRoom: Sendable {
    /// The most waiting events. A reader this far behind has stopped reading.
    public static let eventsMaximum = 16_384
    public static let peersMaximum = 5000
    /// Extra places for recorders, which may join a full room.
    static let sparePlaces = 100
    public static let tracksPerPeerMaximum = 32

    /// Held here, too: a call may still be on its way to it when the server is gone.
    private let loop: NIOLoopBound<MediaLoop>
    var eventLoop: any EventLoop { loop.eventLoop }
    private let forwarder: NIOLoopBound<RoomForwarder>
    /// The room's events, for one reader. Ends when the room is closed.
    public let events: AsyncStream<MediaEvent>

    init(
        loop: NIOLoopBound<MediaLoop>, forwarder: NIOLoopBound<RoomForwarder>,
        events: AsyncStream<MediaEvent>
    ) {
        self.loop = loop
        self.forwarder = forwarder
        self.events = events
    }

    private func onLoop<Result: Sendable>(
        _ body: @escaping @Sendable (RoomForwarder, Instant) throws -> Result
    ) async throws -> Result {
        try await eventLoop.submit { [loop, forwarder] in
            defer { loop.value.flush() }
            return try body(forwarder.value, MonotonicClock.now)
        }.get()
    }

    /// Adds a peer. Its subscribe connection is offered after its first publish offer.
    /// - Parameters:
    ///   - asksForVideos: the peer gets no video before it has stated a preference for it.
    ///   - isRecorder: a recorder usually runs on this machine, and is told this machine's own
    ///     addresses as well as the advertised ones: a router may not let it reach the latter from
    ///     inside.
    ///   - layerNames: the protocol's names for the layers that the peer publishes.
    public func addPeer(
        _ peer: PeerID, asksForVideos: Bool = false, isRecorder: Bool = false,
        layerNames: LayerNames = .none
    ) async throws {
        try await onLoop {
            try $0.addPeer(
                peer, asksForVideos: asksForVideos, isRecorder: isRecorder,
                layerNames: layerNames, at: $1)
        }
    }

    public func removePeer(_ peer: PeerID) async {
        try? await onLoop { $0.removePeer(peer, at: $1) }
    }

    /// Takes the client's offer for one of its connections and returns the answer. The tracks it
    /// offers to send are published. On a named connection, sections that ask for media get the
    /// tracks of the peer's subscriptions, most important first, if the client offers their codecs;
    /// a track that ends frees its section for the next one.
    public func offer(
        _ offer: SessionDescription, on key: ConnectionKey, from peer: PeerID
    ) async throws -> SessionDescription {
        try await onLoop { try $0.offer(offer, on: key, from: peer, at: $1) }
    }

    /// Offers a new named connection with one section of each kind. The sections carry the tracks
    /// of the peer's subscriptions, as on a connection that the peer has offered.
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

    /// Closes one of a peer's connections, with the tracks published and received on it.
    public func closeConnection(_ key: ConnectionKey, of peer: PeerID) async {
        try? await onLoop { $0.closeConnection(key, of: peer, at: $1) }
    }

    /// The client's answer could not be read. No other answer will follow.
    public func answerRefused(from peer: PeerID) async {
        try? await onLoop { $0.answerRefused(from: peer, at: $1) }
    }

    public func trickle(
        _ candidate: String, on key: ConnectionKey, from peer: PeerID
    ) async throws {
        try await onLoop { try $0.trickle(candidate, on: key, from: peer, at: $1) }
    }

    /// Sets the tracks that these peers receive from now on. Tracks that are not published yet are
    /// remembered.
    public func setSubscriptions(_ subscribers: [PeerSubscriptions]) async {
        try? await onLoop { forwarder, now in
            for peer in subscribers { forwarder.setSubscriptions(peer, at: now) }
        }
    }

    /// Sets the best layer of a track that the peer wishes to receive, or `none`. For audio,
    /// anything but `none` means the whole track. Forgotten with the subscription.
    public func setPreference(
        _ preference: LayerPreference, track: TrackID, of peer: PeerID
    ) async {
        try? await onLoop { $0.setPreference(preference, track: track, of: peer, at: $1) }
    }

    /// Offers the subscribe connection anew with fresh ICE credentials. On a new WebSocket it does
    /// so at once, because no answer to an earlier offer will come there; on the same WebSocket it
    /// waits for the answer to the previous offer, at most 10 s.
    /// - Parameter signallingSocket: the number that offers carry, 0 for the WebSocket by which the
    ///   peer was added.
    public func restartSubscribe(of peer: PeerID, signallingSocket: Int) async {
        try? await onLoop {
            $0.restartSubscribe(of: peer, signallingSocket: signallingSocket, at: $1)
        }
    }

    /// Sends texts on the data channels of the peers' subscribe connections: in order to each peer,
    /// and to many peers one after the other.
    public func sendTexts(_ texts: [(peer: PeerID, text: String)]) async {
        try? await onLoop { $0.sendTexts(texts, at: $1) }
    }

    public func close() async { try? await onLoop { $0.close(at: $1) } }
}
