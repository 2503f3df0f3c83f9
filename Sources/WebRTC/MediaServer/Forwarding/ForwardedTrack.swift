import MediaKernel
import PeerConnection
import RTP
import SDP

/// One published track and its subscriptions.
final class ForwardedTrack {
    /// The publisher's id of the track.
    let id: TrackID
    let publisher: PeerID
    /// The connection that carries the track. It is closed only after the track is gone.
    unowned var source: Connection?
    /// The section of that connection that carries the track.
    var section: SectionIndex?
    var incoming: IncomingTrack {
        didSet {
            repairsLoss = Self.isRepaired(incoming)
            guard incoming.parameterSets != oldValue.parameterSets else { return }
            for encoding in encodings { encoding.state(incoming.parameterSets) }
        }
    }
    /// Whether the publisher retransmits lost packets. Cached because each tick needs it.
    private(set) var repairsLoss: Bool
    let codec: MediaCodec
    /// As in `incoming`: one, or the layers of a simulcast.
    let encodings: [SourceEncoding]
    var key: TrackKey { TrackKey(id, of: publisher) }
    var subscriptions: [PeerID: Subscription] = [:]
    var speaker = SpeakerDetector()
    /// A subscriber wishes another layer, and no key frame has been requested yet. That waits for
    /// the next tick, since this track may be in the middle of being forwarded.
    var hasNewWishes = false
    private(set) var ladder: QualityLadder
    private(set) var lastPacket: Instant?
    /// Completed pictures over all encodings.
    private(set) var pictures = 0
    var isFlowing = false
    var budget: TrackBudget
    /// Key frames have had sizes that the ladder does not have yet.
    var hasNewSizes = false
    private var sizeChanges = TokenBucket(
        rate: sizeChangesPerSecond, burst: sizeChangesBurst, at: .zero)

    /// How often new sizes change the ladder, per second in the long run, and in a burst: for each
    /// change, the layers of every subscriber are chosen anew, and it is told.
    static let sizeChangesPerSecond = 5
    static let sizeChangesBurst = 10

    init(
        id: TrackID, publisher: PeerID, incoming: IncomingTrack, codec: MediaCodec,
        from source: Connection? = nil, layerNames: LayerNames = .none,
        statedBitsPerSecond: Int? = nil, at now: Instant = .zero
    ) {
        self.source = source
        budget = TrackBudget(isVideo: codec.isVideo, stated: statedBitsPerSecond, at: now)
        self.id = id
        self.publisher = publisher
        self.incoming = incoming
        repairsLoss = Self.isRepaired(incoming)
        self.codec = codec
        encodings = incoming.encodings.map {
            SourceEncoding(
                rid: $0.rid, name: layerNames.name(ofRID: $0.rid), isVideo: codec.isVideo)
        }
        for encoding in encodings { encoding.state(incoming.parameterSets) }
        ladder = QualityLadder(of: encodings, picture: 0, at: .zero)
    }

    /// Whether the track announced under this id is the same as before. Another kind or codec makes
    /// it a different track to its receivers.
    func isContinued(by incoming: IncomingTrack) -> Bool {
        MediaCodec(rtpName: incoming.codec.name) == codec
            && incoming.encodings.map(\.rid) == encodings.map(\.rid)
    }

    /// Repair uses RTX, or plain retransmission if the publisher accepts NACKs without RTX.
    /// Browsers accept those for audio if their page makes them offer it.
    private static func isRepaired(_ track: IncomingTrack) -> Bool {
        track.rtxPayloadType != nil || track.codec.feedback.contains("nack")
    }

    /// Returns whether the layers of the track have changed.
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

    /// Returns whether to make the ladder anew now, for new sizes.
    func takesNewSizes(at now: Instant) -> Bool {
        guard hasNewSizes, sizeChanges.take(at: now) else { return false }
        hasNewSizes = false
        return true
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

/// One track forwarded to one subscriber.
final class Subscription {
    let stream: OutboundStream
    let connection: Connection
    /// The subscriber's id of the track.
    let track: TrackID
    var forwarder: LayerForwarder
    /// The best layer that the subscriber wishes to receive.
    var preference: LayerPreference
    /// Limits the subscriber's key frame requests: a key frame costs the publisher and all
    /// receivers.
    var keyframes: TokenBucket
    private var extensionIDs: ExtensionIDs?
    /// The last beginning of the stream that was followed by a sender report.
    var reportedBeginning = 0
    /// The name of the chosen layer, and whether bandwidth allows no better one.
    var name = LayerPreference.none
    var isLimited = false
    /// The layers last reported to the subscriber.
    var told: TrackLayers?

    /// One request a second, after the first few.
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

    /// Looked up at the first packet.
    func extensionIDs(from publisher: PeerConnection) -> ExtensionIDs {
        if let extensionIDs { return extensionIDs }
        let ids = ExtensionIDs(from: publisher, to: connection.core)
        extensionIDs = ids
        return ids
    }
}
