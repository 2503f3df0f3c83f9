public import MediaKernel
public import PeerConnection

/// Handles a client's media. Every call is on the media loop, so an observer needs no locks and
/// must not block.
public protocol ClientMediaObserver: AnyObject {
    /// For an observer that sends: called once, before anything but `receives`. The media outlives
    /// the observer's use of it.
    func start(_ media: ClientMedia)
    /// For an observer that receives: called once, before anything else. The reception outlives the
    /// observer's use of it.
    func receives(from reception: any MediaReception)
    /// One packet of a received track.
    func received(_ packet: IncomingPacket, of track: IncomingTrack, at now: Instant)
    /// One picture of a track that does not come over the connection.
    func received(_ picture: RawPicture, of track: TrackID, at now: Instant)
    func senderReport(
        of track: IncomingTrack, ntp: NTPTime, rtpTimestamp: UInt32, at now: Instant)
    /// The tracks that the server's newest description announces.
    func incomingTracksChanged(_ tracks: [IncomingTrack], at now: Instant)
    /// The server requests a key frame for a layer of a track that we send.
    func keyframeRequested(trackID: String, encoding: Int, at now: Instant)
    func stateChanged(
        _ direction: ConnectionDirection, _ state: PeerConnectionState, at now: Instant)
    /// Called every 10 ms, or at the configured interval.
    func tick(at now: Instant)
}

extension ClientMediaObserver {
    public func start(_ media: ClientMedia) {}
    public func receives(from reception: any MediaReception) {}
    public func received(_ picture: RawPicture, of track: TrackID, at now: Instant) {}
}
