public import MediaKernel
public import PeerConnection

/// What a role does with its media. Every call comes on the media loop, so an observer needs no
/// lock, and must not block.
public protocol ClientMediaObserver: AnyObject {
    /// Called once, before anything else. The media outlives the observer's use of it.
    func start(_ media: ClientMedia)
    /// One packet of a track that the server sends us.
    func received(_ packet: IncomingPacket, of track: IncomingTrack, at now: Instant)
    func senderReport(
        of track: IncomingTrack, ntp: NTPTime, rtpTimestamp: UInt32, at now: Instant)
    /// The tracks that the server's newest description announces.
    func incomingTracksChanged(_ tracks: [IncomingTrack], at now: Instant)
    /// The server wants a key frame of a track that we send, of one of its layers.
    func keyframeRequested(trackID: String, encoding: Int, at now: Instant)
    func stateChanged(
        _ direction: ConnectionDirection, _ state: PeerConnectionState, at now: Instant)
    /// Every 10 ms, or at the interval that was asked for.
    func tick(at now: Instant)
}
