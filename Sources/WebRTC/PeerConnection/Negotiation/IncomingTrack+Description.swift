import RTP
import SDP

extension IncomingTrack {
    /// Longer stream ids are ignored, since every receiver is told them. Browsers write 36 bytes.
    static let streamIDBytes = 128

    /// The track that a remote section describes.
    init(of remote: MediaSection, mid: String, agreed: NegotiatedCodec) {
        let msid = remote.rtp.msids.first ?? remote.rtp.sources.lazy.compactMap(\.msid).first
        self.init(
            mid: mid,
            streamID: msid.map { $0.stream.utf8.count > Self.streamIDBytes ? "-" : $0.stream }
                ?? "-",
            trackID: msid.map { $0.track.isEmpty ? $0.stream : $0.track } ?? mid, kind: remote.kind,
            codec: agreed.codec, rtxPayloadType: agreed.rtxPayloadType,
            isSending: remote.direction.sends,
            parameterSets: remote.rtp.codecs.first { $0.payloadType == agreed.codec.payloadType }
                .flatMap { $0.parameters["sprop-parameter-sets"] }
                .flatMap(H264SetMemory.init(stated:)),
            encodings: Self.encodings(of: remote))
    }

    /// The layers of a section: by rid (RFC 8853), by `SIM` group as in older browsers, or a single
    /// one.
    fileprivate static func encodings(of remote: MediaSection) -> [IncomingEncoding] {
        let sending = Set(remote.rtp.rids.filter { $0.direction == .send }.map(\.id))
        let rids = (remote.rtp.simulcast?.sendRIDs ?? []).filter(sending.contains)
        // Some senders list SSRCs as well as rids, but do not say which layer an SSRC belongs to.
        if !rids.isEmpty {
            return rids.prefix(OutgoingTrack.layersMaximum).map { IncomingEncoding(rid: $0) }
        }
        let pairs = remote.rtp.sourceGroups.filter { $0.semantics == "FID" && $0.ssrcs.count == 2 }
        func encoding(_ ssrc: UInt32) -> IncomingEncoding {
            let repair = pairs.first { $0.ssrcs[0] == ssrc }?.ssrcs[1]
            return IncomingEncoding(ssrc: SSRC(ssrc), rtxSSRC: repair.map { SSRC($0) })
        }
        // An empty group describes no track: a track has at least one encoding.
        let layers = remote.rtp.sourceGroups.first { $0.semantics == "SIM" && !$0.ssrcs.isEmpty }
        if let layers {
            return layers.ssrcs.prefix(OutgoingTrack.layersMaximum).map(encoding)
        }
        if let pair = pairs.first { return [encoding(pair.ssrcs[0])] }
        if remote.rtp.sources.count == 1 { return [encoding(remote.rtp.sources[0].ssrc)] }
        return [IncomingEncoding()]
    }
}
