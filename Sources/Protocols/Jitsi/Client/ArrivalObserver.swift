internal import MediaClient
internal import MediaKernel
internal import PeerConnection
internal import Synchronization

/// Whether media have arrived since somebody last asked.
final class MediaArrivals: Sendable {
    private let hasArrived = Atomic(false)

    func note() {
        // Most packets find it noted, which costs the loop less than a write.
        if !hasArrived.load(ordering: .relaxed) { hasArrived.store(true, ordering: .relaxed) }
    }

    func taken() -> Bool { hasArrived.exchange(false, ordering: .relaxed) }
}

/// Notes that media arrive, and passes them on.
final class ArrivalObserver: ClientMediaObserver {
    private let next: any ClientMediaObserver
    private let arrivals: MediaArrivals

    init(_ next: any ClientMediaObserver, _ arrivals: MediaArrivals) {
        self.next = next
        self.arrivals = arrivals
    }

    func start(_ media: ClientMedia) { next.start(media) }

    func receives(from reception: any MediaReception) { next.receives(from: reception) }

    func received(_ packet: IncomingPacket, of track: IncomingTrack, at now: Instant) {
        arrivals.note()
        next.received(packet, of: track, at: now)
    }

    func senderReport(
        of track: IncomingTrack, ntp: NTPTime, rtpTimestamp: UInt32, at now: Instant
    ) {
        next.senderReport(of: track, ntp: ntp, rtpTimestamp: rtpTimestamp, at: now)
    }

    func incomingTracksChanged(_ tracks: [IncomingTrack], at now: Instant) {
        next.incomingTracksChanged(tracks, at: now)
    }

    func keyframeRequested(trackID: String, encoding: Int, at now: Instant) {
        next.keyframeRequested(trackID: trackID, encoding: encoding, at: now)
    }

    func stateChanged(
        _ direction: ConnectionDirection, _ state: PeerConnectionState, at now: Instant
    ) {
        next.stateChanged(direction, state, at: now)
    }

    func tick(at now: Instant) { next.tick(at: now) }
}
