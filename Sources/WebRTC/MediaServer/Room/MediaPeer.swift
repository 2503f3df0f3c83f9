import MediaKernel
import PeerConnection
import RTP

/// The connections of one peer and the tracks it should receive.
final class MediaPeer {
    let id: PeerID
    /// Videos without a stated preference are not sent.
    let asksForVideos: Bool
    let isRecorder: Bool
    /// Of the layers that it publishes.
    let layerNames: LayerNames
    /// In the order in which they were made.
    var connections: [Connection] = []
    var desired: [TrackID: WantedTrack] = [:] {
        didSet {
            received = nil
            hasRoutes = desired.values.contains { $0.connection != nil }
        }
    }
    /// Whether its tracks have connections of their own. Each of these then has its own bandwidth.
    private(set) var hasRoutes = false
    /// The tracks sent on its connections, by their ids there. A track that ended and returned
    /// under the same id is a different one.
    private(set) var offered: [TrackID: Offered] = [:] {
        didSet { received = nil }
    }
    /// The tracks in `offered` that left the subscriptions, even briefly, since the last offer. Its
    /// client has been told that they are gone, so they must be removed and added again.
    var lapsed: Set<TrackID> = []
    /// The peer's own preferences for the tracks it receives.
    var preferences: [TrackID: LayerPreference] = [:]
    /// The number of tracks without a free section, as last logged.
    var leftOutCount = 0
    let sharing: BandwidthSharing
    var quality = ConnectionQuality()
    /// The bit rates that the peer's role states for the tracks it publishes.
    var statedRates: [TrackID: Int] = [:]
    /// The budget of all its tracks together.
    var budget: PeerBudget
    /// Limits the messages accepted from its data channels.
    var texts: TokenBucket
    /// The channel of the subscribe connection is open. Messages sent earlier would be lost.
    var hasChannel = false
    /// Decides when to offer the subscribe connection.
    var negotiation = NegotiationMachine()
    /// The WebSocket that its offers go to, counted from 0.
    var signallingSocket = 0

    /// The tracks it receives; nil after a change, until they are looked up again.
    var received: ReceivedTracks?

    /// Messages are limited to one preference for every track of a full room at once, and then 50 a
    /// second.
    static let textsPerSecond = 50
    static let textsBurst = PeerConnection.sectionsMaximum * 2
    /// A limit on memory: a peer has only a few tracks at a time.
    static let statedRatesMaximum = 1024

    init(
        id: PeerID, asksForVideos: Bool, isRecorder: Bool, layerNames: LayerNames,
        nextAllocation: Instant, at now: Instant
    ) {
        self.id = id
        self.asksForVideos = asksForVideos
        self.isRecorder = isRecorder
        self.layerNames = layerNames
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
    /// The connection on which we measure the peer's bandwidth and send it messages: the one that
    /// we offer, else the first named one that carries tracks, or may.
    var receiving: Connection? {
        if let subscribe { return subscribe }
        let named = connections.lazy.filter(\.key.isNamed)
        return named.first { !$0.forwarded.isEmpty } ?? named.first
    }

    /// The sharing of a connection's bandwidth.
    func sharing(of connection: Connection) -> BandwidthSharing { connection.sharing ?? sharing }

    /// Puts a track into a connection's description.
    func offer(
        _ track: ForwardedTrack, as id: TrackID, mid: String, on connection: Connection
    ) {
        offered[id] = Offered(connection: connection, mid: mid, track: track)
        connection.forwarded[mid] = track
    }

    /// Removes a track from its connection's description and frees its section.
    func withdraw(_ id: TrackID) {
        guard let entry = offered.removeValue(forKey: id) else { return }
        entry.connection.forwarded[entry.mid] = nil
    }

    /// The best layer of a track that the peer should receive.
    func preference(for track: ForwardedTrack, offeredAs id: TrackID) -> LayerPreference {
        if desired[id]?.isHeldBack ?? false { return .none }
        return preferences[id] ?? (asksForVideos && track.codec.isVideo ? .none : .high)
    }
}
