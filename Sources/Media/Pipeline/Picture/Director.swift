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

    private enum Phase {
        case waiting
        case warmingUp(since: Instant)
        case live(SampleClock, next: Int64)
        case finishing(SampleClock, next: Int64, end: Int64)
    }

    let inbox = Mailbox<Command>(maximum: inboxMaximum)
    private let configuration: PipelineConfiguration
    private let planner: SegmentPlanner
    private let layers: [any VariantWriter]
    private let emit: @Sendable (PipelineEvent) -> Void
    private let now: () -> Instant
    private let wallClock: () -> UnixTime
    /// Called once, on this thread, when the clock starts: the time of frame 0 in nanoseconds since
    /// 1970.
    private let began: (Int64) -> Void
    private let pauses: RecordingPauses
    /// As last reported.
    private var videosLeftOut = 0
    private let scene: Scene
    private var desk: TrackMixer
    private var phase = Phase.waiting
    private let sources: SourceTracks
    private var wallClockWatch = WallClockWatch()
    private var governor: LoadGovernor
    private var decoding = DecodingGovernor()
    /// The lag of the slowest layer in this batch.
    private var worstBacklog = Duration.zero
    private var framesDropped: [Int]
    /// The newest picture that each layer has been given.
    private var newestGiven: [Int64]
    private(set) var framesComposed: Int64 = 0
    /// The frame after the last composed one.
    private var end: Int64 = 0
    private var lag: LagGovernor
    /// Earlier sound belongs to a skipped time.
    private var soundFrom: Instant?

    init(
        configuration: PipelineConfiguration, planner: SegmentPlanner, layers: [any VariantWriter],
        audioOutput: AudioOutput, pauses: RecordingPauses,
        emit: @escaping @Sendable (PipelineEvent) -> Void,
        now: @escaping () -> Instant = { MonotonicClock.now },
        wallClock: @escaping () -> UnixTime = { UnixTime.now },
        began: @escaping (Int64) -> Void
    ) throws {
        self.configuration = configuration
        self.planner = planner
        self.layers = layers
        desk = TrackMixer(output: audioOutput)
        self.pauses = pauses
        self.emit = emit
        self.now = now
        self.wallClock = wallClock
        self.began = began
        governor = LoadGovernor(layers: layers.count)
        lag = LagGovernor(
            segment: .seconds(planner.framesPerSegment) / planner.frameRate)
        framesDropped = Array(repeating: 0, count: layers.count)
        newestGiven = Array(repeating: -1, count: layers.count)
        scene = try Scene(configuration: configuration, emit: emit)
        sources = SourceTracks(configuration: configuration, emit: emit)
    }

    // MARK: The thread

    /// The body of the director's thread. Returns when the stream is over.
    func run() throws {
        // Wakes writers that wait for space: after this no reader makes any.
        defer { inbox.close() }
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
        decoding.began(batchTakenAt: taken)
        worstBacklog = .zero
        for command in batch {
            if case .frame(let frame, _) = command,
                try composeFrames(dueBy: min(frame.ready, taken))
            {
                return true
            }
            handle(command)
        }
        decoding.keep { !scene.hides($0) && sources.video($0)?.isMuted == false }
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
        for layer in layers { layer.clock = clock }
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
                guard !lag.observe(lateness: now - due, at: now) else {
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
                guard !lag.observe(lateness: now - due, at: now) else {
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
        for index in layers.indices {
            layers[index].inbox.put(.gap(end: frame, next: next))
            framesDropped[index] += Int(next - frame)
        }
        emit(.leftOut(clock.instant(ofFrame: next) - clock.instant(ofFrame: frame)))
        return next
    }

    private func watchWallClock() {
        if let step = wallClockWatch.observe(wall: wallClock(), at: now()) {
            emit(.wallClockStepped(step))
        }
    }

    /// After an error: the layers end with what they have.
    func abandon() { for layer in layers { layer.inbox.put(.finish(end: 0)) } }

    private func finishLayers() throws {
        try desk.finish { layer, packets in layers[layer].inbox.put(.sound(packets)) }
        for layer in layers { layer.inbox.put(.finish(end: end)) }
    }

    // MARK: Input

    private func handle(_ command: Command) {
        switch command {
        case .peers(let peers):
            scene.show(peers)
            sources.show(peers)
        case .mediaBegan(let track, let codec):
            sources.mediaBegan(track, codec)
            scene.tracksChanged()
        case .mediaEnded(let track):
            sources.mediaEnded(track)
            decoding.forget(track)
            tellVideosLeftOut()
            scene.tracksChanged()
        case .frame(let frame, let track):
            if let video = sources.video(track) {
                receivePicture(frame, of: track, video)
            } else if let soundFrom, frame.arrival < soundFrom {
                sources.passOver(frame, of: track)
            } else if let heard = sources.receive(frame, of: track) {
                scene.heard(
                    heard.peer, level: heard.level, lasting: heard.length, at: frame.arrival)
            }
        case .audioLost(let track, let timestamp): sources.audioLost(track, from: timestamp)
        case .senderReport(let track, let rtpTimestamp, let ntp, let now):
            sources.senderReport(track, rtpTimestamp: rtpTimestamp, ntp: ntp, at: now)
        case .layout(let layout): scene.setLayout(layout)
        case .roles(let roles): sources.setRoles(roles)
        case .recordingPaused(let isPaused): setRecording(isPaused: isPaused)
        case .picture(let picture, let address): scene.setPicture(picture, at: address)
        case .start:
            if case .waiting = phase { phase = .warmingUp(since: now()) }
        case .finish:
            finish()
        }
    }

    private func receivePicture(
        _ frame: IncomingFrame, of track: TrackID, _ video: VideoSource
    ) {
        // A muted video is decoded, so that it is ready when it is unmuted, unless CPU is short.
        guard !scene.hides(track), !(video.isMuted && governor.isExhausted) else {
            return sources.passOver(frame, of: track)
        }
        let begin = now()
        // Fewer pictures per second and fewer layers come first: they cost viewers less than a
        // participant.
        let verdict = decoding.judge(
            track, isKeyframe: frame.isKeyframe, isLastResort: governor.isExhausted, at: begin,
            importance: scene.importance(of:))
        tellVideosLeftOut()
        switch verdict {
        case .decode:
            _ = sources.receive(frame, of: track)
            decoding.decoded(in: now() - begin)
            return
        case .leaveOut: break
        case .leaveOutAndAsk: emit(.keyframeNeeded(track))
        }
        sources.passOver(frame, of: track)
    }

    private func tellVideosLeftOut() {
        guard decoding.videosLeftOut != videosLeftOut else { return }
        videosLeftOut = decoding.videosLeftOut
        emit(.videosLeftOut(videosLeftOut))
    }

    /// Words spoken before recording is resumed are heard one playout delay later, and must not be
    /// recorded.
    private func setRecording(isPaused: Bool) {
        switch phase {
        case .waiting, .warmingUp:
            if isPaused { pauses.pause(from: 0) } else { pauses.resume(from: 0) }
        case .live(let clock, let next), .finishing(let clock, let next, _):
            guard !isPaused else { return pauses.pause(from: next) }
            let last = clock.frame(at: now() + sources.longestDelay)
            pauses.resume(from: max(next, last + 1))
        }
    }

    private func finish() {
        switch phase {
        case .waiting, .warmingUp:
            inbox.close()
        case .live(let clock, let next):
            // Words spoken now will be heard one playout delay from now.
            let last = clock.frame(at: now() + sources.longestDelay)
            phase = .finishing(clock, next: next, end: wholeEnd(max(next, last + 1)))
        case .finishing:
            break
        }
    }

    /// The fewest pictures of a segment. Players and probes misidentify a file of one or two.
    static let segmentPicturesMinimum: Int64 = 10

    /// The end of the stream, moved to a later frame if the last segment would be too short.
    private func wholeEnd(_ end: Int64) -> Int64 {
        let first = planner.firstFrame(ofSegment: planner.segmentIndex(ofFrame: max(0, end - 1)))
        let least = min(Self.segmentPicturesMinimum, Int64(planner.framesPerSegment))
        return max(end, first + least)
    }

    // MARK: Output

    private func compose(frame: Int64, _ clock: SampleClock, at now: Instant) throws {
        let sound = try mixSound(ofFrame: frame, clock)
        framesComposed += 1
        end = frame + 1
        let picture =
            configuration.sound.isAlone ? nil : try makePicture(ofFrame: frame, clock, at: now)
        // All layers must be cut at a segment's first frame, so it is worth waiting for.
        let isNeeded = planner.isSegmentStart(frame: frame)
        for index in layers.indices {
            let inbox = layers[index].inbox
            // Both at once: a layer's thread would wake twice if the sound went ahead while the
            // picture is made, and waking it costs more than its work on the sound.
            var items: [LayerItem] = []
            if !sound[index].isEmpty { items.append(.sound(sound[index])) }
            let isTaker = picture?.takers.contains(index) ?? false
            let hasPlace = isNeeded || inbox.count + items.count < LayerEncoder.picturesBelow
            if let picture, isTaker, hasPlace {
                items.append(.picture(picture.canvas, index: frame))
            }
            let isTaken = !items.isEmpty && inbox.put(items)
            guard isTaker else { continue }
            if hasPlace, isTaken { newestGiven[index] = frame } else { leaveOut(layer: index) }
        }
    }

    /// The picture of a frame and the layers that need it; nil when none does.
    private func makePicture(
        ofFrame frame: Int64, _ clock: SampleClock, at now: Instant
    ) throws -> (canvas: VideoFrame, takers: [Int])? {
        let tick = clock.instant(ofFrame: frame)
        // Uses the latest frame of the batch: its last frames are hardly late, and would make a
        // thread that is repeatedly behind look calm.
        worstBacklog = max(worstBacklog, backlog(at: now, since: tick))
        if let reduction = governor.observe(backlog: worstBacklog, at: now) {
            emit(.reductionChanged(reduction))
        }
        let takers = takers(ofFrame: frame, lateness: now - tick)
        for index in layers.indices where !takers.contains(index) { framesDropped[index] += 1 }
        guard !takers.isEmpty else { return nil }
        // A picture counts from half a frame before its time: then pictures are shown too early as
        // often as too late, and match their sound on average.
        let middle = tick + .seconds(1) / (2 * configuration.frameRate)
        return (try scene.picture(at: middle, source: sources.video), takers)
    }

    /// The lag of the slowest layer.
    private func backlog(at now: Instant, since tick: Instant) -> Duration {
        var frames: Int64 = 0
        for (index, layer) in layers.enumerated() {
            frames = max(frames, newestGiven[index] - layer.newestTaken)
        }
        let encoders = Duration.seconds(1) * Int(frames) / configuration.frameRate
        return max(now - tick, encoders)
    }

    /// The layers that need this picture.
    private func takers(ofFrame frame: Int64, lateness: Duration) -> [Int] {
        if planner.isSegmentStart(frame: frame) { return Array(layers.indices) }
        let planned = layers.indices.filter {
            governor.reduction.makes(frame: frame, layer: $0, of: layers.count)
        }
        guard lateness >= Self.latenessMaximum else { return planned }
        // Too late to use: left out, so that the stream catches up.
        for index in planned { report(layer: index, dropped: framesDropped[index] + 1) }
        return []
    }

    /// The encoder is behind: drops the picture and reports it.
    private func leaveOut(layer index: Int) {
        framesDropped[index] += 1
        report(layer: index, dropped: framesDropped[index])
    }

    private func report(layer index: Int, dropped: Int) {
        if dropped == 1 || dropped.isMultiple(of: configuration.frameRate) {
            emit(.framesDropped(layer: index, total: dropped))
        }
    }

    var framesDroppedInAll: Int {
        framesDropped.reduce(0, +) + layers.reduce(0) { $0 + $1.picturesLeftOut }
    }

    /// The encoded sound that a frame completes, for each layer.
    private func mixSound(
        ofFrame frame: Int64, _ clock: SampleClock
    ) throws -> [[EncodedPacket]] {
        for source in sources.takeDeparted() { desk.heardOut(source) }
        var sound = [[EncodedPacket]](repeating: [], count: layers.count)
        try desk.mix(sources.sounds, frame: frame, clock) { layer, packets in
            sound[layer] += packets
        }
        sources.mixed(through: clock.firstSample(ofFrame: frame + 1), clock)
        return sound
    }
}

extension Mailbox<Director.Command> {
    /// Returns false when there is no room; pictures are refused earlier than sound.
    func offer(_ frame: IncomingFrame, of track: TrackID, isVideo: Bool) -> Bool {
        offer(.frame(frame, track), below: isVideo ? Director.picturesBelow : .max)
    }
}
