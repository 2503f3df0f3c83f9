import MediaKernel
import PeerConnection
import RTP
import SDP

/// Finds the codec of a track's packets: a server that agrees to several sends any of them, without
/// saying so before.
struct CodecFollower {
    /// Each change costs a decoder.
    static let changeInterval: Duration = .seconds(1)

    /// Nil where tracks stay in their codecs.
    private var codecs: DescribedCodecs?
    private var changes: [String: Instant] = [:]

    init() {}

    /// - Parameter description: the server's newest.
    mutating func follow(_ description: SessionDescription?) {
        codecs = description.map { DescribedCodecs($0) }
        let mids = Set(description?.media.compactMap(\.mid) ?? [])
        changes = changes.filter { mids.contains($0.key) }
    }

    /// The track of a packet, which is in the packet's codec from now on; nil if nobody can use it.
    mutating func track(
        _ track: IncomingTrack, of packet: IncomingPacket, at now: Instant
    ) -> (IncomingTrack, isChanged: Bool)? {
        // A retransmission has no payload type of its own.
        let isAgreed =
            packet.isRetransmission
            || packet.packet.payloadType.rawValue == track.codec.payloadType
        guard !isAgreed, let codecs else { return (track, false) }
        guard let codec = codecs.codec(of: packet.packet.payloadType, in: packet.mid),
            changes[packet.mid].map({ now - $0 >= Self.changeInterval }) ?? true
        else { return nil }
        changes[packet.mid] = now
        var changed = track
        changed.codec = codec
        changed.parameterSets = nil
        return (changed, true)
    }
}
