import MediaKernel
import PeerConnection
import Pipeline
import RTP
import SDP

/// What a section of the server's description carries. Sections are used again: for another track,
/// and for the same track with another codec, which is as much another one to receiver and decoder.
struct SectionMedia: Hashable {
    var track: TrackID
    var codec: SourceCodec

    /// The sections of `known` whose media has ended when `next` is announced.
    static func ended(in known: [String: Self], by next: [String: Self]) -> [String] {
        known.keys.filter { next[$0] != known[$0] }
    }
}

extension SectionMedia {
    /// Nil for a codec that nothing here can decode.
    init?(_ incoming: IncomingTrack) {
        guard let codec = MediaCodec(rtpName: incoming.codec.name),
            let source = SourceCodec(rawValue: codec.rawValue)
        else { return nil }
        self.init(track: TrackID(incoming.trackID), codec: source)
    }
}
