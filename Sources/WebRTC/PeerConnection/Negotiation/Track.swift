public import RTP
public import SDP

/// One audio or video track that we send over a connection, as described in our offer.
public struct OutgoingTrack: Hashable, Sendable {
    /// First token of the SDP `msid`.
    public var streamID: String
    /// Second token of the SDP `msid`.
    public var trackID: String
    public var kind: MediaSection.Kind
    /// In order of preference. A forwarder offers exactly what its source sends.
    public var codecs: [CodecDescription]
    /// The header extensions that this track's packets may carry, by URI.
    public var headerExtensions: [String]
    /// Whether lost packets are retransmitted on request, over RTX (RFC 4588).
    public var isRepaired: Bool
    /// The rids of its simulcast layers, RFC 8851; empty without simulcast.
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

/// One audio or video track that the remote side announced in its description.
public struct IncomingTrack: Hashable, Sendable {
    /// The section that carries it; stable for the life of the track.
    public var mid: String
    public var streamID: String
    public var trackID: String
    public var kind: MediaSection.Kind
    /// The negotiated codec, with the payload type on the wire.
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

/// One encoding of a track that the remote side sends: the only one, or a simulcast layer.
public struct IncomingEncoding: Hashable, Sendable {
    /// The layer's rid, if layers are identified by rid. RFC 8852.
    public var rid: String?
    /// The announced SSRC; nil if the remote side announces none and the first packet reveals it.
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
    /// The index of the section, to find the track by.
    public var section: SectionIndex
    /// The index of the encoding in the track.
    public var encoding: Int
    public var packet: RTPPacket
    /// The packet came by RTX, so it may be late or a duplicate.
    public var isRetransmission: Bool
}
