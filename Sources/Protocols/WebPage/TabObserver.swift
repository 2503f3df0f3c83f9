import MediaClient
import MediaKernel
import PeerConnection
import SDP

/// Passes a captured tab's media on, its sound at the time at which it is heard.
///
/// The browser captures a tab's sound when it is mixed, before the delay of the output device that a
/// page's script and its videos allow for, and a tab's picture when the compositor has it. So the
/// sound's sender reports are early.
final class TabObserver: ClientMediaObserver {
    /// The mean over 13 starts of Debian's Chromium with a page that draws a flash when its beep is
    /// heard: from 37 ms early to 9 ms late (`test_custom_view_sync.py`).
    static let soundLead: UInt32 = 16_000_000  // ns

    private let observer: any ClientMediaObserver

    init(_ observer: any ClientMediaObserver) { self.observer = observer }

    func senderReport(
        of track: IncomingTrack, ntp: NTPTime, rtpTimestamp: UInt32, at now: Instant
    ) {
        let isSound = track.kind != .video
        observer.senderReport(
            of: track, ntp: isSound ? ntp.advanced(byNanoseconds: Self.soundLead) : ntp,
            rtpTimestamp: rtpTimestamp, at: now)
    }

    func start(_ media: ClientMedia) { observer.start(media) }

    func receives(from reception: any MediaReception) { observer.receives(from: reception) }

    func received(_ packet: IncomingPacket, of track: IncomingTrack, at now: Instant) {
        observer.received(packet, of: track, at: now)
    }

    func received(_ picture: RawPicture, of track: TrackID, at now: Instant) {
        observer.received(picture, of: track, at: now)
    }

    func incomingTracksChanged(_ tracks: [IncomingTrack], at now: Instant) {
        observer.incomingTracksChanged(tracks, at: now)
    }

    func keyframeRequested(trackID: String, encoding: Int, at now: Instant) {
        observer.keyframeRequested(trackID: trackID, encoding: encoding, at: now)
    }

    func stateChanged(
        _ direction: ConnectionDirection, _ state: PeerConnectionState, at now: Instant
    ) {
        observer.stateChanged(direction, state, at: now)
    }

    func tick(at now: Instant) { observer.tick(at: now) }
}
