import MediaKernel
import PeerConnection
import RTP

/// One published track and who receives it.
final class ForwardedTrack {
    let id: TrackID
    let publisher: PeerID
    var incoming: IncomingTrack
    let codec: MediaCodec
    var subscriptions: [PeerID: Subscription] = [:]
    var keyframes = KeyframeRequests()
    var speaker = SpeakerDetector()
    /// What we ask the publisher to send again; only where the negotiation allows it.
    var nacks = NACKGenerator()
    /// The last tie of the publisher's wall clock to the track's RTP clock.
    var senderReport: (ssrc: SSRC, ntp: NTPTime, rtpTimestamp: UInt32)?
    var newestSSRC: SSRC?
    var lastPacket: Instant?
    var isFlowing = false

    init(id: TrackID, publisher: PeerID, incoming: IncomingTrack, codec: MediaCodec) {
        self.id = id
        self.publisher = publisher
        self.incoming = incoming
        self.codec = codec
    }

    var repairsLoss: Bool { codec.isVideo && incoming.rtxPayloadType != nil }
}

/// One track on its way to one subscriber.
final class Subscription {
    let mid: String
    unowned let connection: Connection
    var rewriter: SequenceRewriter
    /// Video starts with a key frame: what comes before cannot be decoded.
    var awaitsKeyframe: Bool
    /// Publisher's extension ids to this subscriber's. Nil until first needed.
    var extensionIDs: [UInt8: UInt8]?
    var hasReport = false

    init(mid: String, connection: Connection, codec: MediaCodec) {
        self.mid = mid
        self.connection = connection
        rewriter = SequenceRewriter(clockRate: codec.clockRate)
        awaitsKeyframe = codec.isVideo
    }
}
