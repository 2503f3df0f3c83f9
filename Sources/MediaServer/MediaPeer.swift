import MediaKernel
import PeerConnection
import RTP

/// The two connections of one peer and what it should receive.
final class MediaPeer {
    let id: PeerID
    /// A video of which it has said nothing is not sent to it.
    let asksForVideos: Bool
    let isRecorder: Bool
    var publish: Connection?
    var subscribe: Connection?
    var desired: [TrackID: WantedTrack] = [:] { didSet { received = nil } }
    /// Bits per second of all that it receives; nil for as much as its way carries.
    var bitsPerSecondMaximum: Int?
    var lossRule: LossDegradationRule?
    /// Tracks in the subscribe connection's description by what they are called there, with their
    /// sections. A track that went and
    /// came again under its id is another one.
    private(set) var offered: [TrackID: (mid: String, track: ForwardedTrack)] = [:] {
        didSet { received = nil }
    }
    /// The tracks of `offered` by their sections, which is how the peer speaks of them.
    private(set) var offeredBySection: [String: ForwardedTrack] = [:]
    /// Those of `offered` that it was not to receive at some time since it was offered anything. Its
    /// client has been told that they are gone, so they have to come again.
    var lapsed: Set<TrackID> = []
    /// Sections of the publish connection to the peer's own names of its tracks, as last looked up.
    var published: [String: TrackID] = [:]
    /// What the peer said of the tracks it is to receive.
    var preferences: [TrackID: LayerPreference] = [:]
    /// Tracks for which there was no section left, as was logged last.
    var leftOutCount = 0
    /// When it is looked anew what its way carries.
    var nextAllocation: Instant
    /// It received videos when that was last looked at.
    var hadVideos = false
    var allocator = LayerAllocator()
    var probes = ProbePlan()
    var lossDegradation = LossDegradation()
    /// What the peer gets less of than it wants, it does for its way and not for its maximum.
    var isLimitedByWay = false
    /// The address to which the probes were planned.
    var probedAddress: TransportAddress?
    var quality = ConnectionQuality()
    /// What its role says of the tracks that it publishes, in bits per second.
    var statedRates: [TrackID: Int] = [:]
    /// What may go on of all its tracks together.
    var budget: PeerBudget
    /// Texts that are taken from its data channel.
    var texts: TokenBucket
    /// The subscribe connection's channel is open: what is said before is heard by nobody.
    var hasChannel = false
    var needsOffer = false
    /// When the subscribe connection was last offered, its beginning left out.
    var lastOffer: Instant?
    var needsRestart = false
    /// It is to be offered its subscribe connection though nothing has changed.
    var isOwedOffer = false
    /// Answers of it that were refused, one after the other.
    var refusedAnswers = 0
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
        self.nextAllocation = nextAllocation
        budget = PeerBudget(at: now)
        texts = TokenBucket(rate: Self.textsPerSecond, burst: Self.textsBurst, at: now)
    }

    /// Puts a track into the subscribe connection's description.
    func offer(_ track: ForwardedTrack, as id: TrackID, mid: String) {
        offered[id] = (mid, track)
        offeredBySection[mid] = track
    }

    /// Takes one out. Its section is free for another.
    func withdraw(_ id: TrackID) {
        guard let mid = offered.removeValue(forKey: id)?.mid else { return }
        offeredBySection[mid] = nil
    }

    /// The best form in which a track is to be sent to it.
    func preference(for track: ForwardedTrack, offeredAs id: TrackID) -> LayerPreference {
        preferences[id] ?? (asksForVideos && track.codec.isVideo ? .none : .high)
    }
}
