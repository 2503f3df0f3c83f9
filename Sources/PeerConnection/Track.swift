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

    public init(
        streamID: String, trackID: String, kind: MediaSection.Kind, codecs: [CodecDescription],
        headerExtensions: [String]
    ) {
        self.streamID = streamID
        self.trackID = trackID
        self.kind = kind
        self.codecs = codecs
        self.headerExtensions = headerExtensions
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
    /// As announced; nil where the remote side names no SSRC and the first packet tells.
    public var ssrc: SSRC?
    public var rtxSSRC: SSRC?
}

/// One RTP packet of an incoming track, decrypted, with a retransmission already unwrapped.
public struct IncomingPacket: Sendable {
    public var mid: String
    public var packet: RTPPacket
    /// It came by RTX, so it may be late or a repeat.
    public var isRetransmission: Bool
}
