import MediaKernel
import PeerConnection
import RTP
import SDP

/// The connection that carries one stream: at most one track of each kind.
final class StreamConnection {
    let id: StreamConnectionID
    let core: PeerConnection
    /// The ids of its tracks.
    let tracks: [MediaSection.Kind: TrackID]
    /// The index of its socket.
    var port = 0
    /// The tracks that arrive, by the section that packets name. Their own mids are unique among
    /// all connections.
    private(set) var incoming: [String: IncomingTrack] = [:]
    private var codecs = CodecFollower()

    init(
        id: StreamConnectionID, core: PeerConnection, tracks: [MediaSection.Kind: TrackID]
    ) {
        self.id = id
        self.core = core
        self.tracks = tracks
    }

    /// Reads the tracks of the newest description: the first of each kind, by our ids.
    ///
    /// - Parameter description: the server's.
    func readIncomingTracks(of description: SessionDescription) {
        codecs.follow(description)
        incoming = [:]
        var kinds: Set<MediaSection.Kind> = []
        for track in core.incomingTracks where track.isSending {
            guard let name = tracks[track.kind], kinds.insert(track.kind).inserted else { continue }
            var named = track
            named.mid = "\(id)/\(track.mid)"
            named.trackID = name.rawValue
            incoming[track.mid] = named
        }
    }

    /// The track of a packet, which is in the packet's codec from now on; nil if nobody can use it.
    ///
    /// - Parameter batch: is told whether that is another codec than before.
    func track(
        of packet: IncomingPacket, in batch: inout MediaBatch, at now: Instant
    ) -> IncomingTrack? {
        codecs.track(of: packet, in: &incoming, telling: &batch, at: now)
    }

    /// The section of one of the incoming tracks.
    func section(of track: IncomingTrack) -> SectionIndex? {
        incoming.first { $0.value.mid == track.mid }.flatMap { core.section(mid: $0.key) }
    }
}
