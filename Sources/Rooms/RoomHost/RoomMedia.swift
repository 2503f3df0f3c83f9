public import MediaKernel
public import MediaServer
public import SDP

/// The media of one room, for its host.
///
/// For every peer `addPeer` comes first and `removePeer` last; a peer whose `addPeer` or first
/// offer failed is removed too. Offers, answers and candidates of one peer come in its client's
/// order; `setSubscriptions` may come in between. A refused offer changes nothing.
public protocol RoomMedia: Sendable {
    /// Adds a peer.
    ///
    /// - Parameters:
    ///   - asksForVideos: whether it gets no video until it has stated a preference.
    ///   - isRecorder: whether it is usually on this machine.
    ///   - layerNames: its protocol's names for the layers that it publishes.
    func addPeer(
        _ peer: PeerID, asksForVideos: Bool, isRecorder: Bool, layerNames: LayerNames
    ) async throws
    func removePeer(_ peer: PeerID) async
    /// Answers the client's offer (join, renegotiation, ICE restart) of one of its connections. A
    /// peer with a publish connection is offered a subscribe connection; on a named one it receives
    /// in the sections in which it asks for media.
    func offer(
        _ offer: SessionDescription, on key: ConnectionKey, from peer: PeerID
    ) async throws -> SessionDescription
    /// Our own offer of a named connection, with one section of each kind, in which the peer receives
    /// once it has answered.
    func makeOffer(
        _ kinds: [MediaSection.Kind], on key: ConnectionKey, to peer: PeerID
    ) async throws -> SessionDescription
    /// Closes one of the peer's named connections, with all that is published and received on it.
    func closeConnection(_ key: ConnectionKey, of peer: PeerID) async
    /// The client's answer to the outstanding offer of its subscribe connection, or to
    /// ``makeOffer(_:on:to:)``.
    func answer(
        _ answer: SessionDescription, on key: ConnectionKey, from peer: PeerID
    ) async throws
    /// The client's answer to the outstanding offer was unreadable, and no other will come: as if
    /// ``answer(_:on:from:)`` had refused it.
    func answerRefused(from peer: PeerID) async
    /// An empty candidate is the end of candidates.
    func trickle(
        _ candidate: String, on key: ConnectionKey, from peer: PeerID
    ) async throws
    /// Sets the subscriptions of these peers. The media plane renegotiates (emits
    /// `.subscribeOffer`) as needed; changes in quick succession go into one offer. Media of a
    /// track without subscribers is not forwarded.
    func setSubscriptions(_ subscribers: [PeerSubscriptions]) async
    /// Emits a new `.subscribeOffer` with an ICE restart: at once for a new socket if no answer is
    /// outstanding; for the same one when the previous offer has been answered, or 10 s after it.
    ///
    /// - Parameter signallingSocket: the number of the peer's present socket, which its offers have
    ///   from now on. Until the first restart they have 0.
    func restartSubscribe(of peer: PeerID, signallingSocket: Int) async
    /// The best layer of a track that this peer wants, `none` for nothing at all; for audio any
    /// other value means all of it. Holds while the peer subscribes to the track.
    func setPreference(
        _ preference: LayerPreference, track: TrackID, of peer: PeerID
    ) async
    /// Sends on the data channels of the subscribe connections; texts for channels that are not
    /// open are dropped.
    func sendTexts(_ texts: [(peer: PeerID, text: String)]) async
    /// Ends when the room's media is shut down. Read once, by ``RoomHost/run()``.
    var events: AsyncStream<MediaEvent> { get }
}

extension MediaRoom: RoomMedia {}
