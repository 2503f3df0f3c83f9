import MediaClient
import MediaKernel
import PeerConnection
import Pipeline
import RTP
import SDP
import Synchronization

/// Turns the server's packets into frames for the takers. Lives on the media loop.
final class BotMedia: ClientMediaObserver {
    private final class Track {
        let incoming: IncomingTrack
        let media: SectionMedia
        var video: VideoReceiver?
        var audio: AudioReceiver?
        var reports = ReportUnwrapper()

        init(_ incoming: IncomingTrack, _ media: SectionMedia) {
            self.incoming = incoming
            self.media = media
        }

        var id: TrackID { media.track }

        /// Lets time pass. Returns whether the receiver may have output.
        func tick(resynchronizes: Bool, at now: Instant) -> Bool {
            var isDue = resynchronizes
            if resynchronizes { video?.resynchronize(at: now) }
            if let deadline = video?.nextDeadline, deadline <= now {
                video?.handleTimeout(at: now)
                isDue = true
            }
            if let deadline = audio?.nextDeadline, deadline <= now {
                audio?.handleTimeout(at: now)
                isDue = true
            }
            return isDue
        }
    }

    /// Tracks of which takers need a key frame, from their threads.
    final class Wishes: Sendable {
        struct Tracks {
            /// Nothing before the key frame is of use to any taker: a decoder has failed.
            var undecodable: Set<TrackID> = []
            /// A taker could not use the last frames; the others go on.
            var incomplete: Set<TrackID> = []
        }

        private let tracks = Mutex(Tracks())

        func add(_ track: TrackID) { tracks.withLock { _ = $0.undecodable.insert(track) } }

        func addIncomplete(_ track: TrackID) {
            tracks.withLock { _ = $0.incomplete.insert(track) }
        }

        func takeAll() -> Tracks {
            tracks.withLock { tracks in
                defer { tracks = Tracks() }
                return tracks
            }
        }
    }

    /// The duration of an audio packet.
    static let readingInterval: Duration = .milliseconds(20)

    private let takers: [any TrackTaker]
    private let wishes: Wishes
    private var reception: (any MediaReception)?
    /// By section, as in packets.
    private var tracks: [String: Track] = [:]
    /// Those that come as pixels, beside the connection.
    private var raw: [TrackID: RawTrack] = [:]

    init(takers: [any TrackTaker], wishes: Wishes) {
        self.takers = takers
        self.wishes = wishes
    }

    func receives(from reception: any MediaReception) { self.reception = reception }

    func incomingTracksChanged(_ incoming: [IncomingTrack], at now: Instant) {
        let live = Dictionary(incoming.map { ($0.mid, $0) }, uniquingKeysWith: { $1 })
        let announced = live.compactMapValues { SectionMedia($0) }
        for mid in SectionMedia.ended(in: tracks.mapValues(\.media), by: announced) {
            guard let track = tracks.removeValue(forKey: mid) else { continue }
            for taker in takers { taker.mediaEnded(track.id) }
        }
        for (mid, entry) in live where tracks[mid] == nil {
            guard let media = announced[mid], let codec = MediaCodec(rtpName: entry.codec.name)
            else { continue }
            let track = Track(entry, media)
            if codec.isVideo {
                var configuration = VideoReceiver.Configuration()
                configuration.videoOrientationID =
                    reception?.extensions(of: entry)[HeaderExtensionURI.videoOrientation]
                track.video = VideoReceiver(codec: codec, configuration: configuration)
            } else {
                var configuration = AudioReceiver.Configuration()
                configuration.audioLevelID =
                    reception?.extensions(of: entry)[HeaderExtensionURI.audioLevel]
                track.audio = AudioReceiver(configuration: configuration)
            }
            tracks[mid] = track
            for taker in takers { taker.mediaBegan(track.id, codec: media.codec) }
        }
    }

    func received(_ packet: IncomingPacket, of incoming: IncomingTrack, at now: Instant) {
        guard let track = tracks[packet.mid] else { return }
        track.video?.handle(packet.packet, at: now)
        track.audio?.handle(packet.packet, at: now)
        drain(track, at: now)
    }

    func received(_ picture: RawPicture, of track: TrackID, at now: Instant) {
        if raw[track] == nil {
            for taker in takers { taker.mediaBegan(track, codec: .i420) }
        }
        let delivery = raw[track, default: RawTrack(picture, at: now)].take(picture, at: now)
        deliver(delivery, of: track, at: now)
    }

    func senderReport(
        of incoming: IncomingTrack, ntp: NTPTime, rtpTimestamp: UInt32, at now: Instant
    ) {
        guard let track = tracks[incoming.mid] else { return }
        pass(track.reports.report(ntp: ntp, rtpTimestamp: rtpTimestamp, at: now), of: track)
    }

    func keyframeRequested(trackID: String, encoding: Int, at now: Instant) {}

    func stateChanged(
        _ direction: ConnectionDirection, _ state: PeerConnectionState, at now: Instant
    ) {}

    func tick(at now: Instant) {
        let wished = wishes.takeAll()
        for track in tracks.values
        where track.tick(resynchronizes: wished.undecodable.contains(track.id), at: now) {
            drain(track, at: now)
        }
        for track in raw.keys {
            let isWished = wished.undecodable.contains(track)
            guard let delivery = raw[track]?.again(isWished: isWished, at: now) else { continue }
            deliver(delivery, of: track, at: now)
        }
        guard !wished.incomplete.isEmpty else { return }
        for track in tracks.values where wished.incomplete.contains(track.id) {
            reception?.requestKeyframe(of: track.incoming)
        }
    }

    private func drain(_ track: Track, at now: Instant) {
        while let output = track.video?.poll() {
            switch output {
            case .frame(let frame): deliver(frame, of: track, at: now)
            case .nack(let lost): reception?.requestRetransmission(of: lost, track: track.incoming)
            case .keyframeNeeded: reception?.requestKeyframe(of: track.incoming)
            }
        }
        while let output = track.audio?.poll() {
            switch output {
            case .packet(let frame): deliver(frame, of: track, at: now)
            case .lost(_, let timestamp):
                for taker in takers { taker.audioLost(track.id, from: timestamp) }
            }
        }
    }

    private func deliver(_ frame: EncodedFrame, of track: Track, at now: Instant) {
        var incoming = IncomingFrame(
            data: frame.data, timestamp: frame.timestamp, isKeyframe: frame.isKeyframe,
            rotation: frame.rotation.rawValue, size: IncomingFrame.Size(frame),
            audioLevel: frame.audioLevel.map { Int($0.level) },
            arrival: frame.lastArrival, ready: now)
        incoming.followsLoss = frame.followsLoss
        for taker in takers {
            taker.receive(incoming, of: track.id, isVideo: frame.codec.isVideo)
        }
        // After the frame: a report is useless to a track without a clock.
        pass(track.reports.delivered(timestamp: frame.timestamp), of: track)
    }

    private func deliver(_ delivery: RawTrack.Delivery, of track: TrackID, at now: Instant) {
        for taker in takers {
            taker.receive(delivery.frame, of: track, isVideo: true)
            guard let ntp = delivery.ntp else { continue }
            taker.senderReport(
                track, rtpTimestamp: delivery.frame.timestamp, ntp: ntp, at: now)
        }
    }

    private func pass(_ report: ReportUnwrapper.Report?, of track: Track) {
        guard let report else { return }
        for taker in takers {
            taker.senderReport(
                track.id, rtpTimestamp: report.timestamp, ntp: report.ntp, at: report.arrival)
        }
    }
}

extension IncomingFrame.Size {
    /// Nil if the frame's size is unknown.
    fileprivate init?(_ frame: EncodedFrame) {
        guard let width = frame.width, let height = frame.height else { return nil }
        self.init(width: width, height: height)
    }
}
