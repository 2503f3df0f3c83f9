import MediaKernel
import PeerConnection
import RTP
import SDP

/// One published track and who receives it.
final class ForwardedTrack {
    /// What its publisher calls it.
    let id: TrackID
    let publisher: PeerID
    /// The connection that it comes on, which is closed only when the track is gone.
    unowned var source: Connection?
    /// The section of that connection that it comes in.
    var section: SectionIndex?
    var incoming: IncomingTrack {
        didSet {
            repairsLoss = Self.isRepaired(incoming)
            guard incoming.parameterSets != oldValue.parameterSets else { return }
            for encoding in encodings { encoding.state(incoming.parameterSets) }
        }
    }
    /// Whether the publisher sends again what is lost. At hand, since each tick asks for it.
    private(set) var repairsLoss: Bool
    let codec: MediaCodec
    /// As in `incoming`: one, or the layers of a simulcast.
    let encodings: [SourceEncoding]
    var key: TrackKey { TrackKey(id, of: publisher) }
    var subscriptions: [PeerID: Subscription] = [:]
    var speaker = SpeakerDetector()
    /// Somebody wishes another form of it, for which no key frame has been asked for yet. It may be
    /// the one that is being forwarded, so it is left to the next tick.
    var hasNewWishes = false
    private(set) var ladder: QualityLadder
    private(set) var lastPacket: Instant?
    /// Pictures that have come to their end, over all encodings.
    private(set) var pictures = 0
    var isFlowing = false
    var budget: TrackBudget

    init(
        id: TrackID, publisher: PeerID, incoming: IncomingTrack, codec: MediaCodec,
        from source: Connection? = nil, statedBitsPerSecond: Int? = nil, at now: Instant = .zero
    ) {
        self.source = source
        budget = TrackBudget(isVideo: codec.isVideo, stated: statedBitsPerSecond, at: now)
        self.id = id
        self.publisher = publisher
        self.incoming = incoming
        repairsLoss = Self.isRepaired(incoming)
        self.codec = codec
        encodings = incoming.encodings.map { SourceEncoding(rid: $0.rid, isVideo: codec.isVideo) }
        for encoding in encodings { encoding.state(incoming.parameterSets) }
        ladder = QualityLadder(of: encodings, picture: 0, at: .zero)
    }

    /// Whether what is announced under its id is the same as before, and not another track, as one
    /// of another kind or codec is to whoever receives it.
    func isContinued(by incoming: IncomingTrack) -> Bool {
        MediaCodec(rtpName: incoming.codec.name) == codec
            && incoming.encodings.map(\.rid) == encodings.map(\.rid)
    }

    /// Over RTX, or as it was, where the publisher takes NACKs without RTX. Browsers do that for
    /// sound where their page has them offer so.
    private static func isRepaired(_ track: IncomingTrack) -> Bool {
        track.rtxPayloadType != nil || track.codec.feedback.contains("nack")
    }

    /// Gives whether the forms in which the track can be had are others than before.
    func received(
        _ packet: RTPPacket, encoding: Int, summary: PayloadSummary, at now: Instant
    ) -> Bool {
        lastPacket = now
        if packet.marker { pictures += 1 }
        return encodings[encoding].received(
            packet, summary: summary, repairs: repairsLoss, picture: pictures, at: now)
    }

    func refreshLadder(at now: Instant) {
        ladder = QualityLadder(of: encodings, picture: pictures, at: now)
    }

    /// Whether the publisher has switched a layer off or on since the ladder was made.
    func hasSwitchedLayers(at now: Instant) -> Bool {
        encodings.count > 1
            && ladder.rungs.contains { rung in
                encodings[rung.choice.encoding].isLive(picture: pictures, at: now) != rung.isLive
            }
    }

    /// Bits per second of an audio track.
    func audioBitsPerSecond(at now: Instant) -> Int {
        encodings[0].bitsPerSecond(upTo: 0, at: now)
    }
}

/// One track on its way to one subscriber.
final class Subscription {
    let stream: OutboundStream
    let connection: Connection
    /// What the subscriber calls the track.
    let track: TrackID
    var forwarder: LayerForwarder
    /// The best that the subscriber wishes to get.
    var preference: LayerPreference
    /// Key frames that the subscriber may ask for: each costs the publisher, and all who receive it.
    var keyframes: TokenBucket
    private var extensionIDs: ExtensionIDs?
    /// Beginnings of the stream that were followed by a report.
    var reportedBeginning = 0
    /// The name of the form that was chosen, and whether the way allows no better one.
    var name = LayerPreference.none
    var isLimited = false
    /// What the subscriber was last told of it.
    var told: TrackLayers?

    /// One a second, after the first few.
    static let keyframesPerSecond = 1
    static let keyframesBurst = 3

    init(
        stream: OutboundStream, connection: Connection, track: ForwardedTrack,
        as id: TrackID, preference: LayerPreference, at now: Instant
    ) {
        keyframes = TokenBucket(
            rate: Self.keyframesPerSecond, burst: Self.keyframesBurst, at: now)
        self.stream = stream
        self.connection = connection
        self.track = id
        self.preference = preference
        let isAtOnce = !track.codec.isVideo && preference != .none
        forwarder = LayerForwarder(
            clockRate: track.codec.clockRate, isVideo: track.codec.isVideo,
            wanted: isAtOnce ? LayerChoice(encoding: 0) : nil)
    }

    /// Looked up for the first packet.
    func extensionIDs(from publisher: PeerConnection) -> ExtensionIDs {
        if let extensionIDs { return extensionIDs }
        let ids = ExtensionIDs(from: publisher, to: connection.core)
        extensionIDs = ids
        return ids
    }
}
