import MediaKernel
import PeerConnection
import RTP

/// Media on its way to an observer. Once a track is in another codec, packets wait until the
/// observer knows: it is told once for all that has arrived together, since each telling costs as
/// much as there are tracks.
struct MediaBatch {
    struct Entry {
        let packet: IncomingPacket
        let track: IncomingTrack
        let arrival: Instant
    }

    private var entries: [Entry] = []
    private(set) var hasChanges = false

    mutating func trackChanged() { hasChanges = true }

    /// - Returns: false if the packet need not wait.
    mutating func holds(
        _ packet: IncomingPacket, of track: IncomingTrack, at now: Instant
    ) -> Bool {
        guard hasChanges else { return false }
        entries.append(Entry(packet: packet, track: track, arrival: now))
        return true
    }

    /// The packets that waited, in their order. Tell of the changes first.
    mutating func takeAll() -> [Entry] {
        defer { (entries, hasChanges) = ([], false) }
        return entries
    }
}
