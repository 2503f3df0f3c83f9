import Clocks
import Codec
import Compositor
import HLS
import MediaKernel
import Stage

/// The stream's clockwork: takes input, and at each frame's time composes one picture and one
/// stretch of sound and passes them to the layers. Runs on a thread of its own.
///
/// ```
///  warmingUp ──all pictures there, or waited long enough──► live ──finish──► over
/// ```
/// Frame *k* is due at *origin + k / frame rate*. A thread that was held up catches up: it makes
/// the sound of every frame, and its picture unless that is too late to use, so both stay on the
/// clock. If it cannot catch up, because the CPU does not suffice even for the sound, it skips what
/// it has missed and continues from now (`LagGovernor`). If decoding itself takes too long,
/// `DecodingGovernor` leaves videos out, and the sound goes on.
final class Director {
    enum Command: Sendable {
        case peers([SourcePeer])
        case mediaBegan(TrackID, SourceCodec)
        case mediaEnded(TrackID)
        case frame(IncomingFrame, TrackID)
        case audioLost(TrackID, timestamp: Int64)
        case layout(Layout)
        case roles(Set<String>?)
        case recordingPaused(Bool)
        case picture(StillPicture?, address: String)
        /// Somebody looks at the preview, and is likely to for so long.
        case preview(Duration)
        case senderReport(TrackID, rtpTimestamp: Int64, ntp: NTPTime, at: Instant)
        /// Begins as soon as there is something to show.
        case start
        /// Shows everything captured until now, then ends.
        case finish
    }

    /// How long the start waits for the first pictures of the peers.
    static let warmUpMaximum: Duration = .milliseconds(1200)
    /// A frame that is later than this has sound only, so that the stream catches up.
    static let latenessMaximum: Duration = .milliseconds(500)
    /// The most waiting input: 25 participants for two seconds.
    static let inboxMaximum = 4096
    /// Pictures are refused while this many items wait, so that sound always has room.
    static let picturesBelow = 3072
    /// The same for pictures that are not encoded, of 1 to 12 MB each: half a second of one track.
    static let rawPicturesBelow = 32

    enum Phase {
        case waiting
        case warmingUp(since: Instant)
        case live(SampleClock, next: Int64)
        case finishing(SampleClock, next: Int64, end: Int64)
    }

    let inbox = Mailbox<Command>(maximum: inboxMaximum)
    let configuration: PipelineConfiguration
    let planner: SegmentPlanner
    let emit: @Sendable (PipelineEvent) -> Void
    let now: () -> Instant
    private let wallClock: () -> UnixTime
    private var wallClockWatch = WallClockWatch()
    /// Called once, on this thread, when the clock starts: the time of frame 0 in nanoseconds since
    /// 1970.
    private let began: (Int64) -> Void
    let pauses: RecordingPauses
    let scene: Scene
    let sources: SourceTracks
    private var desk: TrackMixer
    private var layers: LayerFeeds
    var preview: PreviewTap
    var load: PipelineLoad
    var phase = Phase.waiting
    private(set) var framesComposed: Int64 = 0
    /// The frame after the last composed one.
    private var end: Int64 = 0
    /// Earlier sound belongs to a skipped time.
    private(set) var soundFrom: Instant?

    init(
        configuration: PipelineConfiguration, planner: SegmentPlanner, layers: [any VariantWriter],
        audioOutput: AudioOutput, pauses: RecordingPauses,
        preview: PreviewTap = PreviewTap(),
        emit: @escaping @Sendable (PipelineEvent) -> Void,
        now: @escaping () -> Instant = { MonotonicClock.now },
        wallClock: @escaping () -> UnixTime = { UnixTime.now },
        began: @escaping (Int64) -> Void
    ) throws {
        self.configuration = configuration
        self.planner = planner
        self.layers = LayerFeeds(layers, frameRate: configuration.frameRate, emit: emit)
        load = PipelineLoad(
            layers: layers.count,
            segment: .seconds(planner.framesPerSegment) / planner.frameRate)
        desk = TrackMixer(output: audioOutput)
        self.pauses = pauses
        self.preview = preview
        self.emit = emit
        self.now = now
        self.wallClock = wallClock
        self.began = began
        scene = try Scene(configuration: configuration, emit: emit)
        sources = SourceTracks(configuration: configuration, emit: emit)
    }

    // MARK: The thread

    /// The body of the director's thread. Returns when the stream is over.
    func run() throws {
        // Wakes writers that wait for space: after this no reader makes any.
        defer {
            inbox.close()
            preview.close()
        }
        var batch: [Command] = []
        while takeInput(into: &batch) {
            if try turn(batch, takenAt: now()) { return }
            batch.removeAll(keepingCapacity: true)
        }
        // The owner closed the inbox without a finish: there is no more input.
        try finishLayers()
    }

    /// Takes the input up to an instant and makes every frame that was due by then. If the thread
    /// is behind, it makes each frame as soon as the input before it is decoded, not after the
    /// whole batch: sound comes out meanwhile, and no queue grows larger than when the thread is on
    /// time.
    ///
    /// - Returns: whether the stream is over.
    func turn(_ batch: [Command], takenAt taken: Instant) throws -> Bool {
        load.began(batchTakenAt: taken)
        for command in batch {
            if case .frame(let frame, _) = command,
                try composeFrames(dueBy: min(frame.ready, taken))
            {
                return true
            }
            handle(command)
        }
        load.decoding.keep { !scene.hides($0) && sources.video($0)?.isMuted == false }
        tellVideosLeftOut()
        arrangeAhead()
        advanceWarmUp()
        return try composeFrames(dueBy: taken)
    }

    /// Takes the waiting input; returns false when no more will come. While the clock runs, it
    /// takes everything since the last frame at once: a thread that wakes for each packet finds the
    /// caches full of the encoders' data each time, and the packet's sender has to wake it.
    private func takeInput(into batch: inout [Command]) -> Bool {
        switch phase {
        case .waiting: inbox.takeAll(into: &batch, until: nil)
        case .warmingUp(let since):
            inbox.takeAll(into: &batch, until: since + Self.warmUpMaximum)
        case .live(let clock, let next), .finishing(let clock, let next, _):
            inbox.takeAll(into: &batch, at: clock.instant(ofFrame: next))
        }
    }

    /// Lays the tiles out before the clock runs, so that no other video need be sent, decoded or
    /// waited for.
    private func arrangeAhead() {
        switch phase {
        case .waiting, .warmingUp:
            if !configuration.sound.isAlone { scene.arrange(at: now(), source: sources.video) }
        case .live, .finishing: break
        }
    }

    private func advanceWarmUp() {
        guard case .warmingUp(let since) = phase else { return }
        let now = now()
        guard isComplete || now - since >= Self.warmUpMaximum else { return }
        let clock = SampleClock(origin: now, frameRate: configuration.frameRate)
        // The picture at the origin was captured about one playout delay earlier.
        for writer in layers.writers { writer.clock = clock }
        began((wallClock() - configuration.playoutDelay.initial).nanoseconds)
        sources.mixed(through: 0, clock)
        phase = .live(clock, next: 0)
    }

    /// Whether every video to be shown has a picture.
    private var isComplete: Bool {
        guard let peers = sources.peers else { return false }
        if configuration.sound.isAlone { return true }
        return peers.flatMap(\.tracks).allSatisfy { track in
            guard scene.shows(track.id), !track.isMuted else { return true }
            return sources.video(track.id)?.hasPicture ?? false
        }
    }

    /// Composes the frames that were due by an instant, once all input up to it is processed. Later
    /// frames wait: their input has not been processed yet.
    ///
    /// - Returns: whether the stream is over.
    private func composeFrames(dueBy instant: Instant) throws -> Bool {
        while true {
            switch phase {
            case .waiting, .warmingUp:
                return false
            case .live(let clock, let next):
                let due = clock.instant(ofFrame: next)
                guard due <= instant else { return false }
                let now = now()
                guard !load.lag.observe(lateness: now - due, at: now) else {
                    phase = .live(clock, next: leaveOut(from: next, clock, at: now))
                    continue
                }
                if planner.isSegmentStart(frame: next) { watchWallClock() }
                try compose(frame: next, clock, at: now)
                phase = .live(clock, next: next + 1)
            case .finishing(let clock, let next, let end):
                guard next < end else {
                    try finishLayers()
                    return true
                }
                let due = clock.instant(ofFrame: next)
                guard due <= instant else { return false }
                let now = now()
                // The caller waits for the end, so the stream ends with what it has.
                guard !load.lag.observe(lateness: now - due, at: now) else {
                    try finishLayers()
                    return true
                }
                try compose(frame: next, clock, at: now)
                phase = .finishing(clock, next: next + 1, end: end)
            }
        }
    }

    /// Continues with the segment that should be on air now.
    ///
    /// - Returns: the next frame.
    private func leaveOut(from frame: Int64, _ clock: SampleClock, at now: Instant) -> Int64 {
        let latest = planner.segmentIndex(ofFrame: max(frame, clock.frame(at: now)))
        let start = planner.firstFrame(ofSegment: latest)
        let next = start > frame ? start : planner.firstFrame(ofSegment: latest + 1)
        let sample = clock.firstSample(ofFrame: next)
        sources.goOn(at: sample, clock)
        desk.goOn(at: sample)
        soundFrom = clock.instant(ofFrame: next) - sources.longestDelay
        layers.skip(from: frame, to: next)
        emit(.leftOut(clock.instant(ofFrame: next) - clock.instant(ofFrame: frame)))
        return next
    }

    private func watchWallClock() {
        if let step = wallClockWatch.observe(wall: wallClock(), at: now()) {
            emit(.wallClockStepped(step))
        }
    }

    /// After an error: the layers end with what they have.
    func abandon() { layers.finish(end: 0) }

    private func finishLayers() throws {
        try desk.finish { layer, packets in layers.give(packets, toLayer: layer) }
        layers.finish(end: end)
    }

    // MARK: Output

    private func compose(frame: Int64, _ clock: SampleClock, at now: Instant) throws {
        let sound = try mixSound(ofFrame: frame, clock)
        framesComposed += 1
        end = frame + 1
        let picture =
            configuration.sound.isAlone ? nil : try makePicture(ofFrame: frame, clock, at: now)
        layers.give(
            sound, picture, frame: frame, isNeeded: planner.isPartStart(frame: frame))
        if let picture { preview.offer(picture.canvas, at: now) }
    }

    /// The picture of a frame and the layers that need it; nil when none does.
    private func makePicture(
        ofFrame frame: Int64, _ clock: SampleClock, at now: Instant
    ) throws -> (canvas: VideoFrame, takers: [Int])? {
        let tick = clock.instant(ofFrame: frame)
        let backlog = layers.backlog(at: now, since: tick)
        if let reduction = load.observe(backlog: backlog, at: now) {
            emit(.reductionChanged(reduction))
        }
        let takers = layers.takers(
            ofFrame: frame, isNeeded: planner.isPartStart(frame: frame), lateness: now - tick,
            load.pictures.reduction)
        guard !takers.isEmpty else { return nil }
        // A picture counts from half a frame before its time: then pictures are shown too early as
        // often as too late, and match their sound on average.
        let middle = tick + .seconds(1) / (2 * configuration.frameRate)
        return (try scene.picture(at: middle, source: sources.video), takers)
    }

    var framesDroppedInAll: Int { layers.droppedInAll }

    /// The encoded sound that a frame completes, for each layer.
    private func mixSound(
        ofFrame frame: Int64, _ clock: SampleClock
    ) throws -> [[EncodedPacket]] {
        for source in sources.takeDeparted() { desk.heardOut(source) }
        var sound = [[EncodedPacket]](repeating: [], count: layers.writers.count)
        try desk.mix(sources.sounds, frame: frame, clock) { layer, packets in
            sound[layer] += packets
        }
        sources.mixed(through: clock.firstSample(ofFrame: frame + 1), clock)
        return sound
    }
}
