/// What a member sends, as it says in its session.
struct SentSource: Hashable {
    struct Layer: Hashable {
        let ssrc: UInt32
        /// The stream that repeats lost packets. RFC 4588.
        let repairSSRC: UInt32?
    }

    let name: SourceName
    let isScreen: Bool
    /// Those of a video that is sent in several sizes; one for everything else.
    let layers: [Layer]

    /// All its streams.
    var ssrcs: [UInt32] { layers.flatMap { [$0.ssrc] + ($0.repairSSRC.map { [$0] } ?? []) } }
}

/// A source as a member is told of it: in one stream, whatever layers its owner sends.
struct ToldSource: Hashable {
    let source: ConferenceSource

    /// The words of the source's `msid`: a stream and a track. Another stream is another track.
    var msid: String {
        let name = source.name
        let stream = "\(name.owner)-\(name.isVideo ? "video" : "audio")-\(name.number)"
        return "\(stream) \(name)-\(source.ssrc)"
    }

    var streams: [UInt32] { [source.ssrc] + (source.repairSSRC.map { [$0] } ?? []) }
}
