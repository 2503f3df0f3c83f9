import Clocks
import Logging
import MediaClient
import MediaKernel
import PeerConnection
import RTP
import RemoteRoom

/// Sends a file's frames on time, and follows the script. Runs on the media loop.
final class FilePublisher: ClientMediaObserver {
    /// Signalling for the room; see `PublisherRunner`.
    enum Order: Sendable {
        case publish(TrackNames)
        case unpublish
        case mute(Bool, trackID: String)
        case interrupt(Duration)
    }

    private let conditions: PublisherConditions
    private let orders: AsyncStream<Order>.Continuation
    private let requests: MuteRequests
    private let logger: Logger
    private let round: MediaTime
    /// The script's later files, by path.
    private let laterFiles: [String: MediaFile]
    private let meter: AudioMeter
    /// One for each layer of the video, best first. The first one also has the sound.
    private var files: [FilePlayer]
    /// The shared screen, whose sound is not sent.
    private var screen: FilePlayer?
    private var layers: VideoLayers
    private var lanes: OutboundTracks
    private var gate = SilenceGate()
    private var rotation = VideoRotation.none
    private var script: Script
    private var random: SeededRandom
    private var media: ClientMedia?
    /// Started when the connection is first up.
    private var clock: PublisherClock?
    private var nextReport: Duration = .zero
    /// Everything before this time on the publisher's clock has been sent.
    private var sentUntil: Duration = .zero
    /// Less than the interval between pictures.
    private static let moment: Duration = .milliseconds(10)

    /// - Parameters:
    ///   - layers: the same video in smaller sizes, best first.
    ///   - screen: what is shared beside it.
    init(
        file: MediaFile, layers: [MediaFile], screen: MediaFile?,
        laterFiles: [String: MediaFile], names: TrackNames,
        conditions: PublisherConditions, orders: AsyncStream<Order>.Continuation,
        requests: MuteRequests, meter: AudioMeter, logger: Logger
    ) {
        self.conditions = conditions
        self.orders = orders
        self.requests = requests
        self.logger = logger
        self.laterFiles = laterFiles
        self.meter = meter
        round = file.duration
        files = ([file] + layers).map { FilePlayer($0) }
        self.screen = screen.map { FilePlayer($0) }
        self.layers = VideoLayers(count: files.count)
        script = conditions.script
        random = SeededRandom(seed: conditions.network.seed)
        lanes = OutboundTracks(
            videoCodec: file.videoCodec, layers: layers.count + 1, hasAudio: file.hasAudio,
            screenCodec: screen?.videoCodec, wrapsSoon: conditions.wrapsSoon)
        lanes.open(names)
    }

    // MARK: The connection

    func start(_ media: ClientMedia) { self.media = media }

    func stateChanged(
        _ direction: ConnectionDirection, _ state: PeerConnectionState, at now: Instant
    ) {
        guard direction == .publish, state == .connected, clock == nil else { return }
        // Both clocks are read together, because `now` may be old on a busy machine.
        let (start, wallTime) = (MonotonicClock.now, UnixTime.now)
        clock = PublisherClock(start: start, wallStart: wallTime, skew: conditions.clockSkew)
        let length = round.rescaled(to: 1_000_000_000).ticks
        let position = conditions.followsWallClock && length > 0 ? wallTime.nanoseconds % length : 0
        for encoding in files.indices { files[encoding].start(at: .nanoseconds(position)) }
        screen?.start(at: .nanoseconds(position))
    }

    func keyframeRequested(trackID: String, encoding: Int, at now: Instant) {
        if trackID == lanes.screen?.trackID {
            screen?.requestKeyframe()
        } else if files.indices.contains(encoding) {
            files[encoding].requestKeyframe()
        }
    }

    func received(_ packet: IncomingPacket, of track: IncomingTrack, at now: Instant) {}
    func senderReport(
        of track: IncomingTrack, ntp: NTPTime, rtpTimestamp: UInt32, at now: Instant
    ) {}
    func incomingTracksChanged(_ tracks: [IncomingTrack], at now: Instant) {}

    // MARK: Time

    func tick(at now: Instant) {
        for request in requests.take() { heed(request) }
        guard let elapsed = clock?.elapsed(at: now) else { return }
        do {
            while let step = script.next(at: elapsed) {
                try sendFrames(before: step.time, at: now)
                perform(step)
            }
            try sendFrames(before: elapsed, at: now)
        } catch {
            logger.error("file cannot be read on", metadata: ["error": "\(error)"])
            clock = nil
        }
        report(after: elapsed)
    }

    private func perform(_ step: Script.Step) {
        logger.info("step", metadata: ["action": "\(step.action)"])
        switch step.action {
        case .mute(let isVideo): mute(true, isVideo ? lanes.pictures.first : lanes.sound)
        case .unmute(let isVideo): mute(false, isVideo ? lanes.pictures.first : lanes.sound)
        case .unpublish:
            lanes.close()
            orders.yield(.unpublish)
        case .publish:
            let names = TrackNames()
            lanes.open(names)
            requestKeyframes()
            orders.yield(.publish(names))
        case .interrupt(let duration):
            orders.yield(.interrupt(duration))
        case .play(let path):
            guard let file = laterFiles[path] else { return }
            files[0].change(to: file, at: step.time)
        case .rotate(let rotation):
            self.rotation = rotation
        case .layers(let count):
            // A layer that is switched on begins with a key frame.
            for encoding in layers.send(count) { files[encoding].requestKeyframe() }
        }
    }

    /// Follows a mute request from the room, if it changes anything.
    private func heed(_ request: TrackMuteRequest) {
        for lane in [lanes.sound, lanes.pictures.first, lanes.screen] {
            guard let lane, lanes.isMuted(lane) != request.isMuted, means(request.target, lane)
            else { continue }
            logger.info(
                "asked", metadata: ["muted": "\(request.isMuted)", "video": "\(lane.isVideo)"])
            mute(request.isMuted, lane)
        }
    }

    /// A request by kind is one for the camera or the microphone.
    private func means(_ target: TrackMuteRequest.Target, _ lane: OutboundTrack) -> Bool {
        switch target {
        case .track(let id): id.rawValue == lane.trackID
        case .kind(let isVideo): isVideo == lane.isVideo && lane.trackID != lanes.screen?.trackID
        }
    }

    private func mute(_ isMuted: Bool, _ lane: OutboundTrack?) {
        guard let lane else { return }
        lanes.mute(isMuted, lane)
        orders.yield(.mute(isMuted, trackID: lane.trackID))
        // A camera that is switched on begins with a key frame.
        if lane.isVideo, !isMuted { requestKeyframes() }
    }

    private func requestKeyframes() {
        for file in files { file.requestKeyframe() }
        screen?.requestKeyframe()
    }

    // MARK: Sending

    /// Sends all due frames, all layers of one moment together: a layer that came long after the
    /// others, on a busy machine, would look switched off.
    private func sendFrames(before end: Duration, at now: Instant) throws {
        while sentUntil < end {
            sentUntil = min(sentUntil + Self.moment, end)
            for encoding in files.indices { try sendFrames(of: encoding, at: now) }
            try sendScreen(at: now)
        }
    }

    private func sendFrames(of encoding: Int, at now: Instant) throws {
        while let (frame, time) = try files[encoding].next(before: sentUntil) {
            if frame.isVideo {
                sendPicture(frame, at: time, encoding: encoding, now: now)
            } else if encoding == 0 {
                sendSound(frame, at: time, now: now)
            }
        }
    }

    private func sendPicture(
        _ picture: MediaFile.Frame, at time: Duration, encoding: Int, now: Instant
    ) {
        guard isSent(encoding) else { return files[encoding].skip(picture) }
        let picture = passed(picture, by: &files[encoding])
        let id = media?.outgoingExtensions[HeaderExtensionURI.videoOrientation]
        for var packet in lanes.pictures[encoding].packets(of: picture, at: time) {
            // 3GPP TS 26.114 sect. 7.4.5: on the last packet of a picture.
            if let id, packet.marker {
                packet.extensions.set(id, VideoOrientation(rotation: rotation).extensionBytes)
            }
            media?.send(
                packet, trackID: lanes.pictures[encoding].trackID, encoding: encoding, at: now)
        }
    }

    private func sendScreen(at now: Instant) throws {
        guard var player = screen else { return }
        defer { screen = player }
        while let (frame, time) = try player.next(before: sentUntil) {
            guard frame.isVideo else { continue }
            guard var lane = lanes.screen, !lanes.isMuted(lane) else {
                player.skip(frame)
                continue
            }
            for packet in lane.packets(of: passed(frame, by: &player), at: time) {
                media?.send(packet, trackID: lane.trackID, at: now)
            }
            lanes.screen = lane
        }
    }

    /// The picture to send.
    private func passed(
        _ picture: MediaFile.Frame, by player: inout FilePlayer
    ) -> MediaFile.Frame {
        do {
            return try player.pass(picture)
        } catch {
            logger.warning("no key frame was made", metadata: ["error": "\(error)"])
            return picture
        }
    }

    private func isSent(_ encoding: Int) -> Bool {
        guard lanes.pictures.indices.contains(encoding) else { return false }
        return layers.isSent(encoding) && !lanes.isMuted(lanes.pictures[encoding])
    }

    private func sendSound(_ frame: MediaFile.Frame, at time: Duration, now: Instant) {
        guard var lane = lanes.sound, !lanes.isMuted(lane) else { return }
        let level = meter.level(of: frame.data)
        let isSilent = level >= AudioMeter.silence
        var beginsTalkspurt = false
        if conditions.usesDTX {
            guard gate.passes(isSilent: isSilent, at: time) else { return }
            beginsTalkspurt = gate.beginsTalkspurt
        }
        let id = media?.outgoingExtensions[HeaderExtensionURI.audioLevel]
        for var packet in lane.packets(of: frame, at: time) {
            packet.marker = beginsTalkspurt
            if let id {
                packet.extensions.set(
                    id, AudioLevel(voice: !isSilent, level: level).extensionBytes)
            }
            media?.send(packet, trackID: lane.trackID, at: now)
        }
        lanes.sound = lane
    }

    /// Ties the tracks to one wall clock, so that receivers can synchronise them.
    private func report(after elapsed: Duration) {
        guard let clock, elapsed >= nextReport else { return }
        nextReport = elapsed + SenderReports.interval
        for encoding in lanes.pictures.indices where isSent(encoding) {
            report(lanes.pictures[encoding], encoding: encoding, after: elapsed, by: clock)
        }
        for case let lane? in [lanes.sound, lanes.screen] where !lanes.isMuted(lane) {
            report(lane, encoding: 0, after: elapsed, by: clock)
        }
    }

    private func report(
        _ lane: OutboundTrack, encoding: Int, after elapsed: Duration, by clock: PublisherClock
    ) {
        guard
            let error = conditions.senderReports.error(
                isVideo: lane.isVideo, after: elapsed, using: &random)
        else { return }
        media?.sendSenderReport(
            trackID: lane.trackID, encoding: encoding,
            ntp: clock.wallTime(after: elapsed + error), rtpTimestamp: lane.timestamp(elapsed))
    }
}
