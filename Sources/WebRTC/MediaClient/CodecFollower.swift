import MediaKernel
import PeerConnection
import RTP
import SDP

/// Finds the codec of a track's packets: a server that agrees to several sends any of them, without
/// saying so before.
struct CodecFollower {
    /// What a packet says of its track.
    enum Decision: Hashable {
        /// The track is in the packet's codec.
        case keep
        /// From now on it is in this one.
        case change(CodecDescription)
        /// Nobody can use the packet.
        case drop
    }

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

    mutating func decide(
        on packet: IncomingPacket, of track: IncomingTrack, at now: Instant
    ) -> Decision {
        // A retransmission has no payload type of its own.
        let isAgreed =
            packet.isRetransmission
            || packet.packet.payloadType.rawValue == track.codec.payloadType
        guard !isAgreed, let codecs else { return .keep }
        guard let codec = codecs.codec(of: packet.packet.payloadType, in: packet.mid),
            changes[packet.mid].map({ now - $0 >= Self.changeInterval }) ?? true
        else { return .drop }
        changes[packet.mid] = now
        return .change(codec)
    }

    /// The track of a packet, which is in the packet's codec from now on; nil if nobody can use it.
    ///
    /// - Parameters:
    ///   - tracks: by the mids of packets.
    ///   - batch: is told whether that is another codec than before.
    mutating func track(
        of packet: IncomingPacket, in tracks: inout [String: IncomingTrack],
        telling batch: inout MediaBatch, at now: Instant
    ) -> IncomingTrack? {
        guard var track = tracks[packet.mid] else { return nil }
        switch decide(on: packet, of: track, at: now) {
        case .keep: break
        case .change(let codec):
            track.change(to: codec)
            tracks[packet.mid] = track
            batch.trackChanged()
        case .drop: return nil
        }
        return track
    }

    /// A track as the newest description has it, in the codec in which it was: it is sent on like
    /// that, whichever codec is listed first, unless that payload type means another codec now.
    func renewed(_ track: IncomingTrack, known: IncomingTrack?) -> IncomingTrack {
        guard let known, known.trackID == track.trackID,
            known.codec.payloadType != track.codec.payloadType,
            let described = codecs?.codec(
                of: PayloadType(known.codec.payloadType), in: track.mid),
            described.isNamed(known.codec.name), described.clockRate == known.codec.clockRate
        else { return track }
        var renewed = track
        renewed.codec = known.codec
        renewed.parameterSets = known.parameterSets
        return renewed
    }
}

extension IncomingTrack {
    mutating func change(to codec: CodecDescription) {
        self.codec = codec
        parameterSets = nil
    }
}
