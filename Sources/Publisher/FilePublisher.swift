import Clocks
import Logging
import MediaKernel
import PeerConnection
import RTP
import RoomClient

/// Sends a file's frames when their time has come, and does what the script says. Lives on the
/// media loop.
final class FilePublisher: ClientMediaObserver {
    /// What the room has to be told; see `PublisherRunner`.
    enum Order: Sendable {
        case publish(TrackNames)
        case unpublish
        case mute(Bool, trackID: String)
        case interrupt(Duration)
    }

    private let conditions: PublisherConditions
    private let orders: AsyncStream<Order>.Continuation
    private let logger: Logger
    private let videoCodec: MediaCodec?
    private let hasAudio: Bool
    private let round: MediaTime
    /// What the script plays later, by path.
    private let laterFiles: [String: MediaFile]
    private let meter: AudioMeter
    private var firstFile: MediaFile
    private var reel: Reel?
    /// Before this time on the publisher's clock, the reel's frames are not shown.
    private var reelBegin: Duration = .zero
    private var bridge: KeyframeBridge?
    private var lanes: [OutgoingLane] = []
    private var muted: Set<String> = []
    private var gate = SilenceGate()
    private var rotation = VideoRotation.none
    private var script: Script
    private var random: SeededRandom
    private var media: ClientMedia?
    /// Started when the connection is first up.
    private var clock: PublisherClock?
    private var nextReport: Duration = .zero

    init(
        file: MediaFile, laterFiles: [String: MediaFile], names: TrackNames,
        conditions: PublisherConditions, orders: AsyncStream<Order>.Continuation, meter: AudioMeter,
        logger: Logger
    ) {
        self.conditions = conditions
        self.orders = orders
        self.logger = logger
        self.laterFiles = laterFiles
        self.meter = meter
        videoCodec = file.videoCodec
        hasAudio = file.hasAudio
        round = file.duration
        firstFile = file
        script = conditions.script
        random = SeededRandom(seed: conditions.network.seed)
        makeLanes(names)
        makeBridge(for: file)
    }

    private func makeLanes(_ names: TrackNames) {
        lanes = []
        if let videoCodec {
            lanes.append(
                OutgoingLane(
                    trackID: names.video, codec: videoCodec, wrapsSoon: conditions.wrapsSoon))
        }
        if hasAudio {
            lanes.append(
                OutgoingLane(trackID: names.audio, codec: .opus, wrapsSoon: conditions.wrapsSoon))
        }
    }

    private func makeBridge(for file: MediaFile) {
        bridge = file.videoCodec.flatMap { KeyframeBridge(codec: $0, frameRate: file.frameRate) }
    }

    // MARK: The connection

    func start(_ media: ClientMedia) { self.media = media }

    func stateChanged(
        _ direction: ConnectionDirection, _ state: PeerConnectionState, at now: Instant
    ) {
        guard direction == .publish, state == .connected, clock == nil else { return }
        // Both clocks are read at once, for `now` may be some time ago on a busy machine.
        let (start, wallTime) = (MonotonicClock.now, MonotonicClock.unixNanoseconds)
        clock = PublisherClock(start: start, unixNanoseconds: wallTime, skew: conditions.clockSkew)
        let length = round.rescaled(to: 1_000_000_000).ticks
        let position = conditions.followsWallClock && length > 0 ? wallTime % length : 0
        reel = Reel(firstFile, offset: .nanoseconds(position))
        bridge?.request()
    }

    func keyframeRequested(trackID: String, at now: Instant) { bridge?.request() }

    func received(_ packet: IncomingPacket, of track: IncomingTrack, at now: Instant) {}
    func senderReport(
        of track: IncomingTrack, ntp: NTPTime, rtpTimestamp: UInt32, at now: Instant
    ) {}
    func incomingTracksChanged(_ tracks: [IncomingTrack], at now: Instant) {}

    // MARK: Time

    func tick(at now: Instant) {
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
        case .mute(let isVideo): mute(true, isVideo: isVideo)
        case .unmute(let isVideo): mute(false, isVideo: isVideo)
        case .unpublish:
            lanes = []
            orders.yield(.unpublish)
        case .publish:
            let names = TrackNames()
            makeLanes(names)
            muted = []
            bridge?.request()
            orders.yield(.publish(names))
        case .interrupt(let duration):
            orders.yield(.interrupt(duration))
        case .play(let path):
            guard let file = laterFiles[path] else { return }
            reel = Reel(file, offset: .zero - step.time)
            reelBegin = step.time
            makeBridge(for: file)
        case .rotate(let rotation):
            self.rotation = rotation
        }
    }

    private func mute(_ isMuted: Bool, isVideo: Bool) {
        for lane in lanes where lane.isVideo == isVideo {
            if isMuted { muted.insert(lane.trackID) } else { muted.remove(lane.trackID) }
            orders.yield(.mute(isMuted, trackID: lane.trackID))
        }
        // A camera that is switched on begins with a key frame.
        if isVideo, !isMuted { bridge?.request() }
    }

    // MARK: Sending

    private func sendFrames(before end: Duration, at now: Instant) throws {
        while let (frame, time) = try reel?.next(before: end) {
            guard let index = lanes.firstIndex(where: { $0.isVideo == frame.isVideo }),
                !muted.contains(lanes[index].trackID), time >= reelBegin
            else {
                if frame.isVideo { bridge?.skip(frame) }
                continue
            }
            if frame.isVideo {
                sendPicture(bridged(frame), at: time, lane: index, now: now)
            } else {
                sendSound(frame, at: time, lane: index, now: now)
            }
        }
    }

    private func bridged(_ frame: MediaFile.Frame) -> MediaFile.Frame {
        do {
            return try bridge?.pass(frame) ?? frame
        } catch {
            logger.warning("no key frame was made", metadata: ["error": "\(error)"])
            return frame
        }
    }

    private func sendPicture(
        _ frame: MediaFile.Frame, at time: Duration, lane index: Int, now: Instant
    ) {
        let id = media?.outgoingExtensions[HeaderExtensionURI.videoOrientation]
        for var packet in lanes[index].packets(of: frame, at: time) {
            // 3GPP TS 26.114 sect. 7.4.5: on the last packet of a picture.
            if let id, packet.marker {
                packet.extensions.set(id, VideoOrientation(rotation: rotation).extensionBytes)
            }
            media?.send(packet, trackID: lanes[index].trackID, at: now)
        }
    }

    private func sendSound(
        _ frame: MediaFile.Frame, at time: Duration, lane index: Int, now: Instant
    ) {
        let level = meter.level(of: frame.data)
        let isSilent = level >= AudioMeter.silence
        var beginsTalkspurt = false
        if conditions.usesDTX {
            guard gate.passes(isSilent: isSilent, at: time) else { return }
            beginsTalkspurt = gate.beginsTalkspurt
        }
        let id = media?.outgoingExtensions[HeaderExtensionURI.audioLevel]
        for var packet in lanes[index].packets(of: frame, at: time) {
            packet.marker = beginsTalkspurt
            if let id {
                packet.extensions.set(
                    id, AudioLevel(voice: !isSilent, level: level).extensionBytes)
            }
            media?.send(packet, trackID: lanes[index].trackID, at: now)
        }
    }

    /// Ties the tracks to one wall clock, so that receivers can put them together.
    private func report(after elapsed: Duration) {
        guard let clock, elapsed >= nextReport else { return }
        nextReport = elapsed + SenderReports.interval
        for lane in lanes where !muted.contains(lane.trackID) {
            guard
                let error = conditions.senderReports.error(
                    isVideo: lane.isVideo, after: elapsed, using: &random)
            else { continue }
            media?.sendSenderReport(
                trackID: lane.trackID, ntp: clock.wallTime(after: elapsed + error),
                rtpTimestamp: lane.timestamp(elapsed))
        }
    }
}
