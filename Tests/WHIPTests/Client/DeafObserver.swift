import MediaClient
import MediaKernel
import PeerConnection

/// Accepts no media.
final class DeafObserver: ClientMediaObserver {
    func start(_ media: ClientMedia) {}
    func received(_ packet: IncomingPacket, of track: IncomingTrack, at now: Instant) {}
    func senderReport(
        of track: IncomingTrack, ntp: NTPTime, rtpTimestamp: UInt32, at now: Instant
    ) {}
    func incomingTracksChanged(_ tracks: [IncomingTrack], at now: Instant) {}
    func keyframeRequested(trackID: String, encoding: Int, at now: Instant) {}
    func stateChanged(
        _ direction: ConnectionDirection, _ state: PeerConnectionState, at now: Instant
    ) {}
    func tick(at now: Instant) {}
}
