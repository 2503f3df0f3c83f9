public import MediaKernel
public import MediaServer
public import SDP

/// The media of one room, as its host drives it.
///
/// For every peer `addPeer` comes first and `removePeer` last; a peer whose `addPeer` or first
/// offer failed is removed too. Offers, answers and candidates of one peer come in the order in
/// which its client sent them; `setSubscriptions` may come between. A refused offer changes nothing.
public protocol RoomMedia: Sendable {
    /// Makes a peer known.
    ///
    /// - Parameters:
    ///   - asksForVideos: it gets no video before it has stated a preference for it.
    ///   - isRecorder: it is on this machine as a rule.
    func addPeer(_ peer: PeerID, asksForVideos: Bool, isRecorder: Bool) async throws
    func removePeer(_ peer: PeerID) async
    /// The client's offer (join, renegotiation, ICE restart) of one of its connections in, answer
    /// out. A peer with a publish connection is offered a subscribe connection; on a named one it
    /// receives in the sections in which it asks for media.
    func offer(
        _ offer: SessionDescription, on key: ConnectionKey, from peer: PeerID
    ) async throws -> SessionDescription
    /// Our own offer of a named connection, with one section of each kind, in which the peer receives
    /// once it has answered.
    func makeOffer(
        _ kinds: [MediaSection.Kind], on key: ConnectionKey, to peer: PeerID
    ) async throws -> SessionDescription
    /// The client's answer to the outstanding offer of its subscribe connection, or to
    /// ``makeOffer(_:on:to:)``.
    func answer(
        _ answer: SessionDescription, on key: ConnectionKey, from peer: PeerID
    ) async throws
    /// The client's answer to the outstanding offer could not be read, and no other one will come:
    /// as if ``answer(_:from:)`` had refused it.
    func answerRefused(from peer: PeerID) async
    /// An empty candidate is the end of candidates.
    func trickle(
        _ candidate: String, on key: ConnectionKey, from peer: PeerID
    ) async throws
    /// What these peers should now receive. The media plane renegotiates (emits
    /// `.subscribeOffer`) as needed; changes that follow each other closely go into one offer.
    /// Media of a track that is in nobody's subscriptions goes nowhere.
    func setSubscriptions(_ subscribers: [SubscriberTerms]) async
    /// Emits a fresh `.subscribeOffer` with an ICE restart: at once for a new socket, where no answer
    /// is awaited; for the same one when the offer before it has been answered, or 10 s after that
    /// offer.
    ///
    /// - Parameter signallingSocket: a number of the socket that speaks for the peer, which its
    ///   offers carry from now on. Until the first restart they carry 0.
    func restartSubscribe(of peer: PeerID, signallingSocket: Int) async
    /// The best form of a track that this peer wishes to get, `none` for nothing at all; for
    /// audio everything else means all of it. Holds while the peer is to receive the track.
    func setPreference(
        _ preference: LayerPreference, track: TrackID, of peer: PeerID
    ) async
    /// Sends on the data channels of the subscribe connections; what is for one that is not open
    /// is dropped.
    func sendTexts(_ texts: [(peer: PeerID, text: String)]) async
    /// Ends when the room's media is shut down. Read once, by ``RoomHost/run()``.
    var events: AsyncStream<MediaEvent> { get }
}

extension MediaRoom: RoomMedia {}
