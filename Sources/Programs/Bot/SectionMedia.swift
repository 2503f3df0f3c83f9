import MediaKernel
import PeerConnection
import Pipeline
import RTP
import SDP

/// The media of a section of the server's description. Sections are reused: for another track, and
/// for the same track with another codec, which is a new one to receiver and decoder too.
struct SectionMedia: Hashable {
    var track: TrackID
    var codec: SourceCodec

    /// The sections of `known` whose media has ended when `next` is announced.
    static func ended(in known: [String: Self], by next: [String: Self]) -> [String] {
        known.keys.filter { next[$0] != known[$0] }
    }
}

extension SectionMedia {
    /// Nil for a codec that cannot be decoded here.
    init?(_ incoming: IncomingTrack) {
        guard let codec = MediaCodec(rtpName: incoming.codec.name),
            let source = SourceCodec(rawValue: codec.rawValue)
        else { return nil }
        self.init(track: TrackID(incoming.trackID), codec: source)
    }
}
