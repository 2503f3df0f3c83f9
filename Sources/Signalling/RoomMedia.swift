public import MediaKernel
public import Rooms

/// Which of a peer's two connections is meant. The raw values are the protocol's (`trickle`).
public enum TransportTarget: Int, Sendable, Hashable, Codable {
    /// The client sends media and makes the offers.
    case publish = 0
    /// The server sends media and makes the offers.
    case subscribe = 1
}

/// A track as the media plane knows it: by its SDP `msid`.
public struct PublishedTrack: Sendable, Hashable {
    /// What it is called in the room, and in the SDP of those who receive it.
    public var id: TrackID
    /// What it is called in the SDP of its publisher.
    public var publishedID: TrackID
    public var kind: TrackKind
    /// `regular`, `screen`, …
    public var source: String

    /// - Parameter publishedID: nil for the same as the id.
    public init(id: TrackID, publishedID: TrackID? = nil, kind: TrackKind, source: String) {
        self.id = id
        self.publishedID = publishedID ?? id
        self.kind = kind
        self.source = source
    }

    /// Whether it is what somebody shows beside themselves: a screen, a video that is played to the
    /// room, or what an application draws, such as a whiteboard.
    public var isPresentation: Bool { Self.presentations.contains(source) }

    /// The words with which clients of 100ms publish such tracks.
    public static let presentations: Set<String> = ["screen", "videoplaylist", "plugin"]
}

/// The tracks that a peer should now receive, all of them, and how.
public struct PeerSubscriptions: Sendable, Hashable {
    public struct Entry: Sendable, Hashable {
        public var track: PublishedTrack
        public var publisher: PeerID
        /// Of its publisher's role: 1 (highest) to 5.
        public var priority: Int
        /// What its publisher's role says that it takes, in kbit/s; nil for nothing.
        public var bitRate: Int?

        public init(
            track: PublishedTrack, publisher: PeerID, priority: Int, bitRate: Int? = nil
        ) {
            self.track = track
            self.publisher = publisher
            self.priority = priority
            self.bitRate = bitRate
        }
    }

    public var peer: PeerID
    public var tracks: [Entry]
    /// In kbit/s, of all of them; nil for no limit.
    public var bitRateMaximum: Int?
    /// When videos are to be left out for what the peer's way loses; nil for never.
    public var degradation: SubscribeDegradation?

    public init(
        peer: PeerID, tracks: [Entry], bitRateMaximum: Int? = nil,
        degradation: SubscribeDegradation? = nil
    ) {
        self.peer = peer
        self.tracks = tracks
        self.bitRateMaximum = bitRateMaximum
        self.degradation = degradation
    }
}

/// The media of one room, as its signalling drives it.
///
/// For every peer `addPeer` comes first and `removePeer` last; a peer whose `addPeer` or first
/// offer failed is removed too. Offers, answers and candidates of one peer come in the order in
/// which its client sent them; `setSubscriptions` may come between. A refused offer changes nothing.
public protocol RoomMedia: Sendable {
    /// - Parameters:
    ///   - asksForVideos: it is offered videos like everything else, and gets one once it has said by
    ///     ``prefer(_:of:for:)`` in which form.
    ///   - isRecorder: it is the recorder of a stream, which is on this machine as a rule.
    func addPeer(_ peer: PeerID, asksForVideos: Bool, isRecorder: Bool) async throws
    func removePeer(_ peer: PeerID) async
    /// Publish connection: the client's offer (join, renegotiation, ICE restart) in, answer out.
    func publishOffer(_ sdp: String, from peer: PeerID) async throws -> String
    func subscribeAnswer(_ sdp: String, from peer: PeerID) async throws
    /// The client's answer to the outstanding `.subscribeOffer` could not be read, and no other one
    /// will come: as if ``subscribeAnswer(_:from:)`` had refused it. What that one refused itself
    /// is not told here.
    func answerRefused(from peer: PeerID) async
    /// An empty candidate is the end of candidates.
    func trickle(_ candidate: String, target: TransportTarget, from peer: PeerID) async throws
    /// What these peers should now receive. The media plane renegotiates (emits
    /// `.subscribeOffer`) as needed; changes that follow each other closely go into one offer.
    /// Media of a track that is in nobody's subscriptions goes nowhere.
    func setSubscriptions(_ subscriptions: [PeerSubscriptions]) async
    /// Emits a fresh `.subscribeOffer` with an ICE restart: at once for a new socket, where no answer
    /// is awaited; for the same one when the offer before it has been answered, or 10 s after that
    /// offer.
    /// - Parameter socket: a number of the peer's WebSocket, which its offers carry from now on. Until
    ///   the first restart they carry 0.
    func restartSubscribe(of peer: PeerID, socket: Int) async
    /// The best form of a track that this peer wishes to get, `none` for nothing at all; for
    /// audio everything else means all of it. Holds while the peer is to receive the track.
    func prefer(_ layer: VideoLayerPreference, of track: TrackID, for peer: PeerID) async
    /// Sends on the `ion-sfu` channels of the subscribe connections; what is for one that is not
    /// open is dropped.
    func sendData(_ texts: [(peer: PeerID, text: String)]) async
    /// Ends when the room's media is shut down. Read once, by ``RoomSignalling/run()``.
    var events: AsyncStream<RoomMediaEvent> { get }
}

extension RoomMedia {
    func sendData(_ text: String, to peer: PeerID) async { await sendData([(peer, text)]) }
}

/// What the media plane tells the signalling.
public enum RoomMediaEvent: Sendable {
    case subscribeOffer(PeerID, sdp: String, socket: Int = 0)
    /// A text frame on the peer's `ion-sfu` channel.
    case dataMessage(PeerID, String)
    case connection(PeerID, TransportTarget, ConnectionState)
    /// The track is named as its publisher does.
    case trackMedia(PeerID, TrackID, hasMedia: Bool)
    /// The peer sends more of the track than may go on, or of all its tracks together.
    case excessMedia(PeerID, TrackID?)
    /// What the peer gets of these videos is something else now.
    case trackLayers(PeerID, [TrackLayersPayload.Track])
    /// Loudest first, levels 0 to 100; empty when nobody speaks. Tracks are named as their publishers do.
    case activeSpeakers([(PeerID, TrackID, level: Int)])
    /// How well these peers are reached, 0 (not at all) to 5.
    case connectionQuality([(PeerID, score: Int)])
}

/// The state of one of a peer's connections, in the words of WebRTC.
public enum ConnectionState: String, Sendable, Hashable {
    case new, connecting, connected, disconnected, failed, closed
}
