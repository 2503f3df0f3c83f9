public import PeerConnection
public import RTP

/// What a receiver may ask of those who send its tracks. Confined to the media loop.
public protocol MediaReception: AnyObject {
    func requestKeyframe(of track: IncomingTrack)
    func requestRetransmission(of lost: [SequenceNumber], track: IncomingTrack)
    /// Ids of the header extensions on the track's packets, by URI.
    func extensions(of track: IncomingTrack) -> [String: UInt8]
}
