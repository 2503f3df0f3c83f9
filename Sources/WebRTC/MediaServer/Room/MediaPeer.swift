import MediaKernel
import PeerConnection
import RTP

/// The connections of one peer and what it should receive.
final class MediaPeer {
    let id: PeerID
    /// A video without a preference is not sent.
    let asksForVideos: Bool
    let isRecorder: Bool
    /// As they came.
    var connections: [Connection] = []
    var desired: [TrackID: WantedTrack] = [:] { didSet { received = nil } }
    /// Tracks that are sent on its connections, by what they are called there. A track that went and
    /// came again under its id is another one.
    private(set) var offered: [TrackID: Offered] = [:] {
        didSet { received = nil }
    }
    /// Those of `offered` that it was not to receive at some time since it was offered anything. Its
    /// client has been told that they are gone, so they have to come again.
    var lapsed: Set<TrackID> = []
    /// What the peer said of the tracks it is to receive.
    var preferences: [TrackID: LayerPreference] = [:]
    /// Tracks for which there was no section left, as was logged last.
    var leftOutCount = 0
    var sharing: BandwidthSharing
    var quality = ConnectionQuality()
    /// What its role says of the tracks that it publishes, in bits per second.
    var statedRates: [TrackID: Int] = [:]
    /// What may go on of all its tracks together.
    var budget: PeerBudget
    /// Texts that are taken from its data channel.
    var texts: TokenBucket
    /// The subscribe connection's channel is open: what is said before is heard by nobody.
    var hasChannel = false
    /// When its subscribe connection is offered.
    var negotiation = NegotiationMachine()
    /// Which of its WebSockets, counted from 0, its offers are for.
    var signallingSocket = 0

    /// What it receives; nil when that has changed and must be looked up again.
    var received: ReceivedTracks?

    /// A wish for every track of a full room at once, and then some a second.
    static let textsPerSecond = 50
    static let textsBurst = PeerConnection.sectionsMaximum * 2
    /// It has no more tracks than a few at a time.
    static let statedRatesMaximum = 1024

    init(
        id: PeerID, asksForVideos: Bool, isRecorder: Bool, nextAllocation: Instant, at now: Instant
    ) {
        self.id = id
        self.asksForVideos = asksForVideos
        self.isRecorder = isRecorder
        sharing = BandwidthSharing(nextAllocation: nextAllocation)
        budget = PeerBudget(at: now)
        texts = TokenBucket(rate: Self.textsPerSecond, burst: Self.textsBurst, at: now)
    }

    /// A track in a section of one of its connections.
    struct Offered {
        let connection: Connection
        let mid: String
        let track: ForwardedTrack
    }

    func connection(_ key: ConnectionKey) -> Connection? { connections.first { $0.key == key } }
    var publish: Connection? { connection(.publish) }
    var subscribe: Connection? { connection(.subscribe) }
    /// The connection by which what the peer can receive is measured, and where it is told things:
    /// the one that we offer, else the first that it has offered itself.
    var receiving: Connection? { subscribe ?? connections.first { $0.key.isNamed } }

    /// Puts a track into a connection's description.
    func offer(
        _ track: ForwardedTrack, as id: TrackID, mid: String, on connection: Connection
    ) {
        offered[id] = Offered(connection: connection, mid: mid, track: track)
        connection.forwarded[mid] = track
    }

    /// Takes one out. Its section is free for another.
    func withdraw(_ id: TrackID) {
        guard let entry = offered.removeValue(forKey: id) else { return }
        entry.connection.forwarded[entry.mid] = nil
    }

    /// The best form in which a track is to be sent to it.
    func preference(for track: ForwardedTrack, offeredAs id: TrackID) -> LayerPreference {
        if desired[id]?.isHeldBack ?? false { return .none }
        return preferences[id] ?? (asksForVideos && track.codec.isVideo ? .none : .high)
    }
}
