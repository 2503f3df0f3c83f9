/// `a=msid:<stream> <track>`: the stream and track that the section's media belongs to. RFC 8830.
public struct MediaStreamIdentifier: Hashable, Sendable {
    /// `-` means a track without a stream.
    public var stream: String
    /// Empty when the writer named only the stream.
    public var track: String

    public init(stream: String, track: String) {
        self.stream = stream
        self.track = track
    }

    init?(_ text: Substring) {
        let words = text.words
        guard let stream = words.first, words.count <= 2 else { return nil }
        self.init(stream: String(stream), track: words.count == 2 ? String(words[1]) : "")
    }

    var rendered: String { track.isEmpty ? stream : "\(stream) \(track)" }
}

/// The `a=ssrc:` lines of one synchronisation source together. RFC 5576.
public struct MediaSource: Hashable, Sendable {
    public var ssrc: UInt32
    public var cname: String?
    public var msid: MediaStreamIdentifier?
    /// Other attributes of the source (`mslabel`, `label`, …).
    public var attributes: [SDPAttribute]

    public init(
        ssrc: UInt32, cname: String? = nil, msid: MediaStreamIdentifier? = nil,
        attributes: [SDPAttribute] = []
    ) {
        self.ssrc = ssrc
        self.cname = cname
        self.msid = msid
        self.attributes = attributes
    }
}

/// `a=ssrc-group:<semantics> <ssrc> …`: `FID` ties media to its retransmissions, `SIM` the layers
/// of one track. RFC 5576 sect. 4.2.
public struct SourceGroup: Hashable, Sendable {
    public var semantics: String
    public var ssrcs: [UInt32]

    public init(semantics: String, ssrcs: [UInt32]) {
        self.semantics = semantics
        self.ssrcs = ssrcs
    }
}
