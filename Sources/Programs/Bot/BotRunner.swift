public import ChildProcesses
import Clocks
import Codec
import Foundation
import HLS
public import Logging
import MediaKernel
import NIOCore
import NIOPosix
import Pipeline
import Recording
public import RemoteRoom
public import Speech
import Streams
import Synchronization

/// The life of one bot: join the room, write the stream, report events, finish cleanly.
public struct BotRunner: Sendable {
    public struct Options: Sendable {
        public var room: any RoomAddress
        public var outputDirectory: String
        public var configuration: BotConfiguration
        /// The program that recognizes speech; nil for none.
        public var speech: SpeechHandle?

        public init(
            room: any RoomAddress, outputDirectory: String, configuration: BotConfiguration,
            speech: SpeechHandle? = nil
        ) {
            self.room = room
            self.outputDirectory = outputDirectory
            self.configuration = configuration
            self.speech = speech
        }
    }

    /// The reason why a bot ends.
    private enum Ending: Sendable {
        case asked(String)
        case failed(PipelineFailure, BotFailure? = nil)

        var failure: PipelineFailure? {
            if case .failed(let failure, _) = self { failure } else { nil }
        }
    }

    private static let lockTimeout: Duration = .seconds(10)
    private static let lockPollInterval: Duration = .milliseconds(20)

    private let options: Options
    private let logger: Logger
    private let writer = ReportWriter<BotReport>()

    public init(options: Options, logger: Logger) {
        self.options = options
        self.logger = logger
    }

    /// Runs until `stop` yields a reason, the room ends or the stream fails.
    ///
    /// - Parameters:
    ///   - stop: reasons to finish; the first one counts.
    ///   - orders: further orders from the parent.
    /// - Returns: the process' exit status.
    public func run(stop: AsyncStream<String>, orders: AsyncStream<BotOrder>) async -> Int32 {
        let started = MonotonicClock.now
        do {
            let lock = try await takeLock()
            defer { withExtendedLifetime(lock) {} }
            let wishes = BotMedia.Wishes()
            let output: BotOutput
            do {
                output = try BotOutput(
                    options.configuration, in: options.outputDirectory, wishes: wishes,
                    speech: options.speech, logger: logger,
                    warn: { [writer] in writer.write(.warning($0)) })
            } catch let error as CodecError {
                return fail("the stream cannot be encoded: \(error)", .notEncoded)
            }
            let (ending, summary) = try await live(
                output, wishes, stop: stop, orders: orders, started: started)
            switch ending {
            case .asked(let reason):
                if let failure = output.failure { return fail(failure) }
                let totals = BotReport.Totals(
                    summary, frameRate: options.configuration.plan.ladder.frameRate)
                writer.write(.stopped(reason: reason, totals))
                return 0
            case .failed(let failure, let kind?):
                return fail(failure.reason, kind)
            case .failed(let failure, nil):
                return fail(failure)
            }
        } catch {
            return fail(PipelineFailure(error))
        }
    }

    /// Ensures that no other process writes into the directory. A killed bot of the same stream may
    /// take a moment to exit.
    private func takeLock() async throws -> StreamLock {
        let deadline = MonotonicClock.now + Self.lockTimeout
        try FileManager.default.createDirectory(
            atPath: options.outputDirectory, withIntermediateDirectories: true)
        while true {
            if let lock = try StreamLock.take(in: options.outputDirectory) { return lock }
            guard MonotonicClock.now < deadline else {
                throw BotError.inUse(options.outputDirectory)
            }
            try await Task.sleep(for: Self.lockPollInterval)
        }
    }

    private func fail(_ failure: PipelineFailure) -> Int32 {
        fail(failure.reason, failure.isForWantOfRoom ? .diskFull : nil)
    }

    private func fail(_ reason: String, _ failure: BotFailure? = nil) -> Int32 {
        logger.error("stream failed", metadata: ["reason": "\(reason)"])
        writer.write(.failed(reason: reason, failure: failure))
        return 1
    }

    private func live(
        _ output: BotOutput, _ wishes: BotMedia.Wishes, stop: AsyncStream<String>,
        orders: AsyncStream<BotOrder>, started: Instant
    ) async throws -> (Ending, PipelineSummary) {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let plan = options.configuration.plan
        let path = SharedMediaPath(MediaPath(lossMaximum: options.room.lossMaximum))
        let requests = MediaRequests(
            roles: plan.audio.roles.map(Set.init), recording: plan.recording?.tracks,
            isTracksAlone: output.stream == nil)
        let room: any RemoteRoom = options.room.room(
            for: RoomGuest(
                name: "recorder",
                receivesVideo: !plan.audio.only || plan.recording?.tracks != nil,
                readingInterval: BotMedia.readingInterval),
            on: group, logger: logger
        ) { BotMedia(takers: output.takers, wishes: wishes) }

        let result = await withTaskGroup(of: Ending?.self) { tasks in
            tasks.addTask { await self.stay(in: room) }
            tasks.addTask { await self.watch(room, path, output, requests, started: started) }
            tasks.addTask { await self.watch(path) }
            tasks.addTask { await self.obey(orders, output, requests) }
            if let stream = output.stream {
                tasks.addTask {
                    await self.watchPipeline(stream, wishes, requests, started: started)
                }
                tasks.addTask {
                    await stream.pictures.run()
                    return nil
                }
            }
            if let speech = options.speech, let feed = output.stream?.speech {
                tasks.addTask { await self.listen(speech, feed) }
            }
            if let tracks = output.tracks {
                tasks.addTask {
                    await self.watchTracks(tracks, isAlone: output.stream == nil)
                }
            }
            tasks.addTask {
                await requests.run(room, logger: self.logger)
                return nil
            }
            tasks.addTask {
                for await reason in stop { return .asked(reason) }
                return nil
            }
            var ending = Ending.failed(PipelineFailure("ended without a reason"))
            for await result in tasks {
                guard let result else { continue }
                ending = result
                break
            }
            // Recent speech is still in the pipeline, so the room is left last.
            let summary = await output.stop(failure: ending.failure)
            await room.leave()
            tasks.cancelAll()
            return (ending, summary)
        }
        try await group.shutdownGracefully()
        return result
    }

    private func stay(in room: any RemoteRoom) async -> Ending? {
        do throws(RoomEnd) {
            try await room.run()
            return nil
        } catch {
            switch error {
            case .roomEnded: return .asked("room ended")
            case .removed(let reason):
                return .asked(reason.isEmpty ? "removed from the room" : reason)
            case .givenUp(let reason): return .failed(PipelineFailure(reason), .pageNotShown)
            case .encrypted(let reason): return .failed(PipelineFailure(reason), .sourceEncrypted)
            case .silent(let reason): return .failed(PipelineFailure(reason), .sourceSilent)
            case .disconnected(let reason): return .failed(PipelineFailure(reason), .sourceLost)
            case .closed: return .failed(PipelineFailure(String(describing: error)), .sourceClosed)
            case .badEndpoint, .refused, .unreachable, .protocolViolation, .failed:
                return .failed(PipelineFailure(String(describing: error)))
            }
        }
    }

    private func obey(
        _ orders: AsyncStream<BotOrder>, _ output: BotOutput, _ requests: MediaRequests
    ) async -> Ending? {
        for await order in orders {
            switch order {
            case .layout(let layout):
                output.stream?.pipeline.setLayout(layout)
                await output.stream?.pictures.wanted(by: layout)
            case .roles(let roles):
                output.stream?.pipeline.setRoles(roles)
                requests.rolesChanged(roles)
            case .recordingPaused(let isPaused): output.setRecordingPaused(isPaused)
            case .metadata(let metadata): output.stream?.pipeline.addMetadata(metadata)
            case .addOutput(let target): output.stream?.pipeline.add(target)
            case .removeOutput(let id): output.stream?.pipeline.removeOutput(id)
            case .preview(let seconds):
                output.stream?.pipeline.showPreview(for: .seconds(seconds))
            }
        }
        return nil
    }

    /// Periodically checks the media path.
    private func watch(_ path: SharedMediaPath) async -> Ending? {
        while (try? await Task.sleep(for: SharedMediaPath.interval)) != nil {
            let reason = path.state.withLock { $0.reasonToGiveUp(at: MonotonicClock.now) }
            if let reason { return .failed(PipelineFailure(reason)) }
        }
        return nil
    }

    private func watch(
        _ room: any RemoteRoom, _ path: SharedMediaPath, _ output: BotOutput,
        _ requests: MediaRequests, started: Instant
    ) async -> Ending? {
        var attendance = options.configuration.plan.isAttendanceTold ? Attendance() : nil
        var heard = HeardChat(of: options.configuration.plan.variant.source, at: started)
        for await event in room.events {
            switch event {
            case .joined:
                writer.write(.joined)
                path.state.withLock { $0.joined(at: MonotonicClock.now) }
            case .path(let connection):
                let change = path.state.withLock {
                    $0.changed(to: connection, at: MonotonicClock.now)
                }
                switch change {
                // Earlier there would be nothing to show.
                case .opened:
                    output.start()
                    // A stream runs once it has segments; tracks have nothing to wait for.
                    if output.stream == nil { tellRunning(since: started) }
                case .lost: writer.write(.warning("the media path to the server is lost"))
                case nil: break
                }
            case .roster(let peers):
                let sources = peers.map { SourcePeer($0) }
                heard.know(peers)
                // First, because the picture's requests may follow at once.
                requests.roomChanged(sources)
                await output.show(sources)
                for report in attendance?.news(peers) ?? [] { writer.write(report) }
            case .layers(let tracks):
                requests.layersChanged(tracks)
            case .message(let message):
                if let report = heard.report(message, at: MonotonicClock.now) {
                    writer.write(.message(report))
                }
            case .published, .muteRequested, .activeSpeakers:
                break
            }
        }
        return nil
    }

    private func tellRunning(since started: Instant) {
        let elapsed = MonotonicClock.now - started
        writer.write(.running(firstSegmentMilliseconds: elapsed.milliseconds))
    }

    /// Reports what the program has understood, and what becomes of the program.
    private func listen(_ speech: SpeechHandle, _ feed: SpeechFeed) async -> Ending? {
        let language = options.configuration.speech?.language ?? ""
        for await line in speech.lines() {
            switch line {
            case .notice(let words): writer.write(.warning(words))
            case .said(let words):
                let person = words.speaker.flatMap { feed.person($0) }
                writer.write(
                    .caption(
                        BotReport.Caption(
                            language: language, text: words.text, start: words.start,
                            end: words.end, speaker: person?.name, peer: person?.peer)))
            }
        }
        return nil
    }

    /// - Parameter isAlone: whether there is no stream, whose layers would show that the bot works.
    private func watchTracks(_ tracks: TrackRecording, isAlone: Bool) async -> Ending? {
        for await event in tracks.events {
            switch event {
            case .atWork:
                guard isAlone else { continue }
                writer.write(.atWork)
                writer.write(.usageNow)
            case .failed(let failure): return .failed(failure)
            }
        }
        return nil
    }

    private func watchPipeline(
        _ stream: BotOutput.Stream, _ wishes: BotMedia.Wishes, _ requests: MediaRequests,
        started: Instant
    ) async -> Ending? {
        let (pipeline, pictures) = (stream.pipeline, stream.pictures)
        var (reduction, videosLeftOut) = (Reduction.none, 0)
        var frameRate = Double(options.configuration.plan.ladder.frameRate)
        for await event in pipeline.events {
            switch event {
            case .keyframeNeeded(let track):
                wishes.add(track)
            case .running: tellRunning(since: started)
            case .atWork: writer.write(.atWork)
            case .segmentPublished(let layer, let index, let bytes):
                writer.write(.segment(layer: layer, index: index, bytes: bytes))
                if layer == 0 { writer.write(.usageNow) }
            case .partPublished(let part): writer.write(.part(BotReport.Part(part)))
            case .segmentListed(let layer, let segment):
                writer.write(.segmentListed(layer: layer, segment: segment))
            case .frameRateMeasured(let measured):
                let told = self.told(measured, after: frameRate)
                if told != frameRate { writer.write(.frameRate(told)) }
                frameRate = told
            case .tilesChanged(let tiles, let besides, let videos):
                writer.write(.tiles(tiles.map { BotReport.Tile($0) }))
                requests.tilesChanged(tiles + besides, among: videos)
                await pictures.wanted(by: tiles + besides)
            case .undecodable(let track, let codec, let reason):
                writer.write(
                    .warning("track \(track) is left out: \(codec.rawValue): \(reason)"))
            case .tracksLeftOut(let tracks):
                // More would not fit into a report; many peers with long names could cause that.
                writer.write(
                    .leftOut(tracks.prefix(BotReport.leftOutMaximum).map { .init($0) }))
            case .reductionChanged(let changed):
                reduction = changed
                writer.write(report(of: reduction, videosLeftOut: videosLeftOut))
            case .videosLeftOut(let count):
                videosLeftOut = count
                writer.write(report(of: reduction, videosLeftOut: videosLeftOut))
            case .framesDropped(let layer, let total):
                writer.write(.warning("layer \(layer) left out \(total) frames so far"))
            case .wallClockStepped(let step):
                writer.write(
                    .warning(
                        "the wall clock was set by \(step.inSeconds) s; dates of segments go on "
                            + "as before"))
            case .leftOut(let time):
                writer.write(
                    .warning(
                        "the stream was behind for want of CPU: \(time.inSeconds) s are left out"))
            case .inputOverflow(let framesDropped):
                writer.write(.warning("\(framesDropped) incoming frames dropped so far"))
            case .push(let report): writer.write(.push(report))
            case .failed(let failure):
                return .failed(failure)
            }
        }
        return nil
    }

    /// The reported frame rate. One picture more or less at a segment's edge does not count as a
    /// change.
    private func told(_ measured: Double, after last: Double) -> Double {
        let wanted = Double(options.configuration.plan.ladder.frameRate)
        if measured > wanted - Self.frameRateTolerance { return wanted }
        return abs(measured - last) > Self.frameRateTolerance ? measured : last
    }

    /// Pictures per second.
    private static let frameRateTolerance = 0.6

    private func report(of reduction: Reduction, videosLeftOut: Int) -> BotReport {
        let rate = Double(options.configuration.plan.ladder.frameRate)
        return .reduction(
            frameRate: rate / Double(reduction.pictureInterval),
            layersThinned: reduction.layersThinned, videosLeftOut: videosLeftOut)
    }
}
