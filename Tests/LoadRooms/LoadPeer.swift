import Clocks
import MediaClient
import MediaKernel
import PeerConnection
import RTP
import SDP

/// The media of one peer: sends according to `Load`, and measures the received packets. Confined to
/// the one event loop of all peers.
final class LoadPeer: ClientMediaObserver {
    private let measurement: Measurement
    private var sources: [Source]
    private var media: ClientMedia?
    private var states: [ConnectionDirection: PeerConnectionState] = [:]
    private var nextReport = Instant.zero
    /// The last packet of each received track, by its section; without a source if it was silence.
    private var last: [String: (source: UInt32?, number: SequenceNumber)] = [:]
    /// Tracks that the server has offered.
    private var offered = 0
    private let heardFirst: @Sendable (Instant) -> Void

    /// The approximate interval of RFC 3550's reports, and of requested key frames.
    private static let reportInterval: Duration = .seconds(2)

    /// - Parameter heardFirst: called with the first packet from another peer.
    init(
        sources: [Source], measurement: Measurement,
        heardFirst: @escaping @Sendable (Instant) -> Void
    ) {
        self.sources = sources
        self.measurement = measurement
        self.heardFirst = heardFirst
    }

    /// The number of tracks with any packets.
    var heardTracks: Int { last.count }

    /// A description of its state, for diagnosing missing media.
    var account: String {
        func state(_ direction: ConnectionDirection) -> String {
            states[direction].map { "\($0)" } ?? "new"
        }
        return "\(last.count) of \(offered) tracks (\(state(.publish)), \(state(.subscribe)))"
    }

    func start(_ media: ClientMedia) { self.media = media }

    func stateChanged(
        _ direction: ConnectionDirection, _ state: PeerConnectionState, at now: Instant
    ) {
        states[direction] = state
    }

    func received(_ packet: IncomingPacket, of track: IncomingTrack, at now: Instant) {
        let payload = packet.packet.payload
        let stamp = Stamp(endOf: payload)
        // All other packets are padding.
        guard stamp != nil || Source.isSilence(payload) else { return }
        if last.isEmpty { heardFirst(now) }
        measurement.arrived(after: stamp.map { (now - $0.sent).nanoseconds })
        let latest = (source: stamp?.source, number: packet.packet.sequenceNumber)
        guard let before = last[track.mid], before.source == latest.source else {
            last[track.mid] = latest
            return
        }
        let step = before.number.distance(to: latest.number)
        measurement.missed(step > 0 ? step - 1 : -1)
        if step > 0 { last[track.mid] = latest }
    }

    func keyframeRequested(trackID: String, encoding: Int, at now: Instant) {
        for index in sources.indices
        where sources[index].trackID == trackID && sources[index].encoding == encoding {
            sources[index].requestKeyframe()
        }
    }

    func tick(at now: Instant) {
        guard states[.publish] == .connected, let media else { return }
        let audioLevel = media.outgoingExtensions[HeaderExtensionURI.audioLevel]
        let now = MonotonicClock.now
        for index in sources.indices {
            let (trackID, encoding) = (sources[index].trackID, sources[index].encoding)
            for packet in sources[index].packets(at: now, audioLevel: audioLevel) {
                media.send(packet, trackID: trackID, encoding: encoding, at: now)
            }
        }
        report(at: now)
    }

    private func report(at now: Instant) {
        guard now >= nextReport else { return }
        nextReport = now + Self.reportInterval
        let wallTime = NTPTime(unixNanoseconds: UnixTime.now.nanoseconds)
        for source in sources {
            guard let timestamp = source.timestamp(at: now) else { continue }
            media?.sendSenderReport(
                trackID: source.trackID, encoding: source.encoding, ntp: wallTime,
                rtpTimestamp: timestamp)
        }
    }

    func senderReport(
        of track: IncomingTrack, ntp: NTPTime, rtpTimestamp: UInt32, at now: Instant
    ) {}
    func incomingTracksChanged(_ tracks: [IncomingTrack], at now: Instant) {
        offered = tracks.count
    }
}
