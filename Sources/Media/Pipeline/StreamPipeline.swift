public import Codec
import Compositor
import HLS
public import Logging
public import MediaKernel
public import Recording
public import Stage
public import Streams
import Synchronization

/// One stream, from encoded frames to segments.
///
/// ```
/// receive ──► Director's thread: decode, timeline, compose, mix, AAC
///                   ├──► layer 0's thread: x264, TS, files
///                   └──► layer 1's thread: scale, x264, TS, files …
/// ```
/// Methods may be called from any thread. Frames and reports never wait, all other input waits for
/// room: the queues between the threads are bounded; `Director` and `LayerEncoder` describe what
/// happens when one is full.
public final class StreamPipeline: Sendable {
    /// The most events that wait for a reader; a reader this far behind is not reading.
    static let eventsMaximum = 4096

    /// For one reader. Ends after `stop()`.
    public let events: AsyncStream<PipelineEvent>
    private let eventSink: AsyncStream<PipelineEvent>.Continuation
    private let inbox: Mailbox<Director.Command>
    private let layerInboxes: [Mailbox<LayerItem>]
    private let ledger: MasterPlaylistWriter
    private let crew = Crew()
    private let overflow = Mutex(0)
    private let metadata: TimedMetadataBoard
    private let pushes: PushDesk

    /// Opens encoders and directories and begins to take input; the clock waits for `start()`.
    public init(_ configuration: PipelineConfiguration, logger: Logger) throws {
        let (events, sink) = AsyncStream.makeStream(
            of: PipelineEvent.self, bufferingPolicy: .bufferingOldest(Self.eventsMaximum))
        self.events = events
        eventSink = sink
        let planner = try Self.planner(configuration)
        let bitrates = Self.soundBitrates(configuration)
        let pauses = RecordingPauses(isPaused: configuration.isRecordingPaused)
        let ledger = MasterPlaylistWriter(
            layers: bitrates.count, directory: configuration.outputDirectory
        ) { sink.yield($0) }
        self.ledger = ledger
        try AtomicFile.makeDirectory(configuration.outputDirectory)
        let metadata = TimedMetadataBoard(
            try TimedMetadataLog.read(in: configuration.outputDirectory))
        self.metadata = metadata
        let languages = configuration.captions.languages
        let captions = CaptionBoard(languages, in: configuration.outputDirectory)
        let audioOutput = try AudioOutput(
            bitrates: bitrates, firstSample: -Int64(AudioMixer.latency))
        let containers = ContainerFiles.all(of: configuration.container)
        var directories: [LayerDirectory] = []
        var beside: [LayerDirectory?] = Array(repeating: nil, count: bitrates.count)
        for files in containers {
            let opened = try LayerDirectory.open(
                count: bitrates.count, in: configuration.outputDirectory,
                mode: configuration.playlist, planner: planner,
                isRecorded: configuration.isRecorded, metadata: metadata, captions: captions,
                files: files)
            for (index, layer) in opened.enumerated() {
                if let segment = layer.finished { ledger.listed(layer: index, segment: segment) }
            }
            if files.isBeside { beside = opened } else { directories = opened }
        }
        let pushes = PushDesk(hosts: configuration.pushes.hosts) { sink.yield(.push($0)) }
        self.pushes = pushes
        let layers = try bitrates.indices.compactMap { index -> (any VariantWriter)? in
            guard let audio = audioOutput.parameters(ofLayer: index) else { return nil }
            guard !configuration.sound.isAlone else {
                return try SoundWriter(
                    index: index, directory: directories[index], beside: beside[index],
                    container: configuration.container, planner: planner, audio: audio,
                    pauses: pauses, ledger: ledger)
            }
            let layer = try LayerEncoder(
                index: index, directory: directories[index], beside: beside[index],
                configuration: configuration, planner: planner, audio: audio, pauses: pauses,
                ledger: ledger,
                logger: logger, others: [PushSink(layer: index, desk: pushes)])
            pushes.declare(
                layer: index,
                PushDesk.Parameters(
                    video: layer.streamParameters, audio: audio,
                    bitrate: configuration.ladder.layers[index].videoBitrate + audio.bitrate))
            return layer
        }
        for files in containers {
            try ledger.announce(
                MasterPlaylist(
                    variants: layers.map { $0.variant(files) },
                    subtitles: files.subtitles(languages)),
                of: files, isRecorded: configuration.isRecorded)
        }
        layerInboxes = layers.map(\.inbox)
        let crew = crew
        let preview = PreviewWriter(in: configuration.outputDirectory)
        let director = try Director(
            configuration: configuration, planner: planner, layers: layers,
            audioOutput: audioOutput, pauses: pauses,
            preview: PreviewTap(to: preview.inbox), emit: { sink.yield($0) },
            began: { epoch in
                configuration.listener?.began(epoch: epoch)
                for (index, layer) in layers.enumerated() {
                    layer.epoch = epoch
                    crew.run(layer, name: "layer \(index)")
                }
                // Not earlier: servers close connections on which nothing comes.
                for output in configuration.pushes.outputs { pushes.add(output) }
            })
        inbox = director.inbox
        logger.info(
            "pipeline ready",
            metadata: [
                "layers": "\(bitrates.count)", "frames_per_segment": "\(planner.framesPerSegment)",
            ])
        crew.run(preview)
        crew.run(director, ledger: ledger)
    }

    private static func planner(
        _ configuration: PipelineConfiguration
    ) throws -> SegmentPlanner {
        var planner = try SegmentPlanner(
            frameRate: configuration.frameRate, segmentDuration: configuration.segmentDuration)
        guard let frames = configuration.partFrames else { return planner }
        guard frames > 0, configuration.container != .transportStream else {
            throw PipelineError.settings("parts of \(frames) frames in \(configuration.container)")
        }
        planner.partFrames = frames
        return planner
    }

    /// The audio bitrates of the variants, best first. Without pictures, rungs of equal audio
    /// bitrate become one variant.
    private static func soundBitrates(_ configuration: PipelineConfiguration) -> [Int] {
        let bitrates = configuration.ladder.layers.map(\.audioBitrate)
        return configuration.sound.isAlone ? Set(bitrates).sorted(by: >) : bitrates
    }

    // MARK: Input

    /// Starts the stream's clock as soon as there is something to show.
    public func start() { inbox.put(.start) }

    /// The peers in the room and the tracks that they publish. Called at every change, with the
    /// whole list.
    public func show(_ peers: [SourcePeer]) { inbox.put(.peers(peers)) }

    /// Sets the layout from now on.
    public func setLayout(_ layout: Layout) { inbox.put(.layout(layout)) }

    /// Sets the roles that are heard from now on; nil for all.
    public func setRoles(_ roles: Set<String>?) { inbox.put(.roles(roles)) }

    /// Nothing shown from now on becomes part of an asset, not a single frame, until recording is
    /// resumed.
    public func setRecordingPaused(_ isPaused: Bool) { inbox.put(.recordingPaused(isPaused)) }

    /// Makes small pictures of what is shown for so long; see `StreamPreview`.
    public func showPreview(for length: Duration) { inbox.put(.preview(length)) }

    /// Adds an entry that the playlists list from the segment of its start on.
    public func addMetadata(_ entry: TimedMetadata) { metadata.add(entry) }

    /// Pushes the stream to one more place. The reports tell what becomes of it.
    public func add(_ output: SecretOutput) { pushes.add(output) }

    public func removeOutput(_ id: String) { pushes.remove(id) }

    /// An image that a peer or the layout names, fetched and decoded; nil when it is no longer
    /// available.
    public func showPicture(_ picture: StillPicture?, at address: String) {
        inbox.put(.picture(picture, address: address))
    }

    /// The track's media is about to come.
    public func mediaBegan(_ track: TrackID, codec: SourceCodec) {
        inbox.put(.mediaBegan(track, codec))
    }

    public func mediaEnded(_ track: TrackID) { inbox.put(.mediaEnded(track)) }

    /// One frame or packet. If the director cannot keep up, the frame is dropped; for video a key
    /// frame is requested, because the following frames cannot be decoded without it.
    public func receive(_ frame: IncomingFrame, of track: TrackID, isVideo: Bool) {
        // Frames after the end are no loss.
        guard !inbox.offer(frame, of: track, isVideo: isVideo), !inbox.isOver else { return }
        let total = overflow.withLock { count in
            count += 1
            return count
        }
        if isVideo { eventSink.yield(.keyframeNeeded(track)) }
        // One event for many frames: the log must not add to the load.
        if total.isMultiple(of: 100) || total == 1 {
            eventSink.yield(.inputOverflow(framesDropped: total))
        }
    }

    /// Packets from this timestamp on are lost; the next packet shows how many.
    public func audioLost(_ track: TrackID, from timestamp: Int64) {
        _ = inbox.offer(.audioLost(track, timestamp: timestamp))
    }

    /// - Parameter rtpTimestamp: unwrapped together with the track's frames.
    public func senderReport(
        _ track: TrackID, rtpTimestamp: Int64, ntp: NTPTime, at now: Instant
    ) {
        _ = inbox.offer(.senderReport(track, rtpTimestamp: rtpTimestamp, ntp: ntp, at: now))
    }

    // MARK: End

    /// The reason of a failed stream.
    public var failure: PipelineFailure? { ledger.failure }

    /// Composes everything captured until now, empties the encoders and ends the playlists. The
    /// playlists of a failed stream stay open: another bot continues them.
    ///
    /// - Parameter failure: the reason of a failure that the pipeline does not know of.
    public func stop(failure: PipelineFailure? = nil) async -> PipelineSummary {
        if let failure { ledger.failed(failure) }
        inbox.put(.finish)
        await crew.join()
        await pushes.finish()
        inbox.close()
        for layer in layerInboxes { layer.close() }
        eventSink.finish()
        let result = crew.result
        return PipelineSummary(
            segments: ledger.segments, frames: result.frames, framesDropped: result.dropped)
    }
}

/// The threads of one pipeline.
private final class Crew: Sendable {
    private struct State {
        var director: MediaThread?
        var layers: [MediaThread] = []
        var frames: Int64 = 0
        var dropped = 0
    }

    private let state = Mutex(State())

    func run(_ layer: any VariantWriter, name: String) {
        // Safe because from here on only the new thread touches the writer, save its inbox.
        nonisolated(unsafe) let layer = layer
        let thread = MediaThread(name: name) { layer.run() }
        state.withLock { $0.layers.append(thread) }
    }

    func run(_ preview: PreviewWriter) {
        let thread = MediaThread(name: "preview") { preview.run() }
        state.withLock { $0.layers.append(thread) }
    }

    func run(_ director: Director, ledger: MasterPlaylistWriter) {
        // Safe because from here on only the new thread touches the director, save its inbox.
        nonisolated(unsafe) let director = director
        let thread = MediaThread(name: "director") {
            do {
                try director.run()
            } catch {
                ledger.failed(PipelineFailure(error, in: "composition"))
                director.abandon()
            }
            self.state.withLock { state in
                state.frames = director.framesComposed
                state.dropped = director.framesDroppedInAll
            }
        }
        state.withLock { $0.director = thread }
    }

    func join() async {
        await state.withLock { $0.director }?.join()
        for thread in state.withLock({ $0.layers }) { await thread.join() }
    }

    var result: (frames: Int64, dropped: Int) { state.withLock { ($0.frames, $0.dropped) } }
}
