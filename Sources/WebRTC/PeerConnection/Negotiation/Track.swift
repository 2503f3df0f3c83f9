public import RTP
public import SDP

/// One audio or video that we send over a connection: what our offer says of it.
public struct OutgoingTrack: Hashable, Sendable {
    /// First token of the SDP `msid`.
    public var streamID: String
    /// Second token of the SDP `msid`.
    public var trackID: String
    public var kind: MediaSection.Kind
    /// What is offered, in order of preference. A forwarder offers exactly what its source sends.
    public var codecs: [CodecDescription]
    /// The header extensions that this track's packets may carry, by URI.
    public var headerExtensions: [String]
    /// Whether what is lost of it can be asked for and is sent again, over RTX (RFC 4588).
    public var isRepaired: Bool
    /// The names of its simulcast layers, RFC 8851; empty for a track that is sent in one form.
    public var rids: [String]

    /// The most layers of one track; browsers send three.
    public static let layersMaximum = 8

    public init(
        streamID: String, trackID: String, kind: MediaSection.Kind, codecs: [CodecDescription],
        headerExtensions: [String], isRepaired: Bool, rids: [String] = []
    ) {
        precondition(rids.count <= Self.layersMaximum, "a track has at most eight layers")
        self.streamID = streamID
        self.trackID = trackID
        self.kind = kind
        self.codecs = codecs
        self.headerExtensions = headerExtensions
        self.isRepaired = isRepaired
        self.rids = rids
    }
}

/// One audio or video that the remote side announced in its description.
public struct IncomingTrack: Hashable, Sendable {
    /// The section it came with; stable for the life of the track.
    public var mid: String
    public var streamID: String
    public var trackID: String
    public var kind: MediaSection.Kind
    /// What was agreed upon, with the payload type of the wire.
    public var codec: CodecDescription
    public var rtxPayloadType: UInt8?
    /// Whether the remote side says it sends now.
    public var isSending: Bool
    /// H.264: the parameter sets that the description states. RFC 6184 sect. 8.1.
    public var parameterSets: H264SetMemory?
    /// One for each simulcast layer, in the order in which the remote side lists them; exactly
    /// one for a track without simulcast.
    public var encodings: [IncomingEncoding] = [IncomingEncoding()]

    /// The announced SSRC of the first encoding.
    public var ssrc: SSRC? { encodings.first?.ssrc }
    public var rtxSSRC: SSRC? { encodings.first?.rtxSSRC }
}

/// One form in which the remote side sends a track: the only one, or a layer of its simulcast.
public struct IncomingEncoding: Hashable, Sendable {
    /// The layer's name where layers are told apart by name. RFC 8852.
    public var rid: String?
    /// As announced; nil where the remote side names no SSRC and the first packet tells.
    public var ssrc: SSRC?
    public var rtxSSRC: SSRC?

    public init(rid: String? = nil, ssrc: SSRC? = nil, rtxSSRC: SSRC? = nil) {
        self.rid = rid
        self.ssrc = ssrc
        self.rtxSSRC = rtxSSRC
    }
}

/// One RTP packet of an incoming track, decrypted, with a retransmission already unwrapped.
public struct IncomingPacket: Sendable {
    public var mid: String
    /// The place of the section of that mid, to find the track by.
    public var section: SectionIndex
    /// Which of the track's encodings it is of.
    public var encoding: Int
    public var packet: RTPPacket
    /// It came by RTX, so it may be late or a repeat.
    public var isRetransmission: Bool
}
